"""`Options`: how the texts of a compiled grammar may be written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from typing import Self

Whitespace: TypeAlias = Literal["compact", "spaced", "bounded", "any"]
Objects: TypeAlias = Literal["spec", "closed"]
KeyOrder: TypeAlias = Literal["declared", "any"]
Escapes: TypeAlias = Literal["canonical", "any"]
Numbers: TypeAlias = Literal["canonical", "plain", "any"]


@dataclass(frozen=True)
class Options:
    """How the texts of a compiled grammar may be written; what they say is the schema's business.

    `whitespace`: `compact` has none, `spaced` one blank behind each comma and colon, `bounded` at
    most one blank, or one line break and up to 20 blanks or tabs, where a value, a key or a closing
    bracket may follow, `any` what RFC 8259 allows. `objects`: `spec` takes other keys wherever the
    schema does not close an object, `closed` only where it opens one. `key_order`: `declared` takes
    keys in the order of the schema and other keys last, `any` takes each order. `escapes`:
    `canonical` spells each character of a string in one way, `any` in each (`\\u0041`, `\\/`).
    `numbers`: `canonical` has no exponents and no needless zeros, `plain` no exponents, `any` has
    them. `max_required`: for how many required keys of an object each order is tracked.
    `max_rules`: rules of the grammar; more raise LimitError.
    """

    whitespace: Whitespace = "bounded"
    objects: Objects = "spec"
    key_order: KeyOrder = "declared"
    escapes: Escapes = "canonical"
    numbers: Numbers = "plain"
    max_required: int = 8
    max_rules: int = 50_000

    def __post_init__(self) -> None:
        """Refuse what is no option. Raises ValueError, and TypeError for counts of other types."""
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                known = ", ".join(map(repr, choices))
                raise ValueError(f"{name} must be one of {known}, not {value!r}")
        for name in ("max_required", "max_rules"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{name} must be an int, not {type(value).__name__}")
            if value < 0:
                raise ValueError(f"{name} must be 0 or more, not {value}")

    @classmethod
    def generate(cls) -> Self:
        """What one sends to a model: it writes each value in few ways, with little whitespace."""
        return cls(numbers="canonical")

    @classmethod
    def accept(cls) -> Self:
        """What any valid JSON text may look like: all spellings, any whitespace, keys in any order."""
        return cls(whitespace="any", key_order="any", escapes="any", numbers="any")


_CHOICES = {
    "whitespace": get_args(Whitespace),
    "objects": get_args(Objects),
    "key_order": get_args(KeyOrder),
    "escapes": get_args(Escapes),
    "numbers": get_args(Numbers),
}
