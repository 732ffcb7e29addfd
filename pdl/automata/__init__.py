"""Regular languages over code points: the strings that a schema allows, as minimal automata."""
