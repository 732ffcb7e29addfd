{ a = int }
