"""What values the keywords take (JSON Schema Core and Validation 2020-12, and older drafts)."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING

from pdl._types import Json, JsonPath, JsonSchema, format_path
from pdl.errors import Problem
from pdl.schema.keywords import MANY, NAMED, ONE
from pdl.schema.patterns import complaint
from pdl.schema.prose import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    return all(isinstance(name, str) and name in TYPES for name in names)


_NEWEST = 2020
_COUNTS = ("Contains", "Items", "Length", "Properties")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_STRINGS = ("$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$ref")
_TEXTS = ("description", "format", "pattern", "title", "x-gbnf")
_COUNT = (_is_count, "a whole number from 0 on")
_STRING = (_is_string, "a string")

_SHAPES: MappingProxyType[str, tuple[Callable[[Json], bool], str]] = MappingProxyType(
    {
        **{f"{end}{name}": _COUNT for name in _COUNTS for end in ("min", "max")},
        **dict.fromkeys(_BOUNDS, (_is_number, "a number")),
        **dict.fromkeys((*_STRINGS, *_TEXTS), _STRING),
        **dict.fromkeys(("uniqueItems", "deprecated"), (_is_flag, "true or false")),
        **dict.fromkeys(ONE, (_is_schema, "a schema")),
        **dict.fromkeys(MANY, (_are_some_schemas, "an array of one or more schemas")),
        **dict.fromkeys(NAMED, (_are_named_schemas, "an object of schemas")),
        "multipleOf": (_is_step, "a number above 0"),
        "enum": (_is_array, "an array"),
        "required": (_are_names, "an array of strings"),
        "dependentRequired": (_are_named_names, "an object of arrays of strings"),
        "type": (_is_type, f"one of {', '.join(TYPES)}, or an array of them"),
    }
)


def problems(node: JsonSchema, path: JsonPath, draft: int | None) -> Iterator[Problem]:
    """What is wrong with the keywords of one schema, aside from the schemas in it.

    The draft is 4, 6, 7, 2019, 2020, or None for a schema that names none: then the forms of all
    drafts are taken.
    """
    for key, value in node.items():
        test, wanted = _SHAPES.get(key, (None, ""))
        if test is None or test(value) or _fits_older(key, value, draft):
            continue
        message = f"the value of `{key}` is {wanted}, not {_shown(value)}"
        yield Problem(
            "schema/bad-keyword", f"{message} (at {format_path(path)})", hint=_hint(key, value)
        )
    yield from _bad_patterns(node, path)


def _bad_patterns(node: JsonSchema, path: JsonPath) -> Iterator[Problem]:
    own, of_keys = node.get("pattern"), node.get("patternProperties")
    patterns = [own] if isinstance(own, str) else []
    patterns += of_keys if isinstance(of_keys, dict) else []
    for pattern in patterns:
        wrong = complaint(pattern)
        if wrong:
            message = f"the pattern {quoted(pattern)} is no regular expression: {wrong}"
            hint = "patterns are those of ECMA-262, without inline flags"
            yield Problem("schema/bad-pattern", f"{message} (at {format_path(path)})", hint=hint)


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


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, dict | list) else ""
    if not text:
        kind = "array" if isinstance(value, list) else "object"
        return f"an {kind}" if value else f"an empty {kind}"
    return quoted(text)
