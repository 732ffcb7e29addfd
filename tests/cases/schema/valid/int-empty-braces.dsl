int {}
