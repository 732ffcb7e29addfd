{ a: int, b?: int } { min: 3 }
