{ a: A, b: A } // both
// the shared part
A = { x: int } // of them
