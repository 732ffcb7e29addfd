"""A reply and what was asked for: all that the readers of the several forms look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pdl.reply.coercions import NO_COERCIONS, Coercions
from pdl.reply.dialects import DIALECTS, Dialects, Patterns
from pdl.reply.verdict import Verdict, verdict_of

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.references import Document
    from pdl.reply.segment import Cut


@dataclass(frozen=True)
class Asked:
    """The text of a reply, its parts, and the JSON Schema that the answer must fit.

    `lang` is the language that a code block must have, `tasks` bound the items of a task list.
    `quoted` says that a text may stand there as a JSON string.
    """

    text: str
    cut: Cut
    document: Document
    limits: Limits
    coercions: Coercions = NO_COERCIONS
    lang: str | None = None
    tasks: tuple[int | None, int | None] = (None, None)
    dialects: Dialects = DIALECTS
    quoted: bool = False

    @property
    def patterns(self) -> Patterns:
        """The marks of the dialects as patterns."""
        return self.dialects.patterns

    @cached_property
    def verdict(self) -> Verdict:
        """The compiled schema."""
        return verdict_of(self.document)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The types that the schema allows at its root."""
        return self.verdict.kinds
