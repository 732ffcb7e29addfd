"""The Lark grammars of turns, of the schema DSL and of GBNF rules, and what runs them."""
