{ kind: "cat" }
