{ tag: "bug" | "feat" }
