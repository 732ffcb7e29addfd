{
  a?: N = 3, // an a
  [str]: any,
}
N = int
