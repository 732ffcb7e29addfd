["a", bool]
