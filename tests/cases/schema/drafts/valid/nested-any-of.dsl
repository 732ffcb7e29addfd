"a" | "b" | null | int
