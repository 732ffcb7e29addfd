{ a: int = "x", b: "x" | "y" = "z", c: str<2,> = "", d: [int]<1,> = [], e: { a: int } = { b: 1 }, f: bool = 1, g: int { multiple: 2 } = 3 }
