"""From a schema to a grammar: constraints, conjuncts, languages and machines, rules."""
