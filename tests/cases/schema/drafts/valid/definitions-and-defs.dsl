the schema DSL cannot express `allOf` (at $)
