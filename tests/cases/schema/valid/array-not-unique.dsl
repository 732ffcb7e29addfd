[int] { unique: false }
