float
