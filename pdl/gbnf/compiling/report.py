"""`Report`: what a grammar holds of each keyword of its schema, and what it leaves over."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pdl.schema.prose import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
