"""What is wrong with a value in itself: a function a keyword, none of which looks into parts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pdl._types import Json, JsonPath, format_path
from pdl.errors import did_you_mean
from pdl.reply import late
from pdl.reply.equality import equal, key
from pdl.reply.kinds import KINDS, is_multiple, is_number
from pdl.reply.outcome import Violation
from pdl.reply.wording import FOUND_WIDTH, brief, count, listed, quoted, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

_EXAMPLES = {
    "date": "2024-05-31",
    "time": "13:45:00Z",
    "date-time": "2024-05-31T13:45:00Z",
    "duration": "P3DT4H",
    "email": "ann@example.com",
    "hostname": "www.example.com",
    "uri": "https://example.com/a",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
}


def fault(keyword: str, path: JsonPath, value: Json, wanted: str, message: str) -> Violation:
    """A violation of `keyword` by the value that stands at `path`."""
    return Violation(path, keyword, brief(value), wanted, message)


def _enum(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    if not any(equal(value, choice) for choice in schema["enum"]):
        yield _not_among("enum", schema["enum"], value, path)


def _const(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    if not equal(value, schema["const"]):
        yield _not_among("const", [schema["const"]], value, path)


def _not_among(keyword: str, choices: list[Json], value: Json, path: JsonPath) -> Violation:
    texts = [brief(choice) for choice in choices]
    wanted = listed(texts, " or ")
    head = "must be" if len(texts) == 1 else "must be one of"
    near = did_you_mean(value, [c for c in choices if isinstance(c, str)]) if _word(value) else ""
    advice = f" ({near})" if near else ""
    return fault(keyword, path, value, wanted, f"{head} {wanted}, not {brief(value)}{advice}")


def _word(value: Json) -> bool:
    return isinstance(value, str) and len(value) <= FOUND_WIDTH


def _bound(
    keyword: str, size: str, wording: str, fits: Callable[[Any, Any], bool]
) -> Callable[[Mapping[str, Any], Json, JsonPath], Iterator[Violation]]:
    def look(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
        bound = schema[keyword]
        if is_number(value) and not fits(value, bound):
            wanted = f"{wording} {json.dumps(bound)}"
            yield fault(
                keyword, path, value, wanted, f"is {size}: make sure that the value is {wanted}"
            )

    return look


def _multiple(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    divisor = schema["multipleOf"]
    if is_number(value) and not is_multiple(value, divisor):
        wanted = f"a multiple of {json.dumps(divisor)}"
        yield fault("multipleOf", path, value, wanted, f"must be {wanted}, not {brief(value)}")


def _length(
    keyword: str, kind: Callable[[Json], bool], noun: str
) -> Callable[[Mapping[str, Any], Json, JsonPath], Iterator[Violation]]:
    least = keyword.startswith("min")

    def look(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
        bound = schema[keyword]
        if kind(value) and (len(value) < bound if least else len(value) > bound):
            wanted = f"at {'least' if least else 'most'} {count(bound, noun)}"
            message = f"is too {'short' if least else 'long'}: make sure that it has {wanted}, not "
            yield fault(keyword, path, value, wanted, message + str(len(value)))

    return look


def _pattern(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    pattern = schema["pattern"]
    if isinstance(value, str) and not late.compile_pattern(pattern)(value):
        wanted = f"text that matches the pattern `{pattern}`"
        yield fault(
            "pattern", path, value, wanted, f"does not match the pattern `{_line(pattern)}`"
        )


def _format(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    name = schema["format"]
    if not isinstance(value, str):
        return
    fits = late.formats().get(name)
    if fits and not fits(value):
        example = f" such as {_EXAMPLES[name]}" if name in _EXAMPLES else ""
        wanted = f"a valid {name}{example}"
        yield fault("format", path, value, wanted, f"must be {wanted}, not {brief(value)}")


def _unique(_schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    if not _schema["uniqueItems"] or not isinstance(value, list | tuple):
        return
    first: dict[Hashable, int] = {}
    for index, item in enumerate(value):
        earlier = first.setdefault(key(item), index)
        if earlier != index:
            place = format_path((*path, earlier))
            message = f"is the same as `{place}`, and no two elements may be equal"
            yield fault("uniqueItems", (*path, index), item, "another value", message)


def _required(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    if isinstance(value, dict):
        missing = [name for name in schema["required"] if name not in value]
        if missing:
            yield fault("required", path, value, listed(quoted(missing)), _missing(missing))


def _missing(names: list[str]) -> str:
    return f"is missing {'a field' if len(names) == 1 else 'fields'}: {listed(names)}"


def _dependent(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    if not isinstance(value, dict):
        return
    for name, others in schema["dependentRequired"].items():
        missing = [other for other in others if other not in value]
        if name in value and missing:
            message = f"has `{name}`, so it {_missing(missing)}"
            yield fault("dependentRequired", path, value, listed(quoted(missing)), message)


def unnecessary(
    keyword: str, names: list[str], known: list[str], value: Json, path: JsonPath
) -> Violation:
    """Keys that the schema does not know; says which one the first may have been meant to be."""
    noun = "an unnecessary key" if len(names) == 1 else "unnecessary keys"
    near = did_you_mean(names[0], known) if len(names[0]) <= FOUND_WIDTH else ""
    advice = f" ({near})" if near and len(names) == 1 else ""
    shown = listed(quoted(shorten(name) for name in names))
    wanted = f"no other keys than {listed(quoted(known))}" if known else "no other keys"
    return fault(keyword, path, value, wanted, f"has {noun}: {shown}{advice}")


SIMPLE: Mapping[str, Callable[[Mapping[str, Any], Json, JsonPath], Iterator[Violation]]] = {
    "enum": _enum,
    "const": _const,
    "minimum": _bound("minimum", "too small", "at least", lambda v, bound: v >= bound),
    "maximum": _bound("maximum", "too big", "at most", lambda v, bound: v <= bound),
    "exclusiveMinimum": _bound(
        "exclusiveMinimum", "too small", "more than", lambda v, bound: v > bound
    ),
    "exclusiveMaximum": _bound(
        "exclusiveMaximum", "too big", "less than", lambda v, bound: v < bound
    ),
    "multipleOf": _multiple,
    "minLength": _length("minLength", KINDS["string"], "character"),
    "maxLength": _length("maxLength", KINDS["string"], "character"),
    "pattern": _pattern,
    "format": _format,
    "minItems": _length("minItems", KINDS["array"], "element"),
    "maxItems": _length("maxItems", KINDS["array"], "element"),
    "uniqueItems": _unique,
    "required": _required,
    "dependentRequired": _dependent,
    "minProperties": _length("minProperties", KINDS["object"], "field"),
    "maxProperties": _length("maxProperties", KINDS["object"], "field"),
}
"""Keyword -> what it finds wrong with a value. Values of other types are passed over."""


def _line(text: str) -> str:
    """A pattern on one line: line ends are written as escapes."""
    return text.replace("\r", "\\r").replace("\n", "\\n")
