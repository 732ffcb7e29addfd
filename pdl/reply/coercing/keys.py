"""Keys in another spelling: `userName` and `User-Name` for `user_name`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pdl.reply.validation.schema_walk import of_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json, JsonPath
    from pdl.reply.coercing.shapes import Schemas, Shape

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
_ANSWER = frozenset(
    (
        *(
            "answer",
            "answers",
            "finalanswer",
            "result",
            "results",
            "finalresult",
            "value",
            "values",
        ),
        *("output", "outputs", "response", "reply", "data", "content", "payload", "items", "list"),
        *("json", "object", "array", "label", "category", "classification", "choice", "decision"),
        *("verdict", "kind", "solution", "extraction", "extracted", "return", "arguments"),
    )
)


def means_answer(key: str, schemas: Schemas, path: JsonPath) -> bool:
    """Whether a key calls its value the answer, or as the schema or the field around it is called.

    Other keys say something else of it: `{"error": 404}`, `{"min": 5}`.
    """
    name = fold(key)
    if name in _ANSWER or (path and isinstance(path[-1], str) and fold(path[-1]) == name):
        return True
    return any(name in _names(schema) for schema in schemas if isinstance(schema, dict))


def _names(schema: Mapping[str, Any]) -> set[str]:
    """What a schema is called: its title, and the name under which it is referred to."""
    names = (schema.get("title"), schema.get("$ref", "").rpartition("/")[2])
    return {fold(name) for name in names if isinstance(name, str) and name}


def renamed(shape: Shape, value: Mapping[str, Json]) -> dict[str, str]:
    """From each key that stands for a declared one to that one.

    Only a key that may not stay, or that stands for a required one; and only if no other key and no
    other declared name is spelled like it.
    """
    required = {name for schema in shape for name in schema.get("required", ())}
    declared = {name: None for schema in shape for name in schema.get("properties", ())}
    names = _by_fold([*declared, *(name for name in required if name not in declared)])
    keys = _by_fold([key for key in value if key not in declared])
    found: dict[str, str] = {}
    for folded, spelled in keys.items():
        meant = names.get(folded, [])
        if len(spelled) == len(meant) == 1 and meant[0] in declared and meant[0] not in value:
            [key], [name] = spelled, meant
            if not _same_words(key, name):
                continue
            if name in required or _refused(shape, key):
                found[key] = name
    return found


def may_be_absent(shape: Shape, name: str) -> bool:
    """Whether a key is declared, and nothing demands it."""
    declared = any(name in schema.get("properties", ()) for schema in shape)
    return declared and not any(name in schema.get("required", ()) for schema in shape)


def _by_fold(names: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(fold(name), []).append(name)
    return found


def fold(name: str) -> str:
    """The name without what does not tell keys apart: case, `_` and `-`."""
    return name.replace("_", "").replace("-", "").casefold()


def _same_words(key: str, name: str) -> bool:
    """Whether two spellings have the same words: `resign` is not `re_sign`."""
    if key.casefold() == name.casefold():
        return True
    one, other = (_WORD.findall(spelled) for spelled in (key, name))
    return [word.casefold() for word in one] == [word.casefold() for word in other]


def _refused(shape: Shape, key: str) -> bool:
    """Whether the object may not have that key."""
    return any(_closed(schema, key) for schema in shape)


def _closed(schema: Mapping[str, Any], key: str) -> bool:
    if schema.get("unevaluatedProperties") is False:
        return True
    return of_key(schema, key) == [False]
