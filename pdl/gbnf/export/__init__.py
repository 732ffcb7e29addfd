"""Grammars in the notations of other engines: the same texts, or an error that says why not."""
