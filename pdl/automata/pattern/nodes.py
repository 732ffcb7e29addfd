"""What a regular expression is made of, and the error for what no automaton can say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pdl.errors import Problem, SchemaError

if TYPE_CHECKING:
    from pdl.automata.charset import CharSet


class Irregular(SchemaError):  # noqa: N818 - it says what a pattern is, as the theory does
    """A pattern whose strings are no regular language, or in a way that is not followed here.

    Its problem has the code `schema/irregular-pattern`. A checker can still match the pattern.
    """

    def __init__(self, what: str) -> None:
        super().__init__(
            Problem("schema/irregular-pattern", f"no automaton can match this pattern: {what}")
        )


@dataclass(frozen=True)
class Chars:
    """One character of a set."""

    allowed: CharSet


@dataclass(frozen=True)
class Sequence:
    """One part after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """Any of the branches."""

    branches: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """A body from `least` to `most` times; None for no end."""

    body: Node
    least: int
    most: int | None


@dataclass(frozen=True)
class Edge:
    """`^` or `$`: the start or the end of the text."""

    start: bool


@dataclass(frozen=True)
class Look:
    """A lookahead or lookbehind; `depth` is how deep lookarounds nest in it, itself included."""

    body: Node
    ahead: bool
    positive: bool
    depth: int = 1


Node: TypeAlias = Chars | Sequence | Choice | Repeat | Edge | Look
