[int, int] { unique: true }
