"""JSON values as dicts and lists: deep copies, a hash by content, and their text for people."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pdl.errors import Problem, error_from, visible
from pdl.schema.keywords import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath
    from pdl.limits import Limits


_DEPTH_FACTOR = 4  # JSON levels that one level of types takes at most, as the DSL counts
_CHARS_OF_A_PART = 8  # a value with its key, its comma and its share of the brackets, as text
_CHARS_OF_A_HOLDER = 100  # of an object or array, each of which takes far longer


def copy_json(value: Json) -> Json:
    """Return a deep copy of a JSON value, without recursion."""
    return _copy(value, most=None, deepest=None)


def checked_copy(value: Json, limits: Limits) -> Json:
    """Return a deep copy of a value that might not be JSON, with plain dicts and lists.

    Raises SchemaError for values that JSON does not have, LimitError for a value that is too large
    or too deep (as one is that contains itself).
    """
    return _copy(
        value,
        most=limits.source_chars,
        deepest=limits.schema_depth * _DEPTH_FACTOR,
    )


def _copy(value: Json, most: int | None, deepest: int | None) -> Json:
    root: list[Json] = [value]
    pending: list[tuple[Json, JsonPath]] = [(root, ())]
    count = holders = 0
    while pending:
        holder, path = pending.pop()
        if deepest is not None and len(path) > deepest:
            _refuse(
                "limit/schema-depth", f"the schema nests deeper than {deepest} levels", path[:6]
            )
        count += len(holder)
        holders += 1
        if most is not None:
            _check(count, most // _CHARS_OF_A_PART, "parts")
            _check(holders, most // _CHARS_OF_A_HOLDER, "objects and arrays")
        entries = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, inner in list(entries):
            below = path if holder is root else (*path, key)
            copy = holder[key] = _plain(inner, below)
            if isinstance(copy, dict | list):
                pending.append((copy, below))
    return root[0]


def _check(count: int, most: int, what: str) -> None:
    if count > most:
        _refuse("limit/source-chars", f"the schema has more than {most:,} {what}", ())


def _plain(value: Json, path: JsonPath) -> Json:
    """A shallow copy as JSON has it."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                _refuse("schema/not-json", f"the key {key!r} is not a string", path)
        return dict(value)
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, float) and math.isfinite(value):
        return value
    _refuse("schema/not-json", f"{type(value).__name__} {value!r:.40} is not a JSON value", path)
    return None


def _refuse(code: str, message: str, path: JsonPath) -> None:
    where = pointer(path)
    raise error_from([Problem(code, f"{message} (at {visible(where)})", pointer=where)])


def dicts(value: Json) -> Iterator[dict[str, Json]]:
    """Yield all dicts of a JSON value, itself included."""
    pending: list[Json] = [[value]]
    while pending:
        node = pending.pop()
        for child in node.values() if isinstance(node, dict) else node:
            if isinstance(child, dict):
                yield child
            if isinstance(child, dict | list):
                pending.append(child)


def same_json(one: Json, other: Json) -> bool:
    """Return whether two values are equal as JSON: true is not 1; the order of keys is ignored."""
    pending = [(one, other)]
    while pending:
        a, b = pending.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pending += [(inner, b[key]) for key, inner in a.items()]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            pending += zip(a, b, strict=True)
        elif isinstance(a, bool) != isinstance(b, bool) or a != b:
            return False
    return True


def content_hash(value: Json) -> int:
    """Return a hash that values share which Python finds equal, whatever the order of their keys.

    It is computed from their parts, not from where these are: enough to distinguish schemas.
    """
    seen: Counter[tuple[Json, Json]] = Counter()
    pending = [value]
    while pending:
        node = pending.pop()
        entries = node.items() if isinstance(node, dict) else [(None, one) for one in node]
        for key, inner in entries:
            is_holder = isinstance(inner, dict | list)
            seen[key, (len(inner),) if is_holder else inner] += 1
            pending += [inner] if is_holder else []
    return hash(frozenset(seen.items()))


_SURROGATE = re.compile("[\ud800-\udfff]")
_TICKS = re.compile("`+")
_PAGE = 10_000


def json_line(value: Json) -> str:
    """Write JSON on one line, with characters of all scripts as they are."""
    return _escaped(json.dumps(value, ensure_ascii=False))


def compact_json(value: Json) -> str:
    """Write JSON without spaces; unpaired surrogates stay as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_document(value: Json) -> str:
    """Write indented JSON."""
    return _escaped(json.dumps(value, ensure_ascii=False, indent=2))


def _escaped(text: str) -> str:
    # A lone surrogate is possible in Python and in JSON, but UTF-8 cannot encode it.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def fenced(text: str, info: str = "") -> str:
    """Return a text as a fenced code block of Markdown, cut if it is very long."""
    shown = text if len(text) <= _PAGE else f"{text[: _PAGE - 1]}…"
    longest = max(map(len, _TICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{info}\n{shown}\n{fence}"
