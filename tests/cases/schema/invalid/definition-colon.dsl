{ a: A } A: int
