"""Grammars of calls: one for all tools of a set, whatever the format."""
