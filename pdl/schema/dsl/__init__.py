"""The schema DSL: read into JSON Schema, and written."""
