{ kind: "a" } | { kind: "b", n: int<1,> }
