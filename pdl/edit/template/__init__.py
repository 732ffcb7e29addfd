"""What the tags of a document say: statements, expressions, names, scopes and types."""
