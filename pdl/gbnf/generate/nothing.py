"""Why a grammar has no text at all, or none that can be written out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import GrammarError, LimitError, Problem
from pdl.gbnf.generate.plan import MOST
from pdl.gbnf.nodes import CharClass, Literal, Rule, RuleRef, TokenRef
from pdl.gbnf.write import item_text

if TYPE_CHECKING:
    from pdl.gbnf.generate.plan import Choice
    from pdl.gbnf.nodes import Item
    from pdl.limits import Limits
    from pdl.source import Source, Span


def ensure_text(root: Choice, source: Source, limits: Limits) -> None:
    """Raises GrammarError if there is no text, LimitError if the shortest is too long."""
    if root.least is None:
        raise GrammarError(_reason(root, source))
    ensure_length(root.least, limits, "shortest")


def ensure_length(size: int, limits: Limits, which: str) -> None:
    """Raises LimitError if a text of that many characters is too long; `which` text it is."""
    if size > limits.output_chars:
        count = f"{size:,}" if size < MOST else f"{MOST:,} or more"
        message = f"the {which} text has {count} characters, over the {limits.output_chars:,}"
        raise LimitError(Problem("limit/output-chars", f"{message} allowed"))


def _reason(root: Choice, source: Source) -> Problem:
    """Where the first alternatives lead: to what no text can hold, or in a circle of rules."""
    path: dict[Choice, None] = {}
    at = root
    while at.blame and at not in path:
        path[at] = None
        at = at.blame
    origin = at.origin
    if at in path:
        met = list(path)
        names = _names([*met[met.index(at) :], at])
        message, hint = f"{' -> '.join(names)} never ends", "add an alternative that does"
    else:
        assert not isinstance(origin, Rule)
        message, hint = _impossible(origin)
    return Problem("gbnf/no-text", f"no text matches: {message}", _span(origin, source), hint)


def _names(circle: list[Choice]) -> list[str]:
    """The rules on a circle, which has one at least: groups alone cannot hold themselves."""
    names = [choice.origin.name for choice in circle if isinstance(choice.origin, Rule)]
    return names if isinstance(circle[0].origin, Rule) else [*names, names[0]]


def _impossible(item: Item) -> tuple[str, str]:
    """Why no text can hold an item, and a hint."""
    said = f"`{item_text(item)}`"
    hint = "NUL, surrogates and what is above U+10FFFF are in no text"
    if isinstance(item, TokenRef):
        return f"{said} is a token, which has no text without a vocabulary", ""
    if isinstance(item, RuleRef):
        return f"there is no rule {said}", ""
    if isinstance(item, Literal):
        return f"{said} has a character that no text can have", hint
    if isinstance(item, CharClass) and any(low > high for low, high in item.ranges):
        hint = "a range begins with the lower character"
    return f"{said} holds no character that a text can have", hint


def _span(origin: Rule | Item, source: Source) -> Span | None:
    if origin.start < 0:
        return None
    end = origin.named if isinstance(origin, Rule) else origin.end
    return source.span(origin.start, end)
