"""The rows of a batch: a reply, or values of a prompt, in a line of JSON or a row of a table."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from datetime import date, time
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from pdl.decoding import SAVE_AS_UTF8, JsonError, kind_of, strict_json
from pdl.errors import Problem, did_you_mean, unreadable
from pdl.limits import DEFAULT_LIMITS
from pdl.source import Source, encoding_fault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pdl._types import Json

LONGEST = 4 * DEFAULT_LIMITS.reply_chars
"""The most bytes of a line, in which a reply of as many characters as the limit allows fits."""

BOM = b"\xef\xbb\xbf"
_WHITESPACE = b" \t\r\n"
_SKIPPED_BYTES = 1 << 20
_INDEX = re.compile(r"[0-9]{1,9}")
_NAMED, _NAME = 8, 40  # keys that an error names, and characters of each
_ONE_PER_LINE = "write one row per line; `jq -c '.[]'` converts an array"
_EXCERPT = 1000  # bytes of a line that is too long
_DIGITS = 16  # of a digest: 64 bits
_MISSING = object()


class Line(NamedTuple):
    """A line that is not blank: its number, from 1, and its bytes, which can be too many."""

    number: int
    data: bytes


class Row(NamedTuple):
    """A row of the input: the number of its line or row, its `id`, and what it brings.

    `reply` is None where rows bring only values. `context` has the values for a prompt.
    """

    number: int
    id: Json
    reply: str | None
    context: Json = None

    @property
    def is_utf8(self) -> bool:
        """Whether the reply and the id have no unpaired surrogate."""
        try:
            "".join(one for one in (self.reply, self.id) if isinstance(one, str)).encode()
        except UnicodeEncodeError:
            return False
        return True

    @property
    def digest(self) -> str:
        """A digest of the reply and of the values that came with it: 16 hexadecimal digits."""
        data = b"" if self.reply is None else self.reply.encode("utf-8", "surrogatepass")
        if self.context is not None:
            data += b"\0" + json.dumps(self.context, sort_keys=True).encode()
        return digest(data)


class Fault(NamedTuple):
    """Why a row can't be used, at which character of its line, and a hint."""

    message: str
    at: int = 0
    hint: str = ""


class BadRow(NamedTuple):
    """A row that can't be used: its line, or `b""` if it is not one of a text, and why."""

    line: Line
    fault: Fault

    def problem(self, name: str) -> Problem:
        """Return the fault at its position in the file of that name."""
        number, data = self.line
        message, at, hint = self.fault
        if not data:
            return Problem("batch/line", f"{name}: row {number:,}: {message}", None, hint)
        data = data if len(data) <= LONGEST else data[:_EXCERPT]
        text = data.decode("utf-8", "replace")
        # Leading empty lines give the line its number, without reading the file again.
        placed = Source("\n" * (number - 1) + text, name)
        return Problem("batch/line", message, placed.span(number - 1 + at), hint)


def digest(data: bytes) -> str:
    """Return a digest of bytes: 16 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


class Lines:
    """The lines of a stream that are not blank; `bytes_read` is how much was read so far.

    `first` is the number of the first line. Iterating raises FileError if the stream, which errors
    call `name`, cannot be read.
    """

    def __init__(self, stream: BinaryIO, name: str, first: int = 1) -> None:
        self._stream = stream
        self._name = name
        self._first = first
        self.bytes_read = 0

    def __iter__(self) -> Iterator[Line]:
        number = self._first - 1
        while data := self._read():
            number += 1
            if number == 1:
                data = data.removeprefix(BOM)
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
        except (OSError, EOFError) as error:  # as gzip raises for a file that is cut off
            raise unreadable(self._name, _as_os_error(error)) from error
        self.bytes_read += len(data)
        return data


def _as_os_error(error: OSError | EOFError) -> OSError:
    return error if isinstance(error, OSError) else OSError(str(error))


class Reading(NamedTuple):
    """What rows bring: a reply at the path `field`, if there is one, and values.

    Values are the `context` of a row, which is not looked at without `has_values`. Where there is
    no reply, they can be its keys: those that are among `names`.
    """

    field: str | None
    has_values: bool = True
    names: Collection[str] = ()


def read_row(line: Line, reading: Reading) -> Row | Fault:
    """Return the row of a line: a JSON string, which is a reply, or an object."""
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
    if isinstance(value, str) and reading.field is not None:
        return Row(line.number, None, value)
    if not isinstance(value, dict):
        hint = _ONE_PER_LINE if isinstance(value, list) else ""
        wanted = "an object" if reading.field is None else "an object or a string"
        return Fault(f"expected {wanted}, found {kind_of(value)}", 0, hint)
    return row_of(line.number, value, reading)


def row_of(number: int, value: dict[str, Json], reading: Reading) -> Row | Fault:
    """Return the row of an object."""
    field, context = reading.field, value.get("context")
    if field is None and context is None:
        context = {name: one for name, one in value.items() if name in reading.names}
    if not reading.has_values:
        context = None
    elif not isinstance(context, dict | None):
        return Fault(f"`context`: expected an object, found {kind_of(context)}")
    if field is None:
        return Row(number, value.get("id"), None, context)
    reply = value[field] if field in value else _part(value, field)
    if reply is _MISSING:
        hint = f"{_suggestion(value, field)} --field names the key of the reply"
        return Fault(f"this object has no `{field}`", 0, hint)
    if not isinstance(reply, str) or isinstance(reply, _Base64):
        found = "bytes" if isinstance(reply, _Base64) else kind_of(reply)
        return Fault(f"`{field}`: expected a string, found {found}")
    return Row(number, value.get("id"), reply, context)


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


class _Base64(str):
    """Bytes of a table, as a text; a reply is not in base64."""

    __slots__ = ()


def plain(value: Any) -> Json:
    """Return the JSON of a value of a table: bytes in base64, what JSON lacks as text."""
    is_number = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    if is_number or isinstance(value, str) or value is None:
        return value
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return _Base64(base64.b64encode(value).decode())
    return str(value)
