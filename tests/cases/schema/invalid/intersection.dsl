{ a: A & B }
