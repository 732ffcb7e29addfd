{ a: str = hello, b: int? = None, c: bool = True }
