the schema DSL cannot express `not` (at $)
