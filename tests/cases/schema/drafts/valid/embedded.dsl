[B]
B = [C]
C = int
