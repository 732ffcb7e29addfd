"""The lines of a file of replies, one at a time, however long the file is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from pdl.cli.files import kind_of, unreadable
from pdl.decoding import SAVE_AS_UTF8, JsonError, strict_json
from pdl.errors import Problem, did_you_mean
from pdl.limits import DEFAULT_LIMITS
from pdl.source import Source, encoding_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json

LONGEST = 4 * DEFAULT_LIMITS.reply_chars
"""The most bytes of a line, in which a reply of as many characters as the limit allows fits."""

_BOM = b"\xef\xbb\xbf"
_WHITESPACE = b" \t\r\n"
_SKIPPED_BYTES = 1 << 20
_INDEX = re.compile(r"[0-9]{1,9}")
_NAMED, _NAME = 8, 40  # keys that an error names, and characters of each
_ONE_PER_LINE = "write one reply per line; `jq -c '.[]'` converts an array"
_EXCERPT = 1000  # bytes of a line that is too long
_MISSING = object()


class Line(NamedTuple):
    """A line that is not blank: its number, from 1, and its bytes, which can be too many."""

    number: int
    data: bytes


class Record(NamedTuple):
    """A reply with its `id` and its `context`: values for a schema that depends on them."""

    id: Json
    reply: str
    context: Json = None


class Fault(NamedTuple):
    """Why a line contains no reply, at which of its characters, and a hint."""

    message: str
    at: int = 0
    hint: str = ""


class Lines:
    """The lines of a stream that are not blank; `bytes_read` is how much was read so far.

    Iterating raises FileError if the stream, which errors call `name`, cannot be read.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self.bytes_read = 0

    def __iter__(self) -> Iterator[Line]:
        number = 0
        while data := self._read():
            number += 1
            if number == 1:
                data = data.removeprefix(_BOM)
            data = data.rstrip(_WHITESPACE)
            if data:
                yield Line(number, data)

    def _read(self) -> bytes:
        """The next line; of one that is too long, only enough to show it."""
        data = piece = self._take(LONGEST + 1)
        while len(data) > LONGEST and piece and not piece.endswith(b"\n"):
            piece = self._take(_SKIPPED_BYTES)
        return data

    def _take(self, most: int) -> bytes:
        try:
            data = self._stream.readline(most)
        except OSError as error:
            raise unreadable(self._name, error) from error
        self.bytes_read += len(data)
        return data


def read_record(line: Line, field: str) -> Record | Fault:
    """Return the reply of a line: a JSON string, or the value of `field` in an object."""
    if len(line.data) > LONGEST:
        return Fault(f"this line is longer than {LONGEST:,} bytes")
    try:
        value = strict_json(line.data.decode())
    except UnicodeDecodeError as error:
        at = len(line.data[: error.start].decode())
        return Fault(encoding_fault(error), at, SAVE_AS_UTF8)
    except JsonError as error:
        is_spread = line.data in {b"[", b"{"}
        return Fault(f"this line {error}", error.at or 0, _ONE_PER_LINE if is_spread else "")
    if isinstance(value, str):
        return Record(None, value)
    if not isinstance(value, dict):
        hint = _ONE_PER_LINE if isinstance(value, list) else ""
        return Fault(f"expected an object or a string, found {kind_of(value)}", 0, hint)
    return _of_object(value, field)


def _of_object(value: dict[str, Json], field: str) -> Record | Fault:
    reply = value[field] if field in value else _part(value, field)
    if reply is _MISSING:
        hint = f"{_suggestion(value, field)} --field names the key of the reply"
        return Fault(f"this object has no `{field}`", 0, hint)
    if not isinstance(reply, str):
        return Fault(f"`{field}`: expected a string, found {kind_of(reply)}")
    return Record(value.get("id"), reply, value.get("context"))


def _suggestion(value: dict[str, Json], field: str) -> str:
    names = ", ".join(f"`{name[:_NAME]}`" for name in list(value)[:_NAMED])
    more = ", …" if len(value) > _NAMED else ""
    return did_you_mean(field, value) or f"it has {names or 'no keys'}{more};"


def _part(value: Json, field: str) -> Any:
    """The value at a path of keys and indices, joined by dots."""
    for step in field.split("."):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _INDEX.fullmatch(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return _MISSING
    return value


def problem(line: Line, fault: Fault, name: str) -> Problem:
    """Return the fault of a line, at its position in the file of that name."""
    data = line.data if len(line.data) <= LONGEST else line.data[:_EXCERPT]
    text = data.decode("utf-8", "replace")
    # Leading empty lines give the line its number, without reading the file again.
    placed = Source("\n" * (line.number - 1) + text, name)
    return Problem("batch/line", fault.message, placed.span(line.number - 1 + fault.at), fault.hint)
