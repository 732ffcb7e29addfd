[int]
