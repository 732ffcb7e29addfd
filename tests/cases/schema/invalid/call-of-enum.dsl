{ a: enum("x", "y") }
