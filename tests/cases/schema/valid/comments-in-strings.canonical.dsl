{ url: "http://example.com" | "// no comment" }
