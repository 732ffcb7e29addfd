{ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] }
