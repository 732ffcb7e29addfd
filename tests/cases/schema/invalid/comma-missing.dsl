{
  name: str
  age: int
}
