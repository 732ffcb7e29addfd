{
  a: int # the a
}
