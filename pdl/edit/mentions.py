"""What tags say about names: the values that `pdl.edit.statements` reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

Access: TypeAlias = Literal["read", "write", "parameter"]
Kind: TypeAlias = Literal["variable", "loop", "macro", "parameter", "import"]

KEYWORDS = frozenset(
    "and else if in is not or true false none True False None".split()  # noqa: SIM905 - as a list
)
"""Words that are no names in an expression."""
IMPLICIT = frozenset({"self", "super", "caller", "varargs", "kwargs", "loop"})
"""Names that Jinja defines."""
REFERRING = ("include", "import", "from", "extends")
"""The tags that name files."""
NAMESPACE = "namespace"
SELF = -2
"""Instead of a mention: the `self` of blocks."""


class Mention(NamedTuple):
    """A name of a variable in a tag: what it does, and the frame in which it does so."""

    start: int
    end: int
    text: str
    access: Access
    kind: Kind
    frame: int


class Attribute(NamedTuple):
    """A name after `.` or `::`.

    `base` is the index of the mention that the chain begins with, -1 for another expression, SELF
    for `self`; `after` the index of the attribute before it, or -1.
    """

    start: int
    end: int
    text: str
    base: int
    after: int
    access: Access = "read"


class Keyword(NamedTuple):
    """The name of an argument in a call: of a mention, or of an attribute, or of neither (-1)."""

    start: int
    end: int
    text: str
    mention: int
    attribute: int


class BlockName(NamedTuple):
    """The name of a block, in its tag or in its `endblock`, and the frames inside and around it."""

    start: int
    end: int
    text: str
    frame: int
    around: int
    is_end: bool
    is_scoped: bool = False


class FileName(NamedTuple):
    """The name of a file in a string; the range is inside of the quotes."""

    start: int
    end: int
    text: str


class Imported(NamedTuple):
    """A name of another file, and the index of the mention that defines it here.

    `is_renamed` says that the two are different words: `a as b`.
    """

    start: int
    end: int
    text: str
    mention: int
    is_renamed: bool


class Reference(NamedTuple):
    """A tag that names files. `is_computed` says that it may name others than `names`.

    `target` is the mention that names the import, or -1.
    """

    kind: Literal["include", "import", "from", "extends"]
    names: tuple[FileName, ...]
    frame: int
    has_context: bool
    is_computed: bool
    start: int
    target: int = -1
    imported: tuple[Imported, ...] = ()


@dataclass
class Branches:
    """The bodies of an `if`; its `elif`s are a list of further ones with their conditions."""

    body: list[Event] = field(default_factory=list)
    elifs: list[Event] = field(default_factory=list)
    otherwise: list[Event] = field(default_factory=list)


Event: TypeAlias = "int | Branches"
"""The index of a mention, or an `if`."""


@dataclass
class Frame:
    """A scope; `parent` is the one around it, `owner` the mention of the macro that it belongs to.

    A block does not see the names around it (`sees_parent`) unless it is `scoped`.
    """

    kind: str
    start: int
    end: int
    parent: int
    sees_parent: bool = True
    owner: int = -1
    events: list[Event] = field(default_factory=list)
