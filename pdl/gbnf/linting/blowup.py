"""What there is to say about the live stacks of a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.nodes import Literal
from pdl.gbnf.write import item_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.linting.finding import Finding, Reporter
    from pdl.gbnf.linting.reasons import Severity
    from pdl.gbnf.linting.search import Found, Search

_STACKS = (5_000, 64, 24)
"""From so many live stacks on it is an error, a warning, a note; most grammars stay below 20."""
_WORK = (5_000, 200, 100)
"""The same for the work of a mask, in stacks."""
_SHOWN = 60


def blowup(grammar: Grammar, search: Search, report: Reporter) -> Iterator[Finding]:
    """The input with the most live stacks, and the one with the hardest mask, if they are bad."""
    most, hard = search.worst()
    severity = _severity(most.peak.size, _STACKS)
    if severity:
        more = "at least " if most.peak.more else ""
        message = f"{more}{most.peak.size:,} stacks live at once {_behind(most, most.peak.text)}"
        hint = (
            "share what alternatives begin with, and let only one part at a time be open"
            " (`Grammar.optimize` does some of it); below 20 is usual"
        )
        yield report.at(_place(grammar, most), "many-stacks", message, hint, severity)
    severity = _severity(hard.mask.work, _WORK)
    if severity and hard.mask.work >= 4 * most.peak.size:
        where = _behind(hard, hard.mask.text)
        message = f"{hard.mask.ways:,} ways lead through one token {where}"
        hint = (
            "let only one part at a time be open: nest what is optional, as `(x (x x?)?)?` or"
            " `x{0,3}` for `x? x? x?`"
        )
        yield report.at(_place(grammar, hard), "mask-blow-up", message, hint, severity)


def _severity(found: float, bounds: tuple[int, int, int]) -> Severity | None:
    severities: tuple[Severity, ...] = ("error", "warning", "note")
    reached = (one for one, bound in zip(severities, bounds, strict=True) if found >= bound)
    return next(reached, None)


def _place(grammar: Grammar, found: Found) -> tuple[int, int]:
    if found.spot is None:
        rule = grammar.rule[grammar.root]
        return rule.start, rule.named
    items = found.spot.option.items
    return items[found.spot.at].start, items[-1].end


def _behind(found: Found, text: str) -> str:
    """Where a text has led."""
    shown = item_text(Literal(tuple(map(ord, text[-_SHOWN:]))))[1:-1].replace('\\"', '"')
    said = f"`{'…' if len(text) > _SHOWN else ''}{shown}`"
    if not found.proved and found.spot is not None:
        here = f"here in rule `{found.spot.rule}`"
        return f"{here}, behind {said}" if text else here
    return f"behind {said}" if text else "at the beginning"
