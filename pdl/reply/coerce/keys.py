"""Keys in another spelling: `userName` and `User-Name` for `user_name`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.reply import parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json
    from pdl.reply.coerce.shapes import Shape


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
            if name in required or _refused(shape, key):
                found[key] = name
    return found


def _by_fold(names: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(fold(name), []).append(name)
    return found


def fold(name: str) -> str:
    """The name without what does not tell keys apart: case, `_` and `-`."""
    return name.replace("_", "").replace("-", "").casefold()


def _refused(shape: Shape, key: str) -> bool:
    """Whether the object may not have that key."""
    return any(_closed(schema, key) for schema in shape)


def _closed(schema: Mapping[str, Any], key: str) -> bool:
    if schema.get("unevaluatedProperties") is False:
        return True
    return parts.of_key(schema, key) == [False]
