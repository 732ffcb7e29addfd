{ a.b: int }
