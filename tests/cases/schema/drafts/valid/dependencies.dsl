the notation has no way to write `dependentRequired` (at $)
the notation has no way to write `dependentSchemas` (at $)
2 problems
