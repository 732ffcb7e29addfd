{ a: int<5,2>, b: str { min: 3, max: 1 }, c: float { gt: 1, max: 1 }, d: int { gt: 3, lt: 4 }, e: [int]<2,1>, f: int<1,0> }
