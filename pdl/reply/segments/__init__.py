"""From the text of a reply to its parts: reasoning, fences, tokens, brackets."""
