{ a: int }
// one thing
// and no other
