"bug" | "feat" | null
