the notation has no way to write `not` (at $)
