{ a: (int | str] }
