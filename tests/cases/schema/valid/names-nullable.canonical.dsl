{ next: Item? }
Item = { next: Item? }
