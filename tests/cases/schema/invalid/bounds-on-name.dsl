{ a: A<1,2> } A = [int]
