"""What is wrong with a value in itself: a function a keyword, none of which looks into parts."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pdl._types import Json, JsonPath, format_path
from pdl.reply import late
from pdl.reply.phrases import kinds, row, say
from pdl.reply.result import Violation
from pdl.reply.validation.equality import key
from pdl.reply.validation.json_types import KINDS, is_multiple, is_number, kind_of
from pdl.reply.wording import brief, line, quoted, shown_key
from pdl.schema.keywords import DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

_EXAMPLES = {
    "date": "2024-05-31",
    "time": "13:45:00Z",
    "x-time": "13:45:00",
    "date-time": "2024-05-31T13:45:00Z",
    "x-date-time": "2024-05-31T13:45:00",
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


def unwelcome(keyword: str, value: Json, path: JsonPath) -> Violation:
    """A value where none may stand."""
    message = say("unknown") if path else say("forbidden-by-schema")
    return fault(keyword, path, value, say("nothing"), message)


def wrong_type(names: Sequence[str], value: Json, path: JsonPath) -> Violation:
    """`integer` was wanted, and something else stands there."""
    wanted, message = _wrong_type(tuple(names), kind_of(value))
    return fault("type", path, value, wanted, message)


@lru_cache(maxsize=256)
def _wrong_type(names: tuple[str, ...], found: str) -> tuple[str, str]:
    return row(names, "list-or"), say("type", wanted=kinds(names), found=kinds([found]))


def _bound(
    keyword: str, size: str, wording: str, fits: Callable[[Any, Any], bool]
) -> Callable[[Mapping[str, Any], Json, JsonPath], Iterator[Violation]]:
    def look(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
        bound = schema[keyword]
        if is_number(value) and not fits(value, bound):
            wanted = say(wording, bound=brief(bound))
            yield fault(keyword, path, value, wanted, say(size, wanted=wanted, found=brief(value)))

    return look


def _multiple(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    divisor = schema["multipleOf"]
    if is_number(value) and not is_multiple(value, divisor):
        wanted = say("a-multiple", bound=brief(divisor))
        message = say("must-be", wanted=wanted, found=brief(value), hint="")
        yield fault("multipleOf", path, value, wanted, message)


def _length(
    keyword: str, kind: Callable[[Json], bool], noun: str
) -> Callable[[Mapping[str, Any], Json, JsonPath], Iterator[Violation]]:
    least = keyword.startswith("min")
    few, many = ("few", "many") if noun == "fields" else ("short", "long")

    def look(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
        bound = schema[keyword]
        if kind(value) and (len(value) < bound if least else len(value) > bound):
            wanted = say("at-least" if least else "at-most", bound=say(noun, number=bound))
            size = f"too-{few if least else many}"
            message = say(size, wanted=wanted, found=str(len(value)))
            yield fault(keyword, path, value, wanted, message)

    return look


def _pattern(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    pattern = schema["pattern"]
    if isinstance(value, str) and not late.compile_pattern(pattern)(value):
        shown = line(pattern)
        message = say("pattern", pattern=shown, found=brief(value))
        yield fault("pattern", path, value, say("a-match", pattern=shown), message)


def _format(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    name = schema["format"]
    if not isinstance(value, str):
        return
    fits = late.formats().get(name)
    if fits and not fits(value):
        example, name = _EXAMPLES.get(name), name.removeprefix("x-")
        wanted = (
            say("a-format-like", name=name, example=example)
            if example
            else say("a-format", name=name)
        )
        message = say("must-be", wanted=wanted, found=brief(value), hint="")
        yield fault("format", path, value, wanted, message)


def _unique(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    if not schema["uniqueItems"] or not isinstance(value, list | tuple):
        return
    first: dict[Hashable, int] = {}
    for index, item in enumerate(value):
        earlier = first.setdefault(key(item), index)
        if earlier != index:
            message = say("same", path=format_path((*path, earlier)))
            yield fault("uniqueItems", (*path, index), item, say("another-value"), message)


def _required(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    if isinstance(value, dict):
        missing = [name for name in schema["required"] if name not in value]
        if missing:
            yield fault("required", path, value, *_missing(tuple(missing)))


@lru_cache(maxsize=256)
def _missing(names: tuple[str, ...]) -> tuple[str, str]:
    message = say("missing", items=row(quoted(map(shown_key, names))), number=len(names))
    return row(quoted(names)), message


def _dependent(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    if not isinstance(value, dict):
        return
    for name, others in schema["dependentRequired"].items():
        missing = [other for other in others if other not in value]
        if name in value and missing:
            wanted, lacks = _missing(tuple(missing))
            message = say("missing-beside", name=shown_key(name), missing=lacks)
            yield fault("dependentRequired", path, value, wanted, message)


def _digits(schema: Mapping[str, Any], value: Json, path: JsonPath) -> Iterator[Violation]:
    if schema[DIGITS] is True and isinstance(value, float):
        yield fault("type", path, value, "integer", say("only-a-float", found=brief(value)))


SIMPLE: Mapping[str, Callable[[Mapping[str, Any], Json, JsonPath], Iterator[Violation]]] = {
    DIGITS: _digits,
    "minimum": _bound("minimum", "too-small", "at-least", lambda v, bound: v >= bound),
    "maximum": _bound("maximum", "too-big", "at-most", lambda v, bound: v <= bound),
    "exclusiveMinimum": _bound(
        "exclusiveMinimum", "too-small", "more-than", lambda v, bound: v > bound
    ),
    "exclusiveMaximum": _bound(
        "exclusiveMaximum", "too-big", "less-than", lambda v, bound: v < bound
    ),
    "multipleOf": _multiple,
    "minLength": _length("minLength", KINDS["string"], "characters"),
    "maxLength": _length("maxLength", KINDS["string"], "characters"),
    "pattern": _pattern,
    "format": _format,
    "minItems": _length("minItems", KINDS["array"], "elements"),
    "maxItems": _length("maxItems", KINDS["array"], "elements"),
    "uniqueItems": _unique,
    "required": _required,
    "dependentRequired": _dependent,
    "minProperties": _length("minProperties", KINDS["object"], "fields"),
    "maxProperties": _length("maxProperties", KINDS["object"], "fields"),
}
"""Keyword -> what it finds wrong with a value. Values of other types are passed over."""
