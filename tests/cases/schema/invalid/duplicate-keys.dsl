{ a: int, "a": str, b: int, b: int }
