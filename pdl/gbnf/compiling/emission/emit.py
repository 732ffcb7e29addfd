"""`emit`: from goals and their pieces to rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.compiling.emission.explore import every, explored
from pdl.gbnf.compiling.emission.finish import finish
from pdl.gbnf.compiling.emission.goals import Goals
from pdl.gbnf.compiling.emission.parts import Draft, joined
from pdl.gbnf.compiling.emission.written import Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.gbnf.compiling.claims import Goal
    from pdl.gbnf.compiling.options import Options
    from pdl.gbnf.compiling.pieces import Pieces
    from pdl.gbnf.nodes import Rule


def emit(
    root: Goal,
    pieces: Callable[[Goal], Pieces],
    options: Options,
    name: Callable[[Goal], str],
) -> tuple[Rule, ...]:
    """The rules for the values of a goal, `root` first; none if there is no such value.

    `name` says how the rule of a goal would like to be called; `pieces` is asked once for each goal
    but `()`. Raises LimitError (`limit/grammar-rules`) for more rules than `options.max_rules`.
    """
    found = explored(root, pieces, every(options.numbers))
    if root not in found:
        return ()
    goals = Goals(found, options, name)
    draft = goals.drafted(root)
    around = goals.spacing.around
    if around or not root:
        draft = Draft("root", (joined(around, draft, around),))
    finish(draft, options.max_rules)
    return Writer(options.max_rules).rules(draft)
