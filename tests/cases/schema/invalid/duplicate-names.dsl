{ a: A } A = int A = str
