the schema DSL cannot express `components` (at $)
