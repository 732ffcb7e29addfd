{ a: int; b: str }
