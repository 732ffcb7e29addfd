{ root: Node }
Node = { v: int, kids: [Node] }
