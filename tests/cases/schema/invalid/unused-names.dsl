{ a: A } A = int B = [C] C = str
