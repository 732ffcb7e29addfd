"""The compact notation of a schema, read into JSON Schema."""
