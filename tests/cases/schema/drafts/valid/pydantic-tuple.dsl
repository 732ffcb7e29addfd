[int, str]
