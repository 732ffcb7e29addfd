{ a: int | }
