{ a: node } node = int
