{
  a?: A, // an a
}
A = "x"
