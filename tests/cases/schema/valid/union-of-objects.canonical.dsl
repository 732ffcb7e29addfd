{ kind: "circle", r: float } | { kind: "square", side: float }
