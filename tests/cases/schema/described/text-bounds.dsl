str<1,80> { pattern: "^[A-Z]" }
