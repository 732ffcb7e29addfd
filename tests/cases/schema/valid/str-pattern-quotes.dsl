{ a: str { pattern: "it's \"quoted\"" } }
