{ a: A } A = B | int B = A
