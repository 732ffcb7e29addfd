"""Tools as signatures: `read(path: str, lines?: int) // Read a file`."""
