{ a: str, b: int, c: float, d: bool, e: null }
