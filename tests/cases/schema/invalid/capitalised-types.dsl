{ a: String, b: Int, c: Boolean }
