{ a: int } int = str
