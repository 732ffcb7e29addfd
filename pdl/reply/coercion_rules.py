"""Rules of coercions: the values of strings, the choices of union branches, spellings of keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl import _re as re
from pdl.reply.parsing.parsed import exact, is_deep, parse
from pdl.reply.parsing.parsed import whole as whole_number
from pdl.reply.result import Parsed
from pdl.reply.validation.json_types import KINDS, as_integer, lone_surrogate
from pdl.reply.validation.schema_walk import Document, of_key, resolve

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath
    from pdl.limits import Limits

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?P<rest>(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)")
_GROUPED = re.compile(r"-?[1-9][0-9]{0,2}(?>(?:,[0-9]{3})+)(?P<rest>(?:\.[0-9]++)?)")
_GROUP_OR_FRACTION = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{3}")
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_NO_ITEM = re.compile(
    r"\s*+(?:$|[\[{]|(?:none|null|nil|n/?a|-|–|—|nothing|empty)\s*+$)", re.IGNORECASE
)
_SEVERAL = re.compile(r"[,;|、，；\n\r\t•]")
_EXPONENT = 5  # digits of an exponent; no float needs as many


def numeral(text: str, limits: Limits, *, whole: bool, thousands: bool) -> tuple[str, float] | None:
    """The number that a string is in JSON's spelling (RFC 8259, 6), and the coercion's name.

    `thousands` allows commas between groups of three digits. With them 1.234 is ambiguous, as 1.000
    is where an integer is expected (`whole`).
    """
    bare = text.strip()
    kind, found = "numbers_in_strings", _NUMBER.fullmatch(bare)
    if found and _GROUP_OR_FRACTION.fullmatch(bare):
        if bare.endswith(".000") if whole else thousands:
            return None
    elif found is None and thousands:
        kind, found = "thousands", _GROUPED.fullmatch(bare)
    value = None if found is None else _value(found, limits, whole=whole)
    return None if value is None else (kind, value)


def _value(found: re.Match[str], limits: Limits, *, whole: bool) -> float | None:
    """The exact value, 5.0 as 5 if `whole`; None if it is too long, or no float equals it."""
    digits = found[0].replace(",", "")
    if len(digits) > limits.integer_digits:
        return None
    if not found["rest"]:
        return whole_number(digits, limits.integer_digits)
    if len(digits.lower().partition("e")[2]) > _EXPONENT:
        return None
    value = exact(digits)
    if isinstance(value, str):
        return None
    return as_integer(value) if whole and value % 1 == 0 else value


def constants(text: str) -> list[Json]:
    """The value of `true`, `false`, `null`, or what Python calls them; empty for other words."""
    bare = text.strip()
    return [_WORDS[bare]] if bare in _WORDS else []


def fold(text: str) -> str:
    """The string without case and outer spaces, which do not distinguish members of an enum."""
    return text.strip().lower()


def is_single(value: Json) -> bool:
    """Whether a value can be one element of a list.

    Null cannot, nor a string that means null (`none`, `N/A`), is empty, is JSON, or might contain
    several elements: `a, b`.
    """
    if not isinstance(value, str):
        return value is not None
    return not (_NO_ITEM.match(value) or _SEVERAL.search(value.strip()))


def container(text: str, depth: int, limits: Limits) -> Json:
    """The object or array that a string is as JSON, at most `depth` deep; None for others.

    None also for JSON that contains an unpaired surrogate.
    """
    body = text.strip()
    if body[:1] not in {"{", "["} or is_deep(body, depth):
        return None
    made = parse(body, limits)
    if not isinstance(made, Parsed) or lone_surrogate(made.value):
        return None
    return made.value


Schemas: TypeAlias = tuple[Any, ...]
"""Subschemas that all apply to one value."""

Shape: TypeAlias = tuple[Mapping[str, Any], ...]
"""The same with one branch chosen of each union; only the keywords of each itself count."""

_MOST = 2_000  # choices of branches that are tried for one part
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
_ANSWER = frozenset(
    (
        *("answer", "answers", "finalanswer", "result", "results", "finalresult", "value"),
        *("values", "output", "outputs", "response", "reply", "data", "content", "payload"),
        *("items", "list", "json", "object", "array", "label", "category", "classification"),
        *("choice", "decision", "verdict", "kind", "solution", "extraction", "extracted"),
        *("return", "arguments"),
    )
)


def shapes(document: Document, schemas: Schemas, value: Json) -> list[Shape] | None:
    """Each choice of branches that allows the type of the value; None if there are too many.

    A depth-first search; a union waits as a tuple of its branches until only unions are left.
    """
    found: dict[tuple[int, ...], Shape] = {}
    pending: list[tuple[Shape, list[Any]]] = [((), list(reversed(schemas)))]
    for _ in range(_MOST):
        if not pending:
            return list(found.values())
        shape, todo = pending.pop()
        while todo:
            schema = todo.pop()
            if isinstance(schema, tuple):
                pending += [(shape, [*todo, branch]) for branch in reversed(schema)]
                break
            if schema is True or any(schema is known for known in shape):
                continue
            if schema is False or not _allows(schema, value):
                break
            shape = (*shape, schema)
            todo = [*_unions(schema), *todo, *_conjoined(document, schema, value)]
        else:
            found[tuple(map(id, shape))] = shape
    return None


def _allows(schema: Mapping[str, Any], value: Json) -> bool:
    kinds = schema.get("type", ())
    return not kinds or any(KINDS[kind](value) for kind in _listed(kinds))


def _listed(kinds: str | list[str]) -> list[str]:
    return [kinds] if isinstance(kinds, str) else kinds


def _conjoined(document: Document, schema: Mapping[str, Any], value: Json) -> Iterator[Json]:
    """Subschemas that apply to the value in any case."""
    if "$ref" in schema:
        yield resolve(document, schema["$ref"])
    yield from schema.get("allOf", ())
    if isinstance(value, dict):
        dependent = schema.get("dependentSchemas", {})
        yield from (sub for name, sub in dependent.items() if name in value)


def _unions(schema: Mapping[str, Any]) -> Iterator[tuple[Json, ...]]:
    """The choices that a schema leaves; which one is right shows when the value is checked."""
    if "if" in schema:
        yield schema.get("then", True), schema.get("else", True)
    yield from (tuple(schema[word]) for word in ("oneOf", "anyOf") if word in schema)


# Keys


class Keys:
    """The keys that a shape declares, and the spellings that represent them."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._required = {name for schema in shape for name in schema.get("required", ())}
        self._declared = {name for schema in shape for name in schema.get("properties", ())}
        self._names = _by_fold(self._declared | self._required)

    def renamed(self, value: Mapping[str, Json]) -> dict[str, str]:
        """From each key that represents a declared one to that one.

        Only a key that is not allowed, or that represents a required one, and only if no other key
        and no other declared name has its spelling.
        """
        found: dict[str, str] = {}
        for fold, keys in _by_fold(value.keys() - self._declared).items():
            names = self._names.get(fold, [])
            if len(keys) == len(names) == 1 and names[0] in self._declared - value.keys():
                [key], [name] = keys, names
                if _same_words(key, name) and (name in self._required or self._refuses(key)):
                    found[key] = name
        return found

    def is_optional(self, name: str) -> bool:
        """Whether a key is declared, and nothing requires it."""
        return name in self._declared and name not in self._required

    def _refuses(self, key: str) -> bool:
        return any(
            schema.get("unevaluatedProperties") is False or of_key(schema, key) == [False]
            for schema in self._shape
        )


def means_answer(key: str, schemas: Schemas, path: JsonPath) -> bool:
    """Whether a key calls its value the answer, or as the schema or the field around it is called.

    Other keys say something else about it: `{"error": 404}`, `{"min": 5}`.
    """
    name = _fold(key)
    if name in _ANSWER or (path and isinstance(path[-1], str) and _fold(path[-1]) == name):
        return True
    return any(name in map(_fold, _titles(one)) for one in schemas if isinstance(one, dict))


def _titles(schema: Mapping[str, Any]) -> list[str]:
    """The names of a schema: its title, and the name under which it is referred to."""
    titles = (schema.get("title"), schema.get("$ref", "").rpartition("/")[2])
    return [title for title in titles if isinstance(title, str) and title]


def _by_fold(names: set[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(_fold(name), []).append(name)
    return found


def _fold(name: str) -> str:
    """The name without what does not distinguish keys: case, `_` and `-`."""
    return name.replace("_", "").replace("-", "").casefold()


def _same_words(key: str, name: str) -> bool:
    """Whether two spellings have the same words: `resign` does not have those of `re_sign`."""
    if key.casefold() == name.casefold():
        return True
    one, other = (_WORD.findall(spelled) for spelled in (key, name))
    return [word.casefold() for word in one] == [word.casefold() for word in other]
