{ a: int, b: str, [str]: str }
