{
  a?: N, // an a
  [str]: any,
}
N = int
