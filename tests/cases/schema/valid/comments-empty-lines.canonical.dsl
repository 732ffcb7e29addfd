{
  // first
  //
  //   indented
  // last
  a: int,
}
