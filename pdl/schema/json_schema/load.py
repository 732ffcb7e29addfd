"""A JSON Schema's text as JSON, with the place of what is wrong in it.

The keywords take the values that JSON Schema Core and Validation 2020-12 and older drafts give
them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING

from pdl.errors import Problem, error_from
from pdl.schema.keywords import MANY, NAMED, ONE, pointer
from pdl.schema.patterns import DIALECT, complaint
from pdl.schema.prose import quoted, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl._types import Json, JsonPath
    from pdl.limits import Limits
    from pdl.schema.json_schema.survey import Place
    from pdl.source import Source


TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Json) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_step(value: Json) -> bool:
    return _is_number(value) and value > 0


def _is_flag(value: Json) -> bool:
    return isinstance(value, bool)


def _is_string(value: Json) -> bool:
    return isinstance(value, str)


def _is_array(value: Json) -> bool:
    return isinstance(value, list)


def _are_names(value: Json) -> bool:
    return isinstance(value, list) and all(map(_is_string, value))


def _are_named_names(value: Json) -> bool:
    return isinstance(value, dict) and all(map(_are_names, value.values()))


def _is_schema(value: Json) -> bool:
    return isinstance(value, dict | bool)


def _are_schemas(value: Json) -> bool:
    return isinstance(value, list) and all(map(_is_schema, value))


def _are_some_schemas(value: Json) -> bool:
    return bool(value) and _are_schemas(value)


def _are_named_schemas(value: Json) -> bool:
    return isinstance(value, dict) and all(map(_is_schema, value.values()))


def _is_type(value: Json) -> bool:
    names = value if isinstance(value, list) and value else [value]
    return all(map(_is_type_name, names)) and len(set(names)) == len(names)


def _is_type_name(value: Json) -> bool:
    return isinstance(value, str) and value in TYPES


def _is_anchor(value: Json) -> bool:
    """Core 2020-12, section 8.2.2, and 2019-09."""
    return isinstance(value, str) and _ANCHOR.fullmatch(value) is not None


_NEWEST = 2020
_COUNTS = ("Contains", "Items", "Length", "Properties")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_STRINGS = ("$comment", "$dynamicRef", "$id", "$ref", "$schema")
_TEXTS = ("description", "format", "pattern", "title", "x-gbnf")
_COUNT = (_is_count, "a whole number from 0 on")
_STRING = (_is_string, "a string")
_NAME = (_is_anchor, "a name of letters, digits, `-`, `_`, `.` and `:` that begins with a letter")
_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._:]*")

_SHAPES: MappingProxyType[str, tuple[Callable[[Json], bool], str]] = MappingProxyType(
    {
        **{f"{end}{name}": _COUNT for name in _COUNTS for end in ("min", "max")},
        **dict.fromkeys(_BOUNDS, (_is_number, "a number")),
        **dict.fromkeys((*_STRINGS, *_TEXTS), _STRING),
        **dict.fromkeys(("$anchor", "$dynamicAnchor"), _NAME),
        **dict.fromkeys(("uniqueItems", "deprecated"), (_is_flag, "true or false")),
        **dict.fromkeys(ONE, (_is_schema, "a schema")),
        **dict.fromkeys(MANY, (_are_some_schemas, "an array of one or more schemas")),
        **dict.fromkeys(NAMED, (_are_named_schemas, "an object of schemas")),
        "multipleOf": (_is_step, "a number above 0"),
        "enum": (_is_array, "an array"),
        "required": (_are_names, "an array of strings"),
        "dependentRequired": (_are_named_names, "an object of arrays of strings"),
        "type": (_is_type, f"one of {', '.join(TYPES)}, or an array of them, each once"),
    }
)


def problems(place: Place) -> Iterator[Problem]:
    """What is wrong with the keywords of one schema, aside from the schemas in it.

    Where no draft is named, the forms of all drafts are taken.
    """
    for key, value in place.node.items():
        test, wanted = _SHAPES.get(key, (None, ""))
        if test is None or test(value) or _fits_older(key, value, place.draft):
            continue
        inside = list(_wrong_inside(key, value))
        for steps, part, inner in inside:
            message = f"each value in `{key}` is {part}, not {shown(inner)}"
            yield _problem("schema/bad-keyword", message, "", place, key, *steps)
        if not inside:
            message = f"the value of `{key}` is {wanted}, not {shown(value)}"
            yield _problem("schema/bad-keyword", message, _hint(key, value), place, key)
    yield from _bad_patterns(place)


def _wrong_inside(key: str, value: Json) -> Iterator[tuple[JsonPath, str, Json]]:
    """The parts of a keyword's value that are to blame: the steps to each, what it is to be, it."""
    wanted = next((part for keys, part in _PARTS if key in keys), None)
    if wanted is None or not isinstance(value, list | dict):
        return
    for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if not wanted[0](inner):
            yield (step,), wanted[1], inner


_PARTS = (
    ((NAMED | MANY) - {"dependencies"}, (_is_schema, "a schema")),
    (frozenset({"required"}), _STRING),
    (frozenset({"dependentRequired"}), (_are_names, "an array of strings")),
    (frozenset({"type"}), (_is_type_name, f"one of {', '.join(TYPES)}")),
)
"""What the values in the objects and arrays of keywords are."""


def _problem(code: str, message: str, hint: str, place: Place, *steps: str | int) -> Problem:
    where = f"{place.pointer}{pointer(steps)[1:]}"
    return Problem(code, f"{message} (at {visible(where)})", None, hint, where)


def _bad_patterns(place: Place) -> Iterator[Problem]:
    own, of_keys = place.node.get("pattern"), place.node.get("patternProperties")
    patterns: list[tuple[str, tuple[str, ...]]] = []
    if isinstance(own, str):
        patterns.append((own, ("pattern",)))
    if isinstance(of_keys, dict):
        patterns += [(key, ("patternProperties", key)) for key in of_keys]
    for pattern, steps in patterns:
        wrong = complaint(pattern)
        if wrong:
            message = f"the pattern {quoted(pattern)} is no regular expression: {wrong}"
            yield _problem("schema/bad-pattern", message, DIALECT, place, *steps)


def _fits_older(key: str, value: Json, draft: int | None) -> bool:
    """Whether an older draft, that the schema may be of, takes the value."""
    if key in ("exclusiveMinimum", "exclusiveMaximum"):
        return draft in (None, 4) and isinstance(value, bool)
    if key == "items":
        return draft != _NEWEST and _are_schemas(value)
    if key == "dependencies":
        return isinstance(value, dict) and all(
            isinstance(one, dict | bool) or _are_names(one) for one in value.values()
        )
    return False


def _hint(key: str, value: Json) -> str:
    if key == "required" and isinstance(value, bool):
        return "`required` stands beside `properties` and lists their names, from draft 4 on"
    if key == "type" and value == "any":
        return "leave `type` out for any value"
    if key == "exclusiveMinimum" and isinstance(value, bool):
        return "from draft 6 on, it is the bound itself"
    return ""


def shown(value: Json) -> str:
    """A value as an error quotes it, in the words of JSON."""
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, dict | list) else ""
    if not text:
        kind = "array" if isinstance(value, list) else "object"
        return f"an {kind}" if value else f"an empty {kind}"
    return quoted(text)


_PIECES = re.compile(r'"(?>(?:[^"\\]|\\.)*)(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)
_KEYWORDS = ("$ref", "$schema", "allOf", "anyOf", "oneOf", "properties")
_DEPTH_FACTOR = 4


def load(source: Source, limits: Limits, start: int = 0) -> Json:
    """The JSON value that stands in the text from an offset on.

    Raises SchemaError for text that is no JSON, with its place, and for a key that stands twice;
    LimitError for text that is too long or too deep.
    """
    check_size(source, limits, start)

    def integer(digits: str) -> int:
        if len(digits) > limits.integer_digits:
            message = f"an integer of more than {limits.integer_digits:,} digits"
            raise error_from([Problem("limit/integer-digits", message, source.span(start))])
        return int(digits)

    def constant(name: str) -> Json:
        raise error_from(
            [Problem("schema/not-json", f"{name} is no JSON value", source.span(start))]
        )

    def pairs(entries: list[tuple[str, Json]]) -> dict[str, Json]:
        result = dict(entries)
        if len(result) < len(entries):
            key = _twice([key for key, _ in entries])
            message = f"an object of the JSON Schema has the key `{key}` twice"
            raise error_from([Problem("schema/duplicate-key", message, source.span(start))])
        return result

    try:
        return json.loads(
            source.text[start:].lstrip("\ufeff"),
            parse_int=integer,
            parse_constant=constant,
            object_pairs_hook=pairs,
        )
    except json.JSONDecodeError as error:
        end = len(source.text.rstrip())
        message = f"this is no JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        place = source.span(min(start + error.pos, end))
        raise error_from([Problem("schema/not-json", message, place)]) from error


def looks_like_schema(text: str, limits: Limits) -> bool:
    """Whether a text as a whole is the JSON of an object that has a JSON Schema's keywords."""
    if len(text) > limits.source_chars:
        return False
    if _deepest(text, 0)[0] > limits.schema_depth * _DEPTH_FACTOR:
        return False
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except ValueError:
        return False
    return isinstance(value, dict) and _has_keywords(value)


def _has_keywords(value: dict[str, Json]) -> bool:
    return value.get("type") in TYPES or any(key in value for key in _KEYWORDS)


def check_size(source: Source, limits: Limits, start: int = 0) -> None:
    """Raise LimitError, with a place, for text that is too long or too deep."""
    if len(source.text) > limits.source_chars:
        message = f"longer than {limits.source_chars:,} characters"
        raise error_from([Problem("limit/source-chars", message, source.span(start))])
    depth, place = _deepest(source.text, start)
    most = limits.schema_depth * _DEPTH_FACTOR
    if depth > most:
        message = f"the JSON nests deeper than {most} levels"
        raise error_from([Problem("limit/schema-depth", message, source.span(place))])


def _deepest(text: str, start: int) -> tuple[int, int]:
    """How deep the brackets outside strings nest, and where they first do."""
    depth = deepest = place = 0
    for match in _PIECES.finditer(text, start):
        if match[0] in "[{":
            depth += 1
            if depth > deepest:
                deepest, place = depth, match.start()
        elif match[0] in "]}":
            depth -= 1
    return deepest, place


def _twice(keys: list[str]) -> str:
    counts = Counter(keys)
    return next(key for key in keys if counts[key] > 1)
