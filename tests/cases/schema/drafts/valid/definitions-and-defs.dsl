the notation has no way to write `allOf` (at $)
