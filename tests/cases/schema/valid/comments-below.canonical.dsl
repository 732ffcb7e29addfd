// one thing
// and no other
{ a: int }
