[X]
X = int
