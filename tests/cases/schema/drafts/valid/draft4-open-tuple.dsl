the notation has no way to write `items` without a `type` (at $)
the notation has no way to write `prefixItems` without a `type` (at $)
2 problems
