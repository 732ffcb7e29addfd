{ a: str { pattern: '\cA' }, b: str { pattern: '\u{1F600}' }, c: str { pattern: '[^]' } }
