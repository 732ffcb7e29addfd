// two things
{ a: int, b: str }
