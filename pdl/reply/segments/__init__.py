"""The parts of a reply: reasoning, fences, tokens, brackets."""
