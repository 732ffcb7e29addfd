"""Whether a value fits a JSON Schema, and the violations of one that does not."""
