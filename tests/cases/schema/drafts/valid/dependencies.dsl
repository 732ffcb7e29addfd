the schema DSL cannot express `dependentRequired` (at $)
the schema DSL cannot express `dependentSchemas` (at $)
2 problems
