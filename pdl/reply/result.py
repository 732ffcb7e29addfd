"""The result of a check, and the values that its stages pass on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias

from pdl._types import Json, JsonPath, T, format_path
from pdl.errors import PdlError, Problem

Span: TypeAlias = tuple[int, int]
"""Half-open range of offsets into the reply as it came."""

Reason: TypeAlias = Literal[
    "absent", "truncated", "unparsable", "wrong-schema", "ambiguous", "elided", "limit"
]
"""Why a reply has no value.

absent: nothing in it looks like an answer; truncated: the answer stops before its end; unparsable:
it is broken; wrong-schema: it parses and does not fit; ambiguous: several answers fit and nothing
marks one; elided: the model omitted data and said so; limit: a bound of `Limits` was reached.
"""


Kind: TypeAlias = Literal["text", "reasoning", "fence", "token"]
"""The kind of a part of a reply."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a reply.

    `span` is the whole part and `body` the text between its marks; `label` is the name of the tag
    or channel, the info string of the fence, or the token; `closed` is false if the closing mark is
    missing.
    """

    kind: Kind
    span: Span
    body: Span
    label: str = ""
    closed: bool = True


@dataclass(frozen=True)
class Violation:
    """One error of an answer; a rule of your own can yield some.

    `path` is that of the part, from the root of the answer: keys and indices (a lone key may be a
    str). `message` follows a subject ("Your output …"), without a final period. `keyword` is the
    JSON Schema keyword that failed, or the name of a rule of pdl (`ambiguous`), `rule` for your
    own; `found` (at most 40 characters) and `wanted` describe the actual and the expected text;
    `span` is that of the part in the reply, if it is known. Raises TypeError for a path or a
    message of another type.
    """

    path: JsonPath
    message: str
    keyword: str = "rule"
    found: str = ""
    wanted: str = ""
    span: Span | None = None

    if TYPE_CHECKING:  # what the generated constructor also accepts

        def __init__(  # noqa: PLR0913, PLR0917 - its fields
            self,
            path: JsonPath | list[str | int] | str | int,
            message: str,
            keyword: str = "rule",
            found: str = "",
            wanted: str = "",
            span: Span | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Make a tuple of a lone key, and of a list of steps."""
        given: Any = self.path
        path = (given,) if isinstance(given, str | int) else tuple(given)
        object.__setattr__(self, "path", path)
        for step in path:
            if not isinstance(step, str | int):
                raise TypeError(f"path must contain keys and indices, not {type(step).__name__}")
        message: Any = self.message
        if not isinstance(message, str):
            raise TypeError(f"message must be a str, not {type(message).__name__}")

    def __str__(self) -> str:
        return f"{format_path(self.path)}: {self.message}"

    def to_json(self) -> dict[str, Json]:
        """Return the fields as JSON: the path as JSONPath, the span as an array or null."""
        return {
            "path": format_path(self.path),
            "keyword": self.keyword,
            "found": self.found,
            "wanted": self.wanted,
            "message": self.message,
            "span": None if self.span is None else list(self.span),
        }


@dataclass(frozen=True)
class Repair:
    """One change of spelling that was needed to read the answer; data is never changed."""

    kind: str
    span: Span
    path: JsonPath
    before: str
    after: str


@dataclass(frozen=True)
class Rejected:
    """A part of the reply that looked like an answer and was not taken."""

    span: Span
    why: str


Op: TypeAlias = Literal["object", "array", "close", "key", "value", "repair"]
"""The kind of an event: a bracket that opens or closes, a key, a scalar, or a repair."""


class Event(NamedTuple):
    """One step of the tolerant parser: what, its value or its key, where, and the event before it.

    The payload of a repair is its kind and the spelling after it.
    """

    before: Event | None
    op: Op
    payload: Any
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """The value of a text, and the repairs that reading it took.

    `last` is the last event of the tolerant parser, whose events know where the parts are.
    """

    value: Json
    repairs: tuple[Repair, ...] = ()
    last: Event | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """Why a text has no value: the message follows "it …"; with the offset and the text there."""

    reason: Reason
    message: str
    at: int = 0
    found: str = ""


@dataclass(frozen=True)
class Reading:
    """The result of a reader of one form: a value and its span, or a reason and errors."""

    value: Json = None
    span: Span | None = None
    reason: Reason | None = None
    errors: tuple[Violation, ...] = ()
    repairs: tuple[Repair, ...] = ()
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True)
class Check(Generic[T]):
    """The result of a check: either `ok` and `value`, or `reason`, `errors`, and `feedback`.

    `value` is an instance of the schema's Python type, if it was made of one, else JSON; `data` is
    JSON in both cases. Both are None if the check is not `ok`. `feedback` is for the model,
    `summary` is one line for a person or a log; both are empty if the check is `ok`. `span` is that
    of the answer, or of the nearest candidate. `reply` is the text that was checked, which all
    spans are of. A check is true if it is `ok`.
    """

    value: T = None  # type: ignore[assignment]  # where there is none, `ok` is false
    reason: Reason | None = None
    errors: tuple[Violation, ...] = ()
    repairs: tuple[Repair, ...] = ()
    span: Span | None = None
    rejected: tuple[Rejected, ...] = ()
    segments: tuple[Segment, ...] = field(default=(), repr=False)
    feedback: str = ""
    summary: str = ""
    reply: str = field(default="", repr=False, compare=False)
    _json: Any = field(default=None, repr=False)
    """A tuple of the JSON of a value that is an instance."""
    is_whole: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether the reply is exactly the JSON of `data`, so that others can read it too."""

    @property
    def data(self) -> Json:
        """The JSON of `value`."""
        return self.value if self._json is None else self._json[0]

    @property
    def ok(self) -> bool:
        """Whether the reply contains exactly one answer, and it fits the schema."""
        return self.reason is None

    def __bool__(self) -> bool:
        """`ok`."""
        return self.reason is None

    def _repr_markdown_(self) -> str:
        from pdl.schema.json_values import fenced, json_document  # noqa: PLC0415 - for notebooks

        if self.ok:
            return fenced(json_document(self.data), "json")
        words = f"{self.summary}\n\nfeedback for the model:\n{self.feedback}"
        return f"**{self.reason}**\n\n{fenced(words)}"

    def _repr_html_(self) -> str:
        from pdl.reply.notebook import check_html  # noqa: PLC0415 - for notebooks

        return check_html(self)


class OutputError(PdlError):
    """A reply contains no answer that matches the schema.

    `check` has the errors, and `check.feedback` is for the model.
    """

    def __init__(self, check: Check) -> None:
        super().__init__(Problem("output", check.summary))
        self.check = check

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.check,)


def failed(  # noqa: PLR0913 - each is a field of the violation
    reason: Reason,
    message: str,
    *,
    span: Span | None = None,
    path: JsonPath = (),
    found: str = "",
    wanted: str = "",
) -> Reading:
    """A reading without a value for one reason, which is also its only violation."""
    violation = Violation(path, message, reason, found, wanted, span)
    return Reading(reason=reason, span=span, errors=(violation,))
