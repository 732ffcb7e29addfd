str { pattern: '(?i)a' }
