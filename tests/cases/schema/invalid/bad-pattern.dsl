{ a: str { pattern: '(' } }
