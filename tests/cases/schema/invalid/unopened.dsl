a: int }
