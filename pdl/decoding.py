"""Bytes as UTF-8, text as JSON and YAML, strictly, with the position of what is none of them."""

from __future__ import annotations

import importlib
import json
import math
import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pdl.errors import FileError, Problem, error_from, quoted
from pdl.source import Source, encoding_fault

if TYPE_CHECKING:
    from pdl._types import Json

SAVE_AS_UTF8: Final = "save the file as UTF-8"
"""The hint for bytes that are something else."""


def decoded(
    data: bytes, name: str, code: str = "file/encoding", *, keep_mark: bool = False
) -> Source:
    """Return the text of a UTF-8 file, by default without its byte order mark.

    Raises the error of the code, with the position of the first byte that is not UTF-8.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        span = Source(before + "\N{REPLACEMENT CHARACTER}", name).span(len(before))
        raise error_from([Problem(code, encoding_fault(error), span, SAVE_AS_UTF8)]) from error
    return Source(text if keep_mark else text.removeprefix("\ufeff"), name)


def parse_json(source: Source, code: str = "file/json") -> Json:
    """Return the JSON value (RFC 8259) of a file. Raises the error of the code."""
    try:
        return strict_json(source.text)
    except JsonError as error:
        if error.at is None:
            problem = Problem(code, f"{source.name}: {error}")
        else:
            problem = Problem(code, f"this {error}", source.span(error.at))
        raise error_from([problem]) from error


_CLOSING = {"Expecting value": "]", "Expecting property name enclosed in double quotes": "}"}


def json_fault(error: json.JSONDecodeError) -> tuple[str, int]:
    """Return why text is not JSON, in lower case, and the offset.

    Python 3.13 tells of a trailing comma what older ones tell of the bracket after it.
    """
    before = error.doc[: error.pos].rstrip()
    closing = _CLOSING.get(error.msg)
    if closing and error.doc.startswith(closing, error.pos) and before.endswith(","):
        return "trailing comma", len(before) - 1
    if error.msg.startswith("Illegal trailing comma"):
        return "trailing comma", error.pos
    reason = error.msg.removesuffix(" at").removesuffix(" starting")
    return reason[:1].lower() + reason[1:], error.pos


class JsonError(ValueError):
    """Why text is not JSON, to be read after a subject, and the offset if it is known."""

    def __init__(self, reason: str, at: int | None = None) -> None:
        super().__init__(reason)
        self.at = at


class _RefusedError(ValueError):
    """A key or a value that Python's parser accepts and RFC 8259 does not."""

    def __init__(self, reason: str, text: str, *, is_key: bool = False) -> None:
        super().__init__(reason)
        self.text = text
        self.is_key = is_key


def strict_json(text: str) -> Json:
    """Return what `json.loads` returns, without NaN and Infinity, and with unique keys.

    Raises JsonError.
    """
    try:
        return json.loads(
            text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_unique
        )
    except json.JSONDecodeError as error:
        reason, at = json_fault(error)
        raise JsonError(f"is not JSON: {reason}", at) from error
    except _RefusedError as error:
        raise JsonError(str(error), _offset(text, error)) from error
    except RecursionError as error:
        raise JsonError("is nested too deeply") from error
    except ValueError as error:  # Python reads integers of at most 4,300 digits
        raise JsonError("contains an integer with too many digits") from error


def _no_constant(name: str) -> NoReturn:
    raise _RefusedError(f"is not JSON: `{name}` is not a JSON value", name)


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _RefusedError(f"contains the number {text[:40]}, which is too large", text)
    return number


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(key, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise _RefusedError(f"has the key {quoted(key)} twice in one object", key, is_key=True)
    return found


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{}]|[^\s\[\]{},:"]+', re.DOTALL)
_COLON = re.compile(r"\s*:")


def _offset(text: str, refused: _RefusedError) -> int | None:
    """The offset of a refused value, or of a key's second occurrence in one object."""
    keys: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        if token[0] in "[{":
            keys.append(set())
        elif token[0] in "]}":
            keys.pop()
        elif refused.is_key and token[0].startswith('"') and _COLON.match(text, token.end()):
            key = json.loads(token[0], strict=False)
            if key == refused.text and key in keys[-1]:
                return token.start()
            keys[-1].add(key)
        elif not refused.is_key and token[0].startswith(refused.text):
            return token.start()
    return None


def parse_yaml(source: Source) -> Json:
    """Return the value of a YAML file, by PyYAML's safe loader, with unique keys.

    Raises FileError.
    """
    yaml = _yaml(source)
    with suppress(Exception):  # libyaml is ten times as fast, and says less of what is wrong
        if not _is_deep(source.text, yaml):
            found, twice = _loaded(source.text, yaml.CSafeLoader)
            if twice is None:
                return found
    try:
        found, twice = _loaded(source.text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise FileError(_marked_problem(error, source)) from error
    except yaml.reader.ReaderError as error:
        message = f"this is not YAML: the character #x{error.character:04x} is not allowed"
        problem = Problem("file/yaml", message, source.span(error.position))
        raise FileError(problem) from error
    except RecursionError as error:
        raise FileError(Problem("file/yaml", f"{source.name}: is nested too deeply")) from error
    except ValueError as error:
        # A date such as 2024-13-01, or an integer of more digits than Python reads.
        message = f"{source.name}: contains an invalid date or number: {error}"
        raise FileError(Problem("file/yaml", message)) from error
    if twice is not None:
        span = source.span(twice.start_mark.index, twice.end_mark.index)
        message = f"this has the key {quoted(twice.value)} twice in one object"
        raise FileError(Problem("file/yaml", message, span))
    return found


_LEVELS = 300  # of lists and objects inside each other


def _is_deep(text: str, yaml: Any) -> bool:
    """Whether a text nests so deeply that libyaml's own stack might overflow, which is a crash.

    Each level needs a bracket, or a column of some line.
    """
    longest = max(map(len, text.splitlines()), default=0)
    if text.count("[") + text.count("{") + longest < _LEVELS:
        return False
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _LEVELS:
            return True
    return False


def _loaded(text: str, loader: Any) -> tuple[Json, Any]:
    """The value of a text, and the node of a key that is there a second time."""
    reader = loader(text)
    try:
        node = reader.get_single_node()
        twice = _twice(node)
        return (None if node is None or twice else reader.construct_document(node)), twice
    finally:
        reader.dispose()


def _twice(root: Any) -> Any:
    """The first key of a YAML graph that another one of the same mapping equals, or None."""
    seen: set[int] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        value = getattr(node, "value", None)
        if not isinstance(value, list) or id(node) in seen:
            continue
        seen.add(id(node))
        if node.id == "sequence":
            pending += value
            continue
        keys: set[tuple[str, str]] = set()
        for key, inner in value:
            if isinstance(key.value, str):
                told = (key.tag, key.value)
                if told in keys and told[1] != "<<":
                    return key
                keys.add(told)
            pending += (key, inner)
    return None


def _yaml(source: Source) -> Any:
    try:
        return importlib.import_module("yaml")
    except ModuleNotFoundError as error:
        hint = "pip install 'pdl-prompts[yaml]', or pass the values as JSON"
        message = f"{source.name}: PyYAML, which reads such files, is not installed"
        raise FileError(Problem("file/no-yaml", message, None, hint)) from error


def _marked_problem(error: Any, source: Source) -> Problem:
    reason = error.problem or error.context or "it cannot be read"
    if reason.startswith("but "):
        reason = f"{error.context}, {reason}"
    mark = error.problem_mark or error.context_mark
    span = source.span(mark.index if mark is not None else 0)
    return Problem("file/yaml", f"this is not YAML: {reason}", span)


def kind_of(value: Json) -> str:
    """Return the JSON type of a value, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    kinds = ((str, "a string"), (list, "an array"), (dict, "an object"))
    return next((words for kind, words in kinds if isinstance(value, kind)), "another value")
