{ a: 'bug }
