the notation has no way to write `components` (at $)
