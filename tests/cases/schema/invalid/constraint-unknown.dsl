{ a: int { minimum: 1 }, b: bool { min: 1 }, c: str { maxx: 2 }, d: date { gt: 1 }, e: [int] { len: 2 }, f: null { min: 0 } }
