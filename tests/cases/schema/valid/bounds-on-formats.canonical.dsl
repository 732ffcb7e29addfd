{
  mail: email<,80>,
  day: date<10>,
  all: { a: int, b?: int }<1,2>,
  open: { a: int, [str]: any }<3,>,
  e: { a?: int }<1> = {"a": 1},
}
