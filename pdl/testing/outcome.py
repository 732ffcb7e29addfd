"""What came of a case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.errors import Problem
    from pdl.models.answer import Answer, AskError
    from pdl.prompt import Rendered
    from pdl.testing.cases import Case

Kind: TypeAlias = Literal["case", "render", "reply", "expect", "assert", "messages", "judge"]
"""What failed: the case itself is invalid; or the prompt doesn't render its data; or the reply has
no answer, or was to be refused and is not; or an expectation, assertion, golden rendering, or judge
says no."""


@dataclass(frozen=True)
class Failure:
    """One thing that is not as the case says: `problem` has its place, and what was found."""

    kind: Kind
    problem: Problem


@dataclass(frozen=True)
class Outcome:
    """The outcome of one case: it passed unless there are `failures` or it was `skipped`.

    `skipped` says why it was not run (a case without a reply on record, and no model). `answer` or
    `error` is what asking brought; both are None if nothing was asked. `seconds`: how long it took.
    """

    case: Case
    failures: tuple[Failure, ...] = ()
    skipped: str = ""
    rendered: Rendered | None = field(default=None, repr=False)
    answer: Answer | None = field(default=None, repr=False)
    error: AskError | None = field(default=None, repr=False)
    judged: tuple[Json, ...] = ()
    seconds: float = 0.0

    @property
    def status(self) -> Literal["passed", "failed", "skipped"]:
        """The outcome in one word."""
        if self.failures:
            return "failed"
        return "skipped" if self.skipped else "passed"
