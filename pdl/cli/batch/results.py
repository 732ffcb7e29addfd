"""The results of a batch: their JSON lines, written and read back, and counts of their verdicts.

`Earlier` says what such lines of an earlier run have answered. `Tally` counts how many replies were
good, and what was wrong with the others.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from array import array
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pdl.cli.reports.json_text import json_line
from pdl.cli.reports.verdict import violation_fields
from pdl.cli.texts import unreadable
from pdl.errors import FileError, Problem
from pdl.source import Source

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.cli.batch.lines import Record
    from pdl.cli.origin import Schemas
    from pdl.reply import Check, Coercions


GOOD = "ok"
UNCHECKED = "unchecked"
"""The verdict on a reply at which the checker itself failed."""

_TELLING = 30.0  # seconds from which on a rate tells something; so that short runs print the same
_ORDER = (
    "wrong-schema",
    "absent",
    "truncated",
    "unparsable",
    "ambiguous",
    "elided",
    "limit",
    UNCHECKED,
)


@dataclass
class Tally:
    """Counts that grow while a batch runs.

    `verdicts` are those of all replies, of which `earlier` were checked in an earlier run;
    `faulty` counts the lines that hold no reply.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    earlier: int = 0
    faulty: int = 0

    @property
    def replies(self) -> int:
        """All replies that have a result."""
        return self.verdicts.total()

    @property
    def bad(self) -> int:
        """Those of them that hold no answer."""
        return self.replies - self.verdicts[GOOD]

    @property
    def unchecked(self) -> int:
        """Those of them at which the checker itself failed."""
        return self.verdicts[UNCHECKED]

    def short(self) -> str:
        """The counts for a bar."""
        faulty = f", {self.faulty:,} no reply" if self.faulty else ""
        return f"{self.verdicts[GOOD]:,} good, {self.bad:,} bad{faulty}"

    def long(self, name: str, seconds: float) -> str:
        """The counts at the end: of which file, what was wrong, how fast it went."""
        parts = [f"{name}: {_count(self.replies, 'reply', 'replies')}"]
        if self.replies:
            parts[0] += f", {self.verdicts[GOOD]:,} good, {self.bad:,} bad{self._reasons()}"
        if self.faulty:
            parts.append(f"{_count(self.faulty, 'line', 'lines')} without a reply")
        if self.earlier:
            parts.append(f"{self.earlier:,} checked in an earlier run")
        checked = self.replies - self.earlier
        if seconds > _TELLING and checked:
            parts.append(f"{checked / seconds:,.0f} replies per second")
        return "; ".join(parts)

    def _reasons(self) -> str:
        known = [*_ORDER, *sorted(self.verdicts.keys() - {*_ORDER, GOOD})]
        told = [f"{self.verdicts[name]:,} {name}" for name in known if self.verdicts[name]]
        return f" ({', '.join(told)})" if told else ""


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


_DIGITS = 16  # of a digest: 64 bits, which an array holds as one number
_FIRST = b'{"line": '
_MOST_LINES = 100_000_000  # eight bytes are kept for each
ANEW = "name another --out, or delete this one to begin anew"
"""Advice for results that do not belong to what is asked."""

_OTHER = "this is no line of results that --batch wrote"
_ELSEWHERE = "name another --out"


class Result(NamedTuple):
    """A line of results that was read back: what it answers, and whether that was a good reply."""

    line: int
    reply: str
    schema: str
    verdict: str


def result_text(line: int, record: Record, check: Check, schema: str) -> str:
    """The result of one reply: a JSON object on one line."""
    found = {
        "ok": check.ok,
        "value": check.value,
        "reason": check.reason,
        "summary": check.summary,
        "errors": [violation_fields(error) for error in check.errors],
        "feedback": check.feedback,
        "repairs": [repair.kind for repair in check.repairs],
    }
    return _text(line, record, found, schema)


def unchecked_text(line: int, record: Record, error: Exception, schema: str) -> str:
    """The result of a reply at which the checker itself failed."""
    summary = f"pdl failed to check this reply: {type(error).__name__}: {error}"
    found = {"ok": False, "value": None, "reason": UNCHECKED, "summary": summary}
    return _text(line, record, {**found, "errors": [], "feedback": "", "repairs": []}, schema)


def _text(line: int, record: Record, found: dict[str, Json], schema: str) -> str:
    digests = {"reply_digest": reply_digest(record), "schema_digest": schema}
    return json_line({"line": line, "id": record.id, **found, **digests})


def reply_digest(record: Record) -> str:
    """What tells whether a reply, and the data that came with it, are the same as before."""
    data = record.reply.encode("utf-8", "surrogatepass")
    if record.context is not None:
        data += b"\0" + json.dumps(record.context, sort_keys=True).encode()
    return _digest(data)


def schema_digest(schemas: Schemas, coercions: Coercions) -> str:
    """What tells whether replies are checked in the same way as before."""
    schema = schemas.alone
    asked: Json = None
    if schema is not None:
        asked = [schema.to_json_schema(), schema.form, schema.lang, schema.tasks]
    way = [asked, dataclasses.asdict(coercions), *schemas.texts()]
    return _digest(json.dumps(way, sort_keys=True, default=str).encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


class Earlier:
    """What a file of results answers already, at eight bytes a line.

    `tally` counts its verdicts; `size` is where its last whole line ends.
    """

    def __init__(self) -> None:
        self._digests = array("Q")
        self.tally: Counter[str] = Counter()
        self.size = 0

    def digest(self, line: int) -> str:
        """The digest of the reply that was on a line of the input; empty if it has no answer."""
        known = self._digests[line] if line < len(self._digests) else 0
        return f"{known:0{_DIGITS}x}" if known else ""

    def add(self, result: Result) -> bool:
        """Take note of a result; false if its line has one already."""
        missing = result.line + 1 - len(self._digests)
        if missing > 0:
            self._digests.frombytes(bytes(missing * self._digests.itemsize))
        if self._digests[result.line]:
            return False
        # No reply is known whose digest is 0, and one that was would only be checked again.
        self._digests[result.line] = int(result.reply, 16)
        self.tally[result.verdict] += 1
        return True


def read_earlier(file: str, schema: str) -> Earlier:
    """What the results in a file answer; nothing if it is new, or a pipe.

    Raises FileError for a file that holds other lines, or results for another schema. A last line
    that was not written to its end does not count.
    """
    earlier = Earlier()
    try:
        if not Path(file).is_file():
            return earlier
        with Path(file).open("rb") as stream:
            for number, data in enumerate(stream, 1):
                if data.endswith(b"\n"):
                    _note(earlier, _Place(file, number, data), schema)
                    earlier.size += len(data)
                elif not data.startswith(_FIRST[: len(data)]):
                    _Place(file, number, data).refuse(_OTHER, _ELSEWHERE)
    except OSError as error:
        raise unreadable(file, error) from error
    return earlier


class _Place(NamedTuple):
    """A line of a file of results."""

    file: str
    number: int
    data: bytes

    def refuse(self, message: str, hint: str) -> NoReturn:
        """Raise a FileError that shows the line."""
        source = Source("\n" * (self.number - 1) + self.data.decode("utf-8", "replace"), self.file)
        span = source.span(self.number - 1)
        raise FileError(Problem("file/results", message, span, hint))


def _note(earlier: Earlier, place: _Place, schema: str) -> None:
    result = _result(place.data)
    if result is None:
        place.refuse(_OTHER, _ELSEWHERE)
    if result.schema != schema:
        place.refuse("this result was made for another schema or with other coercions", ANEW)
    if not earlier.add(result):
        place.refuse(f"this answers line {result.line:,} a second time", ANEW)


def _result(data: bytes) -> Result | None:
    """What a line of results says; None if it is none."""
    try:
        found: Any = json.loads(data)
        result = Result(
            found["line"], found["reply_digest"], found["schema_digest"], _verdict(found)
        )
        is_sound = 0 < result.line < _MOST_LINES and 0 <= int(result.reply, 16) < 1 << 64
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return result if is_sound and isinstance(result.line, int) else None


def _verdict(found: dict[str, Any]) -> str:
    return "ok" if found["ok"] is True else str(found["reason"])
