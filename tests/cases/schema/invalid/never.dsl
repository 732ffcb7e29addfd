{ a: never }
