"""Files that commands read beside the prompt: replies, contexts, JSON Schemas."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from pdl.errors import FileError, LimitError, Problem
from pdl.limits import DEFAULT_LIMITS
from pdl.source import Source

if TYPE_CHECKING:
    from pdl._types import Json

STDIN = "-"
_BYTES_A_CHARACTER = 4


def refuse_two_stdins(*names: str | None) -> None:
    """Raise a UsageError if more than one of the files is the standard input."""
    if names.count(STDIN) > 1:
        raise click.UsageError("`-`, the standard input, can stand for one file only")


def read_text(name: str) -> Source:
    """The text of a UTF-8 file, or of the standard input for `-`, without a BOM.

    Raises FileError for what cannot be read, LimitError for what is too long.
    """
    shown = "<stdin>" if name == STDIN else name
    limit = DEFAULT_LIMITS.source_chars
    data = _read(name, shown, limit * _BYTES_A_CHARACTER + 1)
    if len(data) > limit * _BYTES_A_CHARACTER:
        message = f"{shown}: is longer than {limit:,} characters"
        raise LimitError(Problem("limit/source", message))
    try:
        return Source(data.decode("utf-8").removeprefix("\ufeff"), shown)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        placed = Source(before + "\N{REPLACEMENT CHARACTER}", shown)
        message = f"this byte ({data[error.start]:#04x}) is not UTF-8"
        span = placed.span(len(before))
        raise FileError(
            Problem("file/encoding", message, span, "save the file as UTF-8")
        ) from error


def _read(name: str, shown: str, size: int) -> bytes:
    try:
        if name == STDIN:
            return _read_stdin(size)
        with Path(name).open("rb") as stream:
            return stream.read(size)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(Problem("file/unreadable", f"{shown}: cannot be read: {reason}")) from error


def _read_stdin(size: int) -> bytes:
    stream = getattr(sys.stdin, "buffer", None)  # there is none if the shell closed it: `<&-`
    if stream is None:
        raise FileError(Problem("file/unreadable", "<stdin>: cannot be read: it is closed"))
    data: bytes = stream.read(size)
    return data


def parse_json(source: Source) -> Json:
    """The JSON value (RFC 8259) that a text holds. Raises FileError where it is not JSON."""
    try:
        return strict_json(source.text)
    except json.JSONDecodeError as error:
        reason = error.msg[0].lower() + error.msg[1:]
        problem = Problem("file/json", f"this is not JSON: {reason}", source.span(error.pos))
        raise FileError(problem) from error
    except RecursionError as error:
        raise FileError(Problem("file/json", f"{source.name}: is nested too deeply")) from error
    except ConstantError as error:
        message = f"{source.name}: is not JSON: there is no {error} in it"
        raise FileError(Problem("file/json", message)) from error
    except RepeatedKeyError as error:
        message = f"{source.name}: an object has the key `{str(error)[:40]}` twice"
        raise FileError(Problem("file/json", message)) from error
    except ValueError as error:
        # The one error that Python adds to those of JSON: 4,300 digits are its limit.
        message = f"{source.name}: holds an integer of too many digits"
        raise FileError(Problem("file/json", message)) from error


def strict_json(text: str) -> Json:
    """What `json.loads` gives, without the numbers that JSON does not have and with each key once.

    Raises ValueError, RecursionError.
    """
    return json.loads(
        text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_each_once
    )


def _each_once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RepeatedKeyError(twice)
    return found


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ConstantError(text[:40])
    return number


def _no_constant(name: str) -> NoReturn:
    raise ConstantError(name)


class RepeatedKeyError(ValueError):
    """A key that stands twice in an object; Python's parser would keep the last."""


class ConstantError(ValueError):
    """NaN, Infinity or -Infinity, which Python's parser takes and RFC 8259 does not."""
