"""The types of schemas, each object with a name: what code of any language is written from.

A schema becomes a tree of `Type`, in which a type with a name is a reference. A keyword that is not
part of the tree is kept beside it, so that nothing of a schema is lost on the way to its writers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.schema.records import NO_DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl._types import Json
    from pdl.schema.model import Schema

Kind: TypeAlias = Literal[
    "any", "null", "bool", "int", "float", "str", "choice", "list", "tuple", "map", "union", "name"
]


class PromptTypes(NamedTuple):
    """What is known of a prompt: the schemas of its inputs and of its answer.

    `source` is its file, of which its types get their names. `unknown` says which type is
    unknown, and why.
    """

    source: str
    inputs: Schema | None = None
    answer: Schema | None = None
    unknown: str = ""


class Code(NamedTuple):
    """A module, and a line for each part of a schema that its types do not express."""

    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Type:
    """A type. `parts` are its items, values or branches, `values` the values of a choice.

    `keywords` are those of its schema that the rest does not say, such as `minimum`; `name` is that
    of the type that it refers to.
    """

    kind: Kind
    parts: tuple[Type, ...] = ()
    values: tuple[Json, ...] = ()
    name: str = ""
    keywords: Mapping[str, Json] = field(default_factory=dict)
    description: str = ""

    def inside(self) -> Iterator[Type]:
        """Yield the type and all types in it, in order."""
        pending = [self]
        while pending:
            one = pending.pop(0)
            yield one
            pending[:0] = one.parts

    @property
    def has_names(self) -> bool:
        """Whether it mentions types with names."""
        return any(one.name for one in self.inside())


class Field(NamedTuple):
    """A key of a record. `default` is NO_DEFAULT if there is none."""

    key: str
    type: Type
    required: bool
    default: Json = NO_DEFAULT


@dataclass
class Named:
    """A type with a name: a record if it has `fields`, else another name of `type`.

    `extra` is the type of a record's other keys, None if it is closed; `form` is the schema of
    an answer that is not written as its JSON; `notes` say what the type does not.
    """

    name: str
    type: Type = field(default_factory=lambda: Type("any"))
    fields: tuple[Field, ...] | None = None
    extra: Type | None = None
    form: Schema | None = None
    notes: list[str] = field(default_factory=list)

    def parts(self) -> Iterator[Type]:
        """Yield the types in it: of an alias, of fields, and of other keys."""
        yield self.type
        yield from (one.type for one in self.fields or ())
        if self.extra is not None:
            yield self.extra

    @property
    def is_open(self) -> bool:
        """Whether a record has keys that are not among its fields."""
        return self.extra is not None or "patternProperties" in self.type.keywords


class Section(NamedTuple):
    """The types that a prompt adds to the module, those that others use first.

    `notes` are of the prompt: what has no type, and what has another name than that of its file.
    """

    source: str
    types: tuple[Named, ...]
    notes: tuple[str, ...]

    def title(self, mark: str) -> str:
        """Return the comment above the types."""
        lines = [self.source, *(f"{note[0].upper()}{note[1:]}." for note in self.notes)]
        return "".join(f"{mark} {line}\n" for line in lines)

    def all_notes(self) -> Iterator[str]:
        """Yield a line for each note, which names the prompt or the type."""
        yield from (f"{self.source}: {note}" for note in self.notes)
        for one in self.types:
            yield from (f"{one.name}: {note}" for note in dict.fromkeys(one.notes))
