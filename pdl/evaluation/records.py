"""What an evaluation keeps of each call and each trial: the lines of its file, and what they mean.

A trial is one case, rendered by one prompt, and asked of one model, once; each of its attempts is
one call. Prompt and model together are a column, and cases are what columns share.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath
    from pdl.reply.result import Span
    from pdl.testing.outcome import Kind

Status: TypeAlias = Literal["valid", "invalid", "refusal", "fault", "stopped"]
"""How a trial ended: with a value that matches the schema; without one after all retries; because
the model refused; by a transport error; or because a budget was spent."""


class Column(NamedTuple):
    """What is compared: a prompt and a model, by their names."""

    prompt: str
    model: str

    def __str__(self) -> str:
        return f"{self.prompt} · {self.model}"


class Cell(NamedTuple):
    """The identity of a trial; `repeat` counts from 1."""

    prompt: str
    model: str
    case: str
    repeat: int

    @property
    def column(self) -> Column:
        """Its prompt and model."""
        return Column(self.prompt, self.model)


class ErrorRecord(NamedTuple):
    """One error of a reply: where in the value, where in the reply, and what."""

    path: JsonPath
    span: Span | None
    message: str


class RepairRecord(NamedTuple):
    """One repair of spelling: what kind, where in the reply, and both spellings."""

    kind: str
    span: Span
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One call: its reply and the verdict on it, or the kind of its fault.

    `reason` is why the check refused the reply (a `pdl.reply.result.Reason`), or empty. `span` is
    that of the answer in `text`. Tokens are None where the provider did not count them;
    `cached_tokens` are those of the input that the provider had in its own cache.
    """

    number: int
    text: str | None = None
    reason: str = ""
    fault: str = ""
    span: Span | None = None
    errors: tuple[ErrorRecord, ...] = ()
    repairs: tuple[RepairRecord, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float = 0.0
    cost: float | None = None
    is_cached: bool = False
    cached_tokens: int | None = None


class FailureRecord(NamedTuple):
    """One thing that is not as a case expects: its kind, place (`path:line:col`), and words."""

    kind: Kind
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial that ended.

    `value` is the JSON of the answer, None without one. `exact` says whether it equals the expected
    value, `expected` whether it matches the expected schema (an exact value is one, too); both are
    None if the case expects none. `judged` has what each judge answered, `accepted` whether that is
    what the case wants: None for a judge that gave no answer, and `unjudged` has the reasons.
    `seconds` is the time of all attempts, pauses included.
    """

    cell: Cell
    status: Status
    attempts: tuple[AttemptRecord, ...] = field(repr=False)
    value: Json = None
    exact: bool | None = None
    expected: bool | None = None
    judged: tuple[Json, ...] = ()
    accepted: tuple[bool | None, ...] = ()
    failures: tuple[FailureRecord, ...] = ()
    seconds: float = 0.0
    cost: float | None = None
    unjudged: tuple[str, ...] = ()

    @property
    def ok(self) -> bool | None:
        """Whether all is as the case says, which may be that the model refuses.

        None if that depends on a judge that gave no answer.
        """
        is_ok = self.status in {"valid", "refusal"} and not self.failures
        return None if is_ok and self.unjudged else is_ok

    @property
    def is_cached(self) -> bool:
        """Whether a reply is from the cache, so that it was not asked for."""
        return any(one.is_cached for one in self.attempts)


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """A case as the run saw it: its place, its data, and what it expects.

    `expect` is the text of the expectation, `exact` the value itself in a tuple if one is given.
    `judges` are the prompts of its judges, in the order of `Trial.judged`.
    """

    name: str
    place: str
    data: Json = None
    expect: str = ""
    exact: tuple[Json] | None = None
    judges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A whole run: what was asked, and every trial that ended.

    `fingerprints` are those of the prompts by name. `schemas` are the JSON Schemas of the prompts'
    answers by name; None where it depends on the data. `planned` is how many trials the run has, so
    that an unfinished run is known as such. `repeats` is 0 for two runs that differ in it.
    `invalid` has the names or places of cases that were not asked since they are invalid.
    `options` are those that change what models answer, `timeouts` those of trials, in seconds.
    """

    name: str
    columns: tuple[Column, ...]
    cases: tuple[CaseRecord, ...]
    trials: tuple[Trial, ...] = field(repr=False)
    planned: int = 0
    repeats: int = 1
    started: str = ""
    fingerprints: dict[str, str] = field(default_factory=dict)
    schemas: dict[str, Json] = field(default_factory=dict)
    invalid: tuple[str, ...] = ()
    options: dict[str, Json] = field(default_factory=dict)
    timeouts: tuple[float, ...] = ()
