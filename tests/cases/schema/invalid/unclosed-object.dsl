{
  a: int,
  b: { c: str,
}
