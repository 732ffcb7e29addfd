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
class Ruling:
    """What a judge said: its answer, whether that is what the case wants, and if not, why."""

    value: Json = None
    is_accepted: bool = True
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """What is to be said of an answer, or of an error: `failures` is empty if all is as expected.

    `exact` says whether the value equals the expected one, `expected` whether it matches the
    expected schema (an equal value does, too); both are None if the case expects none. A value that
    is not there is neither.
    """

    failures: tuple[Failure, ...] = ()
    exact: bool | None = None
    expected: bool | None = None


@dataclass(frozen=True)
class Outcome:
    """The outcome of one case: it passed unless there are `failures` or it was `skipped`.

    `skipped` says why it was not run (a case without a reply on record, and no model), `notes` what
    else was not examined: a judge without a model. `answer` or `error` is what asking brought; both
    are None if nothing was asked. `exact` and `expected` are those of its `Judgement`, `rulings`
    what its judges said. `seconds`: how long it took.
    """

    case: Case
    failures: tuple[Failure, ...] = ()
    skipped: str = ""
    rendered: Rendered | None = field(default=None, repr=False)
    answer: Answer | None = field(default=None, repr=False)
    error: AskError | None = field(default=None, repr=False)
    exact: bool | None = None
    expected: bool | None = None
    rulings: tuple[Ruling, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def status(self) -> Literal["passed", "failed", "skipped"]:
        """The outcome in one word."""
        if self.failures:
            return "failed"
        return "skipped" if self.skipped else "passed"
