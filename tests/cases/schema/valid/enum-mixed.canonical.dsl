"a" | 1 | true | null
