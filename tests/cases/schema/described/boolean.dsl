bool
