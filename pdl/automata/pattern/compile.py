"""From a pattern, as an author wrote it, to the automaton of the texts that it matches."""

from __future__ import annotations

from functools import lru_cache

from pdl.automata.dfa import DEFAULT_BUDGET, Budget, Dfa
from pdl.automata.pattern.looking import Looking
from pdl.automata.pattern.machine import machine
from pdl.automata.pattern.plain import Plain
from pdl.automata.pattern.read import read
from pdl.errors import Problem, SchemaError
from pdl.schema.counts import unrolled
from pdl.schema.ecma import translate
from pdl.schema.patterns import complaint

_UNROLLED = 8  # the library unrolls so many counts in the time of one of our steps


@lru_cache(maxsize=512)
def pattern(text: str, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """The texts that a regular expression matches somewhere (ECMA-262; JSON Schema 6.3.3).

    It means what `pdl.schema.patterns.matches` says, for texts without lone surrogates. Raises
    SchemaError (`schema/bad-pattern`) for what is no regular expression, Irregular for
    back-references and the like, LimitError (`limit/automaton-states`) beyond the budget.
    """
    budget.check(0, unrolled(text) // _UNROLLED)  # first, as a bound is no mistake
    wrong = complaint(text)
    if wrong:
        message = f"this pattern is no regular expression: {wrong}"
        raise SchemaError(Problem("schema/bad-pattern", message))
    made = machine(read(translate(text)), budget)
    if made.sights:
        return Looking(made, budget).run()
    return Plain(made, budget).run()
