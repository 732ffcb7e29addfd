{ a: int, b: str } // two things
