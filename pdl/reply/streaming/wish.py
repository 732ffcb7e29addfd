"""What the schema says about how an answer begins, known before one comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.reply.envelope import ARGUMENTS, LISTS, NAMES, OTHERS, WRAPPERS  # what marks a call
from pdl.reply.references import Document, branches
from pdl.reply.shape import ALL_KINDS, root_kinds

if TYPE_CHECKING:
    from typing import Self

_CALLS = frozenset().union(ARGUMENTS, LISTS, NAMES, OTHERS, WRAPPERS)


@dataclass(frozen=True)
class Wish:
    """The kinds of the root, the keys that an object there may have, the kinds of items."""

    kinds: frozenset[str]
    names: frozenset[str]
    items: frozenset[str]

    @classmethod
    def of(cls, document: Document) -> Self:
        """What a document says."""
        found = list(branches(document, document))
        names = [name for branch in found for name in branch.get("properties", ())]
        items = [branch["items"] for branch in found if "items" in branch]
        items += [sub for branch in found for sub in branch.get("prefixItems", ())]
        kinds = frozenset[str]().union(*(root_kinds(document, item) for item in items))
        return cls(root_kinds(document, document), frozenset(names), kinds or ALL_KINDS)

    def knows(self, name: str) -> bool:
        """Whether an object with such a key looks like an answer."""
        return not self.names or name in self.names

    @staticmethod
    def is_of_call(name: str) -> bool:
        """Whether a tool call, which may be around the answer, has such a key."""
        return name in _CALLS
