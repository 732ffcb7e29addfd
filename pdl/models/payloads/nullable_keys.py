"""Optional keys of a provider that requires every key: null means that the key is absent.

`NullableKeys` widens the projected schema, and `decoder_states` derives the automaton by which
ResponseDecoder removes such nulls from a reply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.models.payloads.response_decoder import DecoderState
from pdl.models.payloads.schema_dialect import UnsupportedSchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable

_NULL = {"type": "null"}
_MOST_STATES = 10_000


class NullableKeys:
    """The projected schemas that allow null, and those that were widened by it."""

    def __init__(self, definitions: dict[str, dict[str, Any]]) -> None:
        self._definitions = definitions
        self.widened: set[tuple[int, str]] = set()

    def widen(self, objects: Iterable[tuple[dict[str, Any], list[str]]]) -> None:
        """Allow null for optional keys, unless null is one of their values anyway."""
        found = [
            (projected, name, projected["properties"][name])
            for projected, names in objects
            for name in names
            if not self.allowed(projected["properties"][name])
        ]
        for projected, name, inner in found:
            self.widened.add((id(projected), name))
            if "anyOf" in inner:
                projected["properties"][name] = {**inner, "anyOf": [*inner["anyOf"], _NULL]}
            else:
                words = {key: inner[key] for key in ("title", "description") if key in inner}
                projected["properties"][name] = {**words, "anyOf": [inner, _NULL]}

    def allowed(self, projected: dict[str, Any]) -> bool:
        """Return whether null is a value of a schema."""
        return any(one.get("type") in (None, "null") for one in self.leaves([projected]))

    def leaves(self, forms: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the schemas that a value may have, with unions and references followed."""
        found: dict[int, dict[str, Any]] = {}
        pending = list(forms)
        while pending:
            projected = pending.pop()
            if id(projected) in found:
                continue
            found[id(projected)] = projected
            pending += projected.get("anyOf", ())
            if "$ref" in projected:
                pending.append(self._definitions[projected["$ref"].removeprefix("#/$defs/")])
        return [
            projected for projected in found.values() if not {"anyOf", "$ref"} & projected.keys()
        ]


def decoder_states(root: dict[str, Any], nulls: NullableKeys) -> tuple[DecoderState, ...]:
    """Return the states of the decoder, by where null means an absent key; the first is the root's.

    This is the subset construction over the schema's unions (Rabin & Scott 1959). Raises
    UnsupportedSchemaError for an ambiguous union: null means that a key is absent in one branch,
    and is the key's value in another.
    """
    if not nulls.widened:
        return ()
    groups: dict[frozenset[int], int] = {}
    pending: list[list[dict[str, Any]]] = []

    def number(forms: Iterable[dict[str, Any]]) -> int:
        leaves = [one for one in nulls.leaves(forms) if {"properties", "items"} & one.keys()]
        group = frozenset(map(id, leaves))
        if group not in groups:
            if len(groups) >= _MOST_STATES:
                raise UnsupportedSchemaError((), "anyOf", "its unions have too many combinations")
            groups[group] = len(groups)
            pending.append(leaves)
        return groups[group]

    number([root])
    states = []
    for leaves in pending:  # it grows
        members = {
            key: (_is_dropped(key, leaves, nulls), number(_inner(key, leaves)))
            for key in _keys(leaves)
        }
        items = [leaf["items"] for leaf in leaves if "items" in leaf]
        states.append(DecoderState(members, number(items) if items else None))
    return tuple(states)


def _keys(leaves: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for leaf in leaves for key in leaf.get("properties", ())))


def _inner(key: str, leaves: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [leaf["properties"][key] for leaf in leaves if key in leaf.get("properties", ())]


def _is_dropped(key: str, leaves: list[dict[str, Any]], nulls: NullableKeys) -> bool:
    """Whether null at a key of these objects means that the key is absent."""
    having = [leaf for leaf in leaves if key in leaf.get("properties", ())]
    widened = [leaf for leaf in having if (id(leaf), key) in nulls.widened]
    others = [leaf for leaf in having if (id(leaf), key) not in nulls.widened]
    if widened and any(nulls.allowed(leaf["properties"][key]) for leaf in others):
        why = f"null at `{key}` is a value in one branch, and means in another that it is absent"
        raise UnsupportedSchemaError((), "anyOf", why)
    return bool(widened)
