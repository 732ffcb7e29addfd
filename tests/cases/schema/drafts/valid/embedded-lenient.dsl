{ a?: [N] }
N = int
