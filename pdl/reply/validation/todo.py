"""What is still to be looked at while the violations of a value are collected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from pdl._types import JsonPath
from pdl.reply.result import Violation

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.validation.compiled import Memo
    from pdl.reply.validation.discriminator import Discriminator
    from pdl.reply.validation.verdict import Verdict


MOST = 1_000
"""Violations of one value that are collected; what may be wrong behind them is not looked at."""


def is_full(violations: Sequence[Violation]) -> bool:
    """Whether so many were collected that there may be more."""
    return len(violations) >= MOST


@dataclass(frozen=True, slots=True)
class Task:
    """A part of the value that is to be held against a subschema."""

    schema: Json
    value: Json
    path: JsonPath


@dataclass(frozen=True, slots=True)
class Union:
    """Branches none of which the value fits; the one that it is nearest to has its violations."""

    keyword: str
    branches: tuple[Task, ...]


Found: TypeAlias = Iterator[Violation | Task | Union]
Mark: TypeAlias = tuple[int, JsonPath]
"""A subschema, by its identity, and the place of the part that it is held against."""


class Run(Protocol):
    """One value that is being looked at."""

    verdict: Verdict
    memo: Memo

    def fits(self, schema: Json, value: Json) -> bool:
        """Whether a part fits a subschema."""

    def faults(self, task: Task) -> list[Violation]:
        """All violations of a task."""

    def near(self, word: str, known: Sequence[Json]) -> str:
        """The known text that is most like a word, or an empty string."""

    def discriminator(self, schemas: list[Json]) -> Discriminator | None:
        """The key by which the branches of a union are told apart."""
