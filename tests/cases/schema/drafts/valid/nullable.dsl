// (left out: components)
{ a?: str?, b?: B, c?: "x" | "y", d?: int, e?: any }
B = int
