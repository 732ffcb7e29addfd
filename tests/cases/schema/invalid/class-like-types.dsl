{ a: list, b: dict, c: optional, d: datetime.date, e: object, f: none, g: undefined, h: tuple, i: url }
