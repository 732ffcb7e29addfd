[int]]
