"""Whether a value fits a JSON Schema, and what is wrong with it."""
