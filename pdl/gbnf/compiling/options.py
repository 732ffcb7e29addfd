"""`Options`: how a compiled grammar spells values; `Report`: how it covers each schema keyword."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from pdl._types import options_repr
from pdl.errors import advised, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self


Level: TypeAlias = Literal["EXACT", "BOUNDED", "POST_HOC"]

Note: TypeAlias = "Callable[[str, Level, str], None]"
"""Takes a keyword, how well it is enforced, and why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One keyword at one JSON pointer of the schema's document.

    EXACT: the grammar accepts what the keyword accepts, in the spellings that the options name.
    BOUNDED: it accepts less, as `why` says. POST_HOC: it accepts more; values are to be checked.
    """

    pointer: str
    keyword: str
    level: Level = "EXACT"
    why: str = ""

    def __str__(self) -> str:
        why = f": {self.why}" if self.why else ""
        return f"{visible(self.pointer)} {self.keyword}: {self.level}{visible(why)}"


@dataclass(frozen=True)
class Report:
    """How each keyword is covered, in the order of the document."""

    entries: tuple[Entry, ...] = ()

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __str__(self) -> str:
        return "\n".join(map(str, self.entries))

    @property
    def post_hoc(self) -> tuple[Entry, ...]:
        """What the grammar doesn't enforce: it is checked after generation."""
        return tuple(entry for entry in self.entries if entry.level == "POST_HOC")

    @property
    def bounded(self) -> tuple[Entry, ...]:
        """Where the grammar accepts less than the schema does."""
        return tuple(entry for entry in self.entries if entry.level == "BOUNDED")

    @property
    def is_exact(self) -> bool:
        r"""Whether everything that the grammar matches satisfies the schema: nothing is POST_HOC.

        BOUNDED keywords do not matter: they exclude values. Duplicate keys in an object, and
        strings that the checker refuses (`"\ud800"`), are not considered.
        """
        return not self.post_hoc

    def to_json(self) -> list[dict[str, Any]]:
        """The entries as JSON: `pointer`, `keyword`, `level`, `why`."""
        return [asdict(entry) for entry in self.entries]


Whitespace: TypeAlias = Literal["compact", "spaced", "bounded", "any"]
Objects: TypeAlias = Literal["spec", "closed"]
KeyOrder: TypeAlias = Literal["declared", "any"]
Escapes: TypeAlias = Literal["canonical", "usual", "any"]
Numbers: TypeAlias = Literal["canonical", "plain", "usual", "any"]


_MOST_REQUIRED = 12


@advised
@dataclass(frozen=True)
class Options:
    r"""How a compiled grammar spells the values of its schema.

    `whitespace`, before values, keys and closing brackets: `compact` has none, `spaced` one space
    after each comma and colon, `bounded` none, or a space or newline with up to 40 more, or tabs,
    after it; `any` everything that RFC 8259 allows, wherever it does.
    `objects`: `spec` accepts other keys wherever the schema does not close an object, `closed` only
    where the schema describes their values.
    `key_order`: `declared` accepts keys in the order of the schema and other keys last, `any` in
    each order.
    `escapes`: `canonical` spells each character of a string in one way, `any` in all (`\u0041`);
    `usual` as programs do: `\/`, and `\u00e9` for what is not ASCII, and in strings that may have
    any characters all escapes.
    `numbers`: `canonical` has no exponents, and integers no point; `plain` has `1.0` and `-0` as
    well, `any` also exponents; `usual` is `any` for numbers and `plain` for integers, multiples and
    enums.
    `max_required`: how many required keys of an object may come in any order, at most 12: each one
    more doubles the rules.
    `max_states`: states of the automaton of a pattern, alone or with other constraints on the same
    string; what needs more is checked after generation. `max_rules`: rules of the grammar; more
    raise LimitError.
    """

    whitespace: Whitespace = "bounded"
    objects: Objects = "spec"
    key_order: KeyOrder = "declared"
    escapes: Escapes = "usual"
    numbers: Numbers = "usual"
    max_required: int = 8
    max_states: int = 5_000
    max_rules: int = 50_000

    __repr__ = options_repr

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown option, and TypeError for counts of other types."""
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                known = ", ".join(map(repr, choices))
                raise ValueError(f"{name} must be one of {known}, not {value!r}")
        for name in ("max_required", "max_states", "max_rules"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{name} must be an int, not {type(value).__name__}")
            if value < 0:
                raise ValueError(f"{name} must be 0 or more, not {value}")
        if self.max_required > _MOST_REQUIRED:
            raise ValueError(f"max_required must be {_MOST_REQUIRED} or less")

    @classmethod
    def generate(cls) -> Self:
        """Return options to send to a model: few spellings of each value, little whitespace."""
        return cls(escapes="canonical", numbers="canonical")

    @classmethod
    def accept(cls) -> Self:
        """Return options for any valid JSON: in all spellings, with keys in any order."""
        return cls(whitespace="any", key_order="any", escapes="any", numbers="any")


_CHOICES = {
    "whitespace": get_args(Whitespace),
    "objects": get_args(Objects),
    "key_order": get_args(KeyOrder),
    "escapes": get_args(Escapes),
    "numbers": get_args(Numbers),
}
