"a" | "b" | null
