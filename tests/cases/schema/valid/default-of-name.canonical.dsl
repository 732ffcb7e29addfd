{ level: Level = "low" }
Level = "low" | "high"
