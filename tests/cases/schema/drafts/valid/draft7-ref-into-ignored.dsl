[X]
X = [Ref1]
Ref1 = int
