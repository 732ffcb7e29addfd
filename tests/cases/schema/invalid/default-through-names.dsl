{ a: A = 5, b: A = "x", c: A = [5] }
A = B
B = C | C
C = D | D
D = str
