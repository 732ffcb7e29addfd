// both
{ a: A, b: A }
// the shared part
// of them
A = { x: int }
