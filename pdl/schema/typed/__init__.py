"""Python types as JSON Schema."""
