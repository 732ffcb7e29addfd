"low" | int | "high" | null
