"""Names of rules: what they would like to be called, as GBNF allows it, each once."""

from __future__ import annotations

import re

GENERIC = (
    "root", "value", "object", "array", "string", "number", "integer", "boolean", "null", "ws",
    "char", "escape", "hex",
)  # fmt: skip
"""Names that mean the same in each grammar."""

_OTHER = re.compile(r"[^A-Za-z0-9]+")
_MOST = 60


def valid(wish: str) -> str:
    """A name that is like a wish: letters, digits and hyphens, not too many; first a letter.

    A digit may begin a name in llama.cpp, but not in xgrammar.
    """
    name = _OTHER.sub("-", wish).strip("-")
    if not name[:1].isalpha():
        name = f"rule-{name}"
    return name[:_MOST].rstrip("-")


def short(wish: str) -> str:
    """The last word of a wish: what the parts of a rule are called like."""
    return valid(wish).rpartition("-")[2]


class Names:
    """Gives names: a number is added to those that are taken."""

    def __init__(self) -> None:
        self._taken = set(GENERIC)
        self._next: dict[str, int] = {}

    def give(self, wish: str) -> str:
        """A name that nothing else has."""
        name = base = valid(wish)
        while name in self._taken:
            number = self._next.get(base, 2)
            self._next[base] = number + 1
            name = f"{base}-{number}"
        self._taken.add(name)
        return name
