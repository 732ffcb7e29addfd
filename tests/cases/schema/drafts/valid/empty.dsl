any
