"low" | "high" | null | int
