{ lang: str = "en", n: int = 3, f: float = 1e-3, on?: bool = false, tags: [str] = ["a", "b"], opt: { a?: int } = { a: 1 }, none: int? = null, id: int | str = "x" }
