("bug" | "feat")?
