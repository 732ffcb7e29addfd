{ a: int }
