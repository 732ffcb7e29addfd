"""The messages about a value by a keyword that it violates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl._types import Json, JsonPath, format_path
from pdl.errors import nearest
from pdl.reply.phrases import (
    FOUND_WIDTH,
    ROW,
    Phrase,
    brief,
    excerpt,
    kinds,
    quoted,
    row,
    say,
    shorten,
    shown_key,
)
from pdl.reply.result import Violation
from pdl.reply.validation.json_types import key, kind_of
from pdl.schema.keywords import DRAFT_4_INTEGER

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

MOST = 1_000
"""The maximum number of violations of one value that are collected."""

_COMPARED = 5_000  # words that are compared with misspelled ones
_FORMATS = {
    "date": ("date", "2024-05-31"),
    "time": ("time", "13:45:00Z"),
    "x-time": ("time", "13:45:00"),
    "date-time": ("date and time", "2024-05-31T13:45:00Z"),
    "x-date-time": ("date and time", "2024-05-31T13:45:00"),
    "duration": ("duration", "P3DT4H"),
    "email": ("email address", "ann@example.com"),
    "hostname": ("hostname", "www.example.com"),
    "uri": ("URI", "https://example.com/a"),
    "uuid": ("UUID", "123e4567-e89b-12d3-a456-426614174000"),
    "ipv4": ("IPv4 address", "192.0.2.1"),
    "ipv6": ("IPv6 address", "2001:db8::1"),
}
"""Format -> what a message calls it, and an example."""


def is_full(violations: Sequence[Violation]) -> bool:
    """Whether so many were collected that there might be more."""
    return len(violations) >= MOST


def violation(keyword: str, path: JsonPath, value: Json, wanted: str, message: str) -> Violation:
    """A violation of `keyword` by the value at `path`."""
    return Violation(path, message, keyword, brief(value), wanted)


def must_be(keyword: str, path: JsonPath, value: Json, wanted: str) -> Violation:
    """A value instead of one that is described."""
    message = say("must-be", wanted=wanted, found=brief(value))
    return violation(keyword, path, value, wanted, message)


def unwelcome(keyword: str, value: Json, path: JsonPath) -> Violation:
    """A value where none is allowed."""
    message = say("unknown") if path else say("forbidden-by-schema")
    return violation(keyword, path, value, say("nothing"), message)


def wrong_type(names: str | Sequence[str], value: Json, path: JsonPath) -> Violation:
    """`type`."""
    names, kind = [names] if isinstance(names, str) else names, kind_of(value)
    if kind == "number" and "integer" in names:  # its type alone does not show what is wrong
        message = say("must-be", wanted=kinds(names), found=brief(value))
    else:
        message = say("type", wanted=kinds(names), found=kinds([kind]))
    return violation("type", path, value, row(names, "list-or"), message)


def _pattern(pattern: str, value: Json, path: JsonPath) -> Iterator[Violation]:
    shown = pattern.replace("\r", "\\r").replace("\n", "\\n")  # on one line
    message = say("pattern", pattern=shown, found=brief(value))
    yield violation("pattern", path, value, say("a-match", pattern=shown), message)


def _missing(names: Sequence[str]) -> tuple[str, str]:
    message = say("missing", items=row(quoted(map(shown_key, names))), number=len(names))
    return row(quoted(names)), message


def _required(names: Sequence[str], value: Json, path: JsonPath) -> Iterator[Violation]:
    yield violation(
        "required", path, value, *_missing([name for name in names if name not in value])
    )


def missing_tag(name: str, values: Sequence[Json], value: Json, path: JsonPath) -> Violation:
    """The key that distinguishes the branches of a union is missing."""
    message = say("missing-tag", name=shown_key(name), wanted=row(map(brief, values), "list-or"))
    return violation("required", path, value, row(quoted([name])), message)


def _dependent(
    dependent: Mapping[str, Sequence[str]], value: Json, path: JsonPath
) -> Iterator[Violation]:
    for name, others in dependent.items():
        missing = [other for other in others if other not in value]
        if name in value and missing:
            wanted, lacks = _missing(missing)
            message = say("missing-beside", name=shown_key(name), missing=lacks)
            yield violation("dependentRequired", path, value, wanted, message)


def _same(_unique: bool, value: Json, path: JsonPath) -> Iterator[Violation]:  # noqa: FBT001
    """Each item that is equal to an earlier one."""
    first: dict[Hashable, int] = {}
    for index, item in enumerate(value):
        earlier = first.setdefault(key(item), index)
        if earlier != index:
            message = say("same", path=format_path((*path, earlier)))
            yield violation("uniqueItems", (*path, index), item, say("another-value"), message)


def _format(name: str) -> Phrase:
    if name not in _FORMATS:
        return say("a-format", name=name)
    shown, example = _FORMATS[name]
    return say("a-format-like", name=shown, example=example)


_WANTED: Mapping[str, Callable[[Any], Phrase]] = {
    DRAFT_4_INTEGER: lambda _: kinds(["integer"]),
    "minimum": lambda limit: say("at-least", bound=brief(limit)),
    "maximum": lambda limit: say("at-most", bound=brief(limit)),
    "exclusiveMinimum": lambda limit: say("more-than", bound=brief(limit)),
    "exclusiveMaximum": lambda limit: say("less-than", bound=brief(limit)),
    "multipleOf": lambda limit: say("a-multiple", bound=brief(limit)),
    "format": _format,
}
"""Keyword -> what a value must be."""

_SIZES = {
    "minLength": ("at-least", "characters"),
    "maxLength": ("at-most", "characters"),
    "minItems": ("at-least", "elements"),
    "maxItems": ("at-most", "elements"),
    "minProperties": ("at-least", "fields"),
    "maxProperties": ("at-most", "fields"),
    "items": ("at-most", "elements"),
}
"""Keyword -> how many of what a value must have."""

_OTHERS: Mapping[str, Callable[[Any, Json, JsonPath], Iterator[Violation]]] = {
    "pattern": _pattern,
    "uniqueItems": _same,
    "required": _required,
    "dependentRequired": _dependent,
}


def violated(word: str, limit: Any, value: Json, path: JsonPath) -> Iterator[Violation]:
    """The violations of an assertion, by its keyword and its limit."""
    if word in _OTHERS:
        yield from _OTHERS[word](limit, value, path)
    elif word in _SIZES:
        size, noun = _SIZES[word]
        wanted = say(size, bound=say(noun, number=limit))
        message = say("must-have", wanted=wanted, found=str(len(value)))
        yield violation(word, path, value, wanted, message)
    else:
        yield must_be(
            "type" if word == DRAFT_4_INTEGER else word, path, value, _WANTED[word](limit)
        )


ASSERTIONS = (*_WANTED, *_OTHERS, *_SIZES)
"""The keywords of `violated`, in the order of their messages."""


class Suggestions:
    """Messages about literals, or keys, that are not among the allowed ones, with suggestions."""

    def __init__(self) -> None:
        self._compared = 0

    def not_among(
        self, keyword: str, choices: Sequence[Json], value: Json, path: JsonPath
    ) -> Violation:
        """`enum`, `const`."""
        wanted = row(map(_literal, choices[:ROW]), "list-or", number=len(choices))
        if len(choices) == 1:
            message = say("must-be", wanted=wanted, found=_literal(value))
        else:
            near = self._near(value, choices)
            hint = say("did-you-mean", near=brief(near)) if near else ""
            message = say("must-be-one-of", wanted=wanted, found=_literal(value), hint=hint)
        return violation(keyword, path, value, wanted, message)

    def unnecessary(
        self, keyword: str, names: list[str], known: list[str], value: Json, path: JsonPath
    ) -> Violation:
        """Keys that the schema does not allow."""
        shown = [self._meant(name, known) for name in names[:ROW]]
        message = say("unnecessary", items=row([*shown, *names[ROW:]]), number=len(names))
        wanted = say("no-other-keys")
        if known:
            wanted = say("no-other-keys-than", items=row(quoted(known)))
        return violation(keyword, path, value, wanted, message)

    def _meant(self, name: str, known: list[str]) -> str:
        near = self._near(name, known)
        hint = say("did-you-mean", near=f"`{shorten(near)}`") if near else ""
        return say("key", name=shorten(name), hint=hint)

    def _near(self, value: Json, choices: Sequence[Json]) -> str:
        """The choice that is most like a short string; an empty one after very many questions."""
        if not isinstance(value, str) or len(value) > FOUND_WIDTH:
            return ""
        self._compared += len(choices)
        known = choices if self._compared <= _COMPARED else ()
        return nearest(value, [one for one in known if isinstance(one, str)])


def _literal(value: Json) -> str:
    return excerpt(value) if isinstance(value, dict | list) else brief(value)


def forbidden(sub: Json, value: Json, path: JsonPath) -> Violation:
    """`not`."""
    if sub in (True, {}):
        return unwelcome("not", value, path)
    items = None
    if isinstance(sub, dict) and len(sub) == 1:
        [(word, named)] = sub.items()
        named = [named] if word == "const" or isinstance(named, str) else named
        if word in ("type", "required"):
            items = kinds(named) if word == "type" else row(quoted(named))
        elif word in ("const", "enum"):
            items = row(map(brief, named), "list-or")
    if items is None:
        shown = excerpt(sub)
        message = say("forbidden", schema=shown, found=brief(value))
        return violation("not", path, value, say("all-but", schema=shown), message)
    message = say("forbidden-keys" if "required" in sub else "forbidden-values", items=items)
    return violation("not", path, value, say("none-of-those", items=items), message)


def contained(
    schema: Mapping[str, Any], number: int, value: Json, path: JsonPath
) -> Iterator[Violation]:
    """`contains`, `minContains`, `maxContains`, if too few or too many items fit."""
    least, most = schema.get("minContains", 1), schema.get("maxContains", number)
    if least <= number <= most:
        return
    size, limit = ("at-least", least) if number < least else ("at-most", most)
    bound = say(size, bound=say("elements", number=limit))
    wanted = say("such-elements", bound=bound, schema=excerpt(schema["contains"]))
    message = say("must-have", wanted=wanted, found=str(number))
    yield violation("contains", path, value, wanted, message)


def several_fit(number: int, fitting: list[str], value: Json, path: JsonPath) -> Violation:
    """`oneOf`, of which more than one branch fits."""
    wanted = say("one-alternative", number=number)
    message = say("several-fit", number=number, items=row(fitting))
    return violation("oneOf", path, value, wanted, message)


def fits_none(keyword: str, number: int, value: Json, path: JsonPath) -> Violation:
    """A union of which several branches might have been meant."""
    message = say("no-variant", number=number)
    return violation(keyword, path, value, say("some-variant", number=number), message)
