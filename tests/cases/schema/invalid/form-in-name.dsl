A A = code
