"""From a schema to a grammar, in the order in which a schema passes through the modules.

`document` and `constraints` are what is read; `keyword_semantics`, `tableau`, `branch` and
`satisfiability` turn a goal into conjuncts; `number_language`, `string_language`, `arrays` and
`objects` (with `alphabet`, `object_constraints` and `member_order`) turn these into languages and
machines, which `trim` rids of useless goals. `productions`, `object_rules`, `dfa_rules` and
`json_strings` draft rules of them; `inlining` makes these few, and `to_nodes` writes them.
`compiler` and `compiled` drive all that; `custom_rules`, `forms` and `unsat_core` are for schemas
that need them.
"""
