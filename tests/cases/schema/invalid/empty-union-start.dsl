| int
