"""Names of the notation for what a document's references name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.schema.keywords import IN_PLACE, MANY, NAMED, ONE
from pdl.schema.references import steps

if TYPE_CHECKING:
    from pdl._types import JsonSchema

_KEYWORDS = IN_PLACE | MANY | NAMED | ONE


class Names:
    """Gives every reference one name, the same for the same reference.

    The names in `$defs` that the notation can write stay what they are.
    """

    def __init__(self, document: JsonSchema) -> None:
        self._by_reference: dict[str, str] = {}
        self._taken = {name for name in document.get("$defs", ()) if is_name(name)}
        self._next: dict[str, int] = {}

    def __contains__(self, reference: str) -> bool:
        return reference in self._by_reference

    def get(self, reference: str) -> str | None:
        """The name of a reference that has been named."""
        return self._by_reference.get(reference)

    def name(self, reference: str) -> str:
        """The name that stands for a reference."""
        known = self._by_reference.get(reference)
        if known is None:
            known = self._by_reference[reference] = self._choose(reference)
        return known

    def _choose(self, reference: str) -> str:
        path = steps(reference)
        if path[:1] == ("$defs",) and path[1:] and not path[2:] and is_name(str(path[1])):
            return str(path[1])
        words = [step for step in map(str, path) if step not in _KEYWORDS and not step.isdigit()]
        wanted = capitalised(words[-1] if words else "Answer")
        name = wanted
        while name in self._taken:
            number = self._next[wanted] = self._next.get(wanted, 1) + 1
            name = f"{wanted}{number}"
        self._taken.add(name)
        return name


def is_name(word: str) -> bool:
    """Whether the notation takes the word as a name."""
    return word[:1].isupper() and all(c.isalnum() or c in "_-" for c in word)


def capitalised(word: str) -> str:
    """A name made of the letters and digits of a word: `my node` becomes `MyNode`."""
    parts = "".join(c if c.isalnum() else " " for c in word).split()
    name = "".join(part[:1].upper() + part[1:] for part in parts)
    return name if is_name(name) else f"T{name}"
