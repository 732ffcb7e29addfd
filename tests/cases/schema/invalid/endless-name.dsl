{ a: A } A = { a: A }
