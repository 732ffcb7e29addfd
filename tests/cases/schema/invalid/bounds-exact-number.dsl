{ a: int<5> }
