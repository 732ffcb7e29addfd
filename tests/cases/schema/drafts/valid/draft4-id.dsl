{ a: Id, b?: Id, c?: Id }
Id = int
