"""From a schema to a grammar: constraints, shapes, languages and machines, rules."""
