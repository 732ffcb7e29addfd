"""The key by which the objects of a union are told apart, as `kind` or `type` often is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.reply.validation.equality import key
from pdl.reply.validation.references import Document, conjoined
from pdl.reply.validation.schema_walk import root_kinds

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from pdl._types import Json


@dataclass(frozen=True, slots=True)
class Discriminator:
    """A key that every branch requires, and the number of the branch that has each value of it."""

    name: str
    values: tuple[Json, ...]
    branches: Mapping[Hashable, int]

    def branch(self, value: Mapping[str, Json]) -> int | None:
        """The number of the branch that an object means, if it is any."""
        return self.branches.get(key(value[self.name])) if self.name in value else None


def discriminator(document: Document, branches: Sequence[Json]) -> Discriminator | None:
    """The first such key of the branches that are objects, if there are two or more of them."""
    choices = {
        number: _choices(document, branch)
        for number, branch in enumerate(branches)
        if "object" in root_kinds(document, branch)
    }
    if len(choices) < 2:  # noqa: PLR2004 - one branch has no others to be told from
        return None
    for name in next(iter(choices.values())):
        if all(name in each for each in choices.values()):
            found = _told_apart(name, {number: each[name] for number, each in choices.items()})
            if found:
                return found
    return None


def _told_apart(name: str, choices: Mapping[int, list[Json]]) -> Discriminator | None:
    """The key, if no two branches share a value for it."""
    branches: dict[Hashable, int] = {}
    for number, values in choices.items():
        for value in values:
            if branches.setdefault(key(value), number) != number:
                return None
    every = tuple(value for values in choices.values() for value in values)
    return Discriminator(name, every, branches)


def _choices(document: Document, branch: Json) -> dict[str, list[Json]]:
    """The required keys of a branch that have an enum or a constant, with its values."""
    whole = list(conjoined(document, branch))
    required = {name for schema in whole for name in schema.get("required", ())}
    found: dict[str, list[Json]] = {}
    for schema in whole:
        for name, sub in schema.get("properties", {}).items():
            values = _literals(document, sub) if name in required else None
            if values is not None:
                found.setdefault(name, values)
    return found


def _literals(document: Document, schema: Json) -> list[Json] | None:
    for part in conjoined(document, schema):
        if "const" in part:
            return [part["const"]]
        if "enum" in part:
            return list(part["enum"])
    return None
