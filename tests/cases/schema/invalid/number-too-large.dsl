{
  a: float<1e400,1>,
  b: 1e400 | 1e401 | null,
  c: int<1e400>,
  d: float = 1e400,
}
