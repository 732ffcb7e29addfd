{ a: int { gbnf: '[0-9]' }, b: str { gbnf: 5 }, c: str { gbfn: "x" }, d: str { gbnf: "x", gbnf: "y" } }
