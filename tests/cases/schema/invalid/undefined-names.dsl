{ a: Nodes, b: Other } Node = int
