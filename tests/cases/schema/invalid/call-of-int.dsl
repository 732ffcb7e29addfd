{ a: int(1, 5) }
