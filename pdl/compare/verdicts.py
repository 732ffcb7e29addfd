"""The results of a comparison: whether values are included, and what changed for whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json
    from pdl.source import Span

# What an inclusion is: every value of one schema is a value of another one.


@dataclass(frozen=True)
class Yes:
    """Every answer that fits the old schema is valid under the new one: this is proven."""

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True)
class No:
    """Some answer fits the old schema and does not fit, or is another value, for the new one.

    `witness` is such an answer as a model writes it, one of the shortest that were found; `value`
    is its value for the old schema. For the new one, the checker refuses it or reads another value
    from it: for text instead of an integer, `0` is the text "0".
    """

    witness: str
    value: Json

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True)
class Unknown:
    """It is not known whether every answer that fits the old schema is valid under the new one.

    `why` says what could not be decided. It counts as false.
    """

    why: str

    def __bool__(self) -> bool:
        return False


Inclusion: TypeAlias = "Yes | No | Unknown"

Verdict: TypeAlias = Literal["compatible", "widened", "narrowed", "both", "unknown"]
"""What a change does to the values that are valid: there are the same, more, fewer, or both some
more and some fewer; `unknown` if that could not be decided."""

Audience: TypeAlias = Literal["programs", "recordings", "callers"]
"""Who a change can break: programs that read answers or handle calls of tools (they break if there
are more values), recordings of old answers and calls (if there are fewer), and callers that pass
inputs (if there are fewer)."""

ALL: tuple[Audience, ...] = get_args(Audience)
"""Everybody: a prompt that can't be rendered breaks them all."""

Part: TypeAlias = Literal[
    "messages", "schema", "inputs", "tools", "config", "reasoning", "includes", "media"
]

Kind: TypeAlias = Literal["equal", "removed", "inserted"]


class Piece(NamedTuple):
    """A stretch of two texts: words that are equal in both, or that one of them has."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Change:
    """One difference between two versions of a prompt or a schema.

    `part` is what differs, `path` where in it: a JSONPath for a schema (`$.customer.age`), a turn
    (`user 2`), a key of the configuration, a name of a tool or a file. `message` says in words what
    changed. `old` and `new` are the two texts in the author's words, empty if one does not exist.
    `verdict` says what it does to the values that are valid at that path; None for texts, which
    have none. `lost` has an answer that was valid and no longer is, `gained` one that was not and
    now is. `breaks` lists who it breaks; for an undecided change, who it might break. `guess` is a
    presumption, such as a key that was renamed. `old_span` and `new_span` are the two places in
    the sources, where they are known. `words` is the difference of texts, whose equal and removed
    pieces are `old`, and whose equal and inserted ones are `new`. `witnesses` says what `lost` and
    `gained` are: whole answers, or values of the part at `path`, where no whole answer was found
    that shows the difference. `effect` is the end of `message` that puts verdict and witnesses into
    words, for those who show them otherwise.
    """

    part: Part
    path: str
    message: str
    old: str = ""
    new: str = ""
    verdict: Verdict | None = None
    lost: No | None = None
    gained: No | None = None
    breaks: tuple[Audience, ...] = ()
    guess: str = ""
    old_span: Span | None = None
    new_span: Span | None = None
    words: tuple[Piece, ...] = ()
    witnesses: Literal["answer", "part"] = "answer"
    effect: str = ""


@dataclass(frozen=True)
class Comparison:
    """What changed from one version to another, and whether the values of one are in the other.

    `forward` says whether all old values are valid under the new version, `backward` the reverse.
    """

    changes: tuple[Change, ...]
    forward: Inclusion
    backward: Inclusion

    @property
    def verdict(self) -> Verdict:
        """What the changes do together to the values that are valid."""
        return verdict_of(self.forward, self.backward)

    def _repr_html_(self) -> str:
        from pdl.compare.notebook import changes_html  # noqa: PLC0415 - only notebooks need it

        return changes_html(self.changes, self.verdict)


def verdict_of(forward: Inclusion, backward: Inclusion) -> Verdict:
    """The verdict of two inclusions: of the old values in the new ones, and the reverse."""
    if isinstance(forward, Unknown) or isinstance(backward, Unknown):
        return "unknown"
    if forward:
        return "compatible" if backward else "widened"
    return "narrowed" if backward else "both"


def audiences(changes: Iterable[Change]) -> tuple[Audience, ...]:
    """Return who the changes break, each once, in the order of all audiences."""
    broken = {audience for change in changes for audience in change.breaks}
    return tuple(audience for audience in get_args(Audience) if audience in broken)
