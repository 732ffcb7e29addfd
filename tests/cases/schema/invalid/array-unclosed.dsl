{ a: [int }
