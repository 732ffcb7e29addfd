{ root: Node }
// A place in the tree.
Node = { value: int { gt: 0, multiple: 5 }, kids: [Node]<,2>, left?: Node? }
