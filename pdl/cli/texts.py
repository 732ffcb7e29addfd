"""Files that commands read beside the prompt: replies, contexts, JSON Schemas."""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

import click

from pdl.errors import FileError, LimitError, Problem
from pdl.limits import DEFAULT_LIMITS
from pdl.source import Source, encoding_fault

if TYPE_CHECKING:
    from pdl._types import Json

STDIN = "-"
SAVE_AS_UTF8 = "save the file as UTF-8"
_BYTES_A_CHARACTER = 4


def refuse_two_stdins(*names: str | None) -> None:
    """Raise a UsageError if more than one of the files is the standard input."""
    if names.count(STDIN) > 1:
        raise click.UsageError("`-`, the standard input, can stand for one file only")


def read_text(name: str, *, keep_mark: bool = False) -> Source:
    """The text of a UTF-8 file, or of the standard input for `-`.

    A byte order mark is left out, unless `keep_mark` says that whoever reads the text minds it.
    Raises FileError for what cannot be read, LimitError for what is too long.
    """
    shown = shown_name(name)
    data = read_bytes(name)
    try:
        text = data.decode("utf-8")
        return Source(text if keep_mark else text.removeprefix("\ufeff"), shown)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        placed = Source(before + "\N{REPLACEMENT CHARACTER}", shown)
        message, span = encoding_fault(error), placed.span(len(before))
        raise FileError(Problem("file/encoding", message, span, SAVE_AS_UTF8)) from error


def read_bytes(name: str) -> bytes:
    """The bytes of a file, or of the standard input for `-`. Raises what `read_text` raises."""
    shown = shown_name(name)
    limit = DEFAULT_LIMITS.source_chars
    data = _read(name, shown, limit * _BYTES_A_CHARACTER + 1)
    if len(data) > limit * _BYTES_A_CHARACTER:
        message = f"{shown}: is longer than {limit:,} characters"
        raise LimitError(Problem("limit/source", message))
    return data


def shown_name(name: str) -> str:
    """What a file is called where something is said about it."""
    return "<stdin>" if name == STDIN else name


def _read(name: str, shown: str, size: int) -> bytes:
    try:
        if name == STDIN:
            return stdin_bytes().read(size)
        with Path(name).open("rb") as stream:
            return stream.read(size)
    except OSError as error:
        raise unreadable(shown, error) from error


def unreadable(shown: str, error: OSError) -> FileError:
    """The error of a file that cannot be read."""
    reason = (error.strerror or str(error)).lower()
    return FileError(Problem("file/unreadable", f"{shown}: cannot be read: {reason}"))


def unwritable(shown: str, error: OSError) -> FileError:
    """The error of a file that cannot be written."""
    reason = (error.strerror or str(error)).lower()
    return FileError(Problem("file/unwritable", f"{shown}: cannot be written: {reason}"))


def stdin_bytes() -> BinaryIO:
    """The standard input. Raises FileError if the shell closed it: `<&-`."""
    stream: BinaryIO | None = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise FileError(Problem("file/unreadable", "<stdin>: cannot be read: it is closed"))
    return stream


def parse_json(source: Source) -> Json:
    """The JSON value (RFC 8259) that a text holds. Raises FileError where it is not JSON."""
    try:
        return strict_json(source.text)
    except (ValueError, RecursionError) as error:
        reason, at = json_fault(error)
        if at is None:
            problem = Problem("file/json", f"{source.name}: {reason}")
        else:
            problem = Problem("file/json", f"this {reason}", source.span(at))
        raise FileError(problem) from error


def json_fault(error: ValueError | RecursionError) -> tuple[str, int | None]:
    """What an error of `strict_json` says, to be read behind a subject, and its offset if known."""
    if isinstance(error, json.JSONDecodeError):
        reason = error.msg.removesuffix(" starting at")
        return f"is not JSON: {reason[0].lower()}{reason[1:]}", error.pos
    if isinstance(error, RecursionError):
        return "is nested too deeply", None
    if isinstance(error, ConstantError):
        if str(error)[-1].isdigit():
            return f"has the number {error}, which is too large", error.at
        return f"is not JSON: there is no {error} in it", error.at
    if isinstance(error, RepeatedKeyError):
        return f"has the key `{str(error)[:40]}` twice in one object", error.at
    # The one error that Python adds to those of JSON: 4,300 digits are its limit.
    return "holds an integer of too many digits", None


def strict_json(text: str) -> Json:
    """What `json.loads` gives, without the numbers that JSON does not have and with each key once.

    Raises ValueError, RecursionError.
    """
    try:
        return json.loads(
            text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_each_once
        )
    except (RepeatedKeyError, ConstantError) as error:
        error.at = _place(text, error)
        raise


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{}]|[^\s\[\]{},:"]+', re.DOTALL)
_COLON = re.compile(r"\s*:")


def _place(text: str, error: RepeatedKeyError | ConstantError) -> int | None:
    """Where what an error is about stands in a JSON text: a key for the second time, or a value."""
    is_key = isinstance(error, RepeatedKeyError)
    stack: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        if token[0] in "[{":
            stack.append(set())
        elif token[0] in "]}":
            stack.pop()
        elif is_key and token[0].startswith('"') and _COLON.match(text, token.end()):
            key = json.loads(token[0], strict=False)
            if key == str(error) and key in stack[-1]:
                return token.start()
            stack[-1].add(key)
        elif not is_key and token[0].startswith(str(error)):
            return token.start()
    return None


def _each_once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise RepeatedKeyError(counts.most_common(1)[0][0])
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

    at: int | None = None


class ConstantError(ValueError):
    """NaN, Infinity or -Infinity, which Python's parser takes and RFC 8259 does not."""

    at: int | None = None


def kind_of(value: Json) -> str:
    """What a value of a file is, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    kinds = ((str, "a text"), (list, "an array"), (dict, "an object"))
    return next((words for kind, words in kinds if isinstance(value, kind)), "another value")
