str { pattern: '^\d{4}$' }
