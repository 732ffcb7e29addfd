{ a: int } int
