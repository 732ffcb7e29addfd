"""`Options`: how the texts of a compiled grammar may be written; `Report`: what it holds.

The report tells what a grammar holds of each keyword of its schema, and what it leaves over.
"""

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
"""Takes a keyword, how well it is held, and why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One keyword at one JSON pointer of the schema's document.

    EXACT: the grammar takes what the keyword takes, in the spellings that the options name.
    BOUNDED: it takes less, as `why` says. POST_HOC: it takes more, and the checker holds the rest.
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
    """What became of each keyword, in the order of the document."""

    entries: tuple[Entry, ...] = ()

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __str__(self) -> str:
        return "\n".join(map(str, self.entries))

    @property
    def post_hoc(self) -> tuple[Entry, ...]:
        """What the grammar leaves to the checker."""
        return tuple(entry for entry in self.entries if entry.level == "POST_HOC")

    @property
    def bounded(self) -> tuple[Entry, ...]:
        """What the grammar takes less of than the schema does."""
        return tuple(entry for entry in self.entries if entry.level == "BOUNDED")

    @property
    def is_exact(self) -> bool:
        r"""Whether each text of the grammar satisfies the schema: nothing is POST_HOC.

        BOUNDED keywords do not matter: they take values away. Names that come twice in an object,
        and texts that the checker takes for no value (`"\ud800"`), are not counted.
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
    r"""How the texts of a compiled grammar may be written; what they say is the schema's business.

    `whitespace`, in front of values, keys and closing brackets: `compact` has none, `spaced` one
    blank behind each comma and colon, `bounded` none, or a blank or a line break with up to 40
    more, or tabs, behind it; `any` all that RFC 8259 allows, wherever it does.
    `objects`: `spec` takes other keys wherever the schema does not close an object, `closed` only
    where the schema says what they hold.
    `key_order`: `declared` takes keys in the order of the schema and other keys last, `any` takes
    each order.
    `escapes`: `canonical` spells each character of a string in one way, `any` in all (`\u0041`);
    `usual` as programs do: `\/`, and `\u00e9` for what is not ASCII, and in strings that may have
    any characters all escapes.
    `numbers`: `canonical` has no exponents, and whole numbers no point; `plain` has `1.0` and `-0`
    as well, `any` also exponents; `usual` is `any` for numbers and `plain` for whole ones,
    multiples and enums.
    `max_required`: of how many required keys of an object each order is tracked, 12 at most: each
    one more takes twice the rules.
    `max_states`: states of the automaton that a pattern makes, alone or with what else is said of
    the same string; what takes more is left to the checker. `max_rules`: rules of the grammar; more
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
        """Refuse what is no option. Raises ValueError, and TypeError for counts of other types."""
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
        """What one sends to a model: it writes each value in few ways, with little whitespace."""
        return cls(escapes="canonical", numbers="canonical")

    @classmethod
    def accept(cls) -> Self:
        """What any valid JSON text may look like: in all spellings, with keys in any order."""
        return cls(whitespace="any", key_order="any", escapes="any", numbers="any")


_CHOICES = {
    "whitespace": get_args(Whitespace),
    "objects": get_args(Objects),
    "key_order": get_args(KeyOrder),
    "escapes": get_args(Escapes),
    "numbers": get_args(Numbers),
}
