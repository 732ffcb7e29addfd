// root
{
  a: int, // one
  b: str
}
