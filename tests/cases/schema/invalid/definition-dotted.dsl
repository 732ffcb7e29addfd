{ a: A.B } A.B = int
