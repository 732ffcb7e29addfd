the schema DSL cannot express `items` without a `type` (at $)
the schema DSL cannot express `prefixItems` without a `type` (at $)
2 problems
