{ "a\d": int, b: "\u12" }
