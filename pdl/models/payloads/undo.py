"""`Undo`: from the text of a provider's form of a schema back to the schema's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.models.payloads.undoing import Undoing

if TYPE_CHECKING:
    from pdl.models.payloads.place import Place


@dataclass(frozen=True, slots=True)
class Undo:
    """Takes back what a form of a schema wants otherwise than the schema.

    `places` say where nulls stand for absent keys; the first is that of the whole answer. `key` is
    that of an object around the answer; empty if there is none. A text that is not of the form is
    left as it is, from where it is not.
    """

    places: tuple[Place, ...] = ()
    key: str = ""

    @property
    def nulls(self) -> frozenset[str]:
        """The names of the keys whose null says that they are absent."""
        return frozenset(
            key for place in self.places for key, (is_null, _) in place.members.items() if is_null
        )

    def text(self, text: str) -> str:
        """The text of a whole reply, as the schema has it."""
        undoing = self.stream()
        return undoing.feed(text) + undoing.close()

    def stream(self) -> Undoing:
        """The same for a text that comes in pieces."""
        return Undoing(self.places, self.key)
