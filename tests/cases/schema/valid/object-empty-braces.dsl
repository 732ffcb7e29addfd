{ a: int } {}
