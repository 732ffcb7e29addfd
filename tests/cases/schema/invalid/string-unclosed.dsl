{ a: "bug | "feat" }
