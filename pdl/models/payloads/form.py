"""`narrowed`: a whole schema in a provider's subset, and the way back from what it answers.

Where a provider wants all keys, null says that one which may be absent is so, and is undone
(`plan`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pdl.models.payloads.narrowing import Narrowing
from pdl.models.payloads.subset import UnheldError
from pdl.models.payloads.undo import Place, Undo
from pdl.schema.keywords import schemas

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import JsonSchema
    from pdl.models.exchange import Dropped
    from pdl.models.payloads.subset import Subset


_NULL = {"type": "null"}
_MOST_PLACES = 10_000


class Nulls:
    """The forms of a schema that allow null, and those that were widened by it."""

    def __init__(self, definitions: dict[str, dict[str, Any]]) -> None:
        self._definitions = definitions
        self.widened: set[tuple[int, str]] = set()

    def widen(self, objects: Iterable[tuple[dict[str, Any], list[str]]]) -> None:
        """Let keys that may be absent be null, unless null is one of their values anyway."""
        found = [
            (form, name, form["properties"][name])
            for form, names in objects
            for name in names
            if not self.allowed(form["properties"][name])
        ]
        for form, name, inner in found:
            self.widened.add((id(form), name))
            if "anyOf" in inner:
                form["properties"][name] = {**inner, "anyOf": [*inner["anyOf"], _NULL]}
            else:
                words = {key: inner[key] for key in ("title", "description") if key in inner}
                form["properties"][name] = {**words, "anyOf": [inner, _NULL]}

    def allowed(self, form: dict[str, Any]) -> bool:
        """Whether null is among the values of a form."""
        return any(one.get("type") in (None, "null") for one in self.leaves([form]))

    def leaves(self, forms: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """The forms that a value may have, with unions and references followed."""
        found: dict[int, dict[str, Any]] = {}
        pending = list(forms)
        while pending:
            form = pending.pop()
            if id(form) in found:
                continue
            found[id(form)] = form
            pending += form.get("anyOf", ())
            if "$ref" in form:
                pending.append(self._definitions[form["$ref"].removeprefix("#/$defs/")])
        return [form for form in found.values() if not {"anyOf", "$ref"} & form.keys()]


def plan(root: dict[str, Any], nulls: Nulls) -> tuple[Place, ...]:
    """Where in a reply which nulls are to be undone; the first place is the whole's.

    Raises UnheldError where that cannot be told: where in one form of a union null says that a
    key is absent, and in another it is the key's value.
    """
    if not nulls.widened:
        return ()
    groups: dict[frozenset[int], int] = {}
    pending: list[list[dict[str, Any]]] = []

    def number(forms: Iterable[dict[str, Any]]) -> int:
        leaves = [one for one in nulls.leaves(forms) if {"properties", "items"} & one.keys()]
        group = frozenset(map(id, leaves))
        if group not in groups:
            if len(groups) >= _MOST_PLACES:
                raise UnheldError((), "anyOf", "its unions have too many combinations")
            groups[group] = len(groups)
            pending.append(leaves)
        return groups[group]

    number([root])
    places = []
    for leaves in pending:  # it grows
        members = {
            key: (_is_dropped(key, leaves, nulls), number(_inner(key, leaves)))
            for key in _keys(leaves)
        }
        items = [leaf["items"] for leaf in leaves if "items" in leaf]
        places.append(Place(members, number(items) if items else None))
    return tuple(places)


def _keys(leaves: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for leaf in leaves for key in leaf.get("properties", ())))


def _inner(key: str, leaves: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [leaf["properties"][key] for leaf in leaves if key in leaf.get("properties", ())]


def _is_dropped(key: str, leaves: list[dict[str, Any]], nulls: Nulls) -> bool:
    """Whether null at a key of these objects says that the key is absent."""
    having = [leaf for leaf in leaves if key in leaf.get("properties", ())]
    widened = [leaf for leaf in having if (id(leaf), key) in nulls.widened]
    others = [leaf for leaf in having if (id(leaf), key) not in nulls.widened]
    if widened and any(nulls.allowed(leaf["properties"][key]) for leaf in others):
        why = (
            f"null at `{key}` is a value in one of its forms, and says in another that it is absent"
        )
        raise UnheldError((), "anyOf", why)
    return bool(widened)


@dataclass(frozen=True)
class Form:
    """A schema as a provider takes it, what it leaves to the check, and what is to be undone."""

    schema: dict[str, Any]
    dropped: tuple[Dropped, ...] = ()
    undo: Undo | None = None


def narrowed(document: JsonSchema, subset: Subset) -> Form:
    """The form of a schema's document in a subset. Raises UnheldError if it has none."""
    narrowing = Narrowing(document, subset)
    root = narrowing.schema({**document, "$defs": {}}, ())
    definitions: dict[str, dict[str, Any]] = {}
    while narrowing.named.pending:
        name, node, path = narrowing.named.next()
        definitions[name] = narrowing.schema(node, path)
    nulls = Nulls(definitions)
    if subset.all_required:
        nulls.widen(narrowing.objects.optional)
    places = plan(root, nulls)
    key = ""
    if subset.object_root and root.get("type") != "object":
        key = free_key(document)
        root = wrapped(root, key)
    schema = {**root, **({"$defs": definitions} if definitions else {})}
    undo = Undo(places, key) if places or key else None
    return Form(schema, tuple(dict.fromkeys(narrowing.dropped)), undo)


def wrapped(schema: dict[str, Any], key: str) -> dict[str, Any]:
    """An object whose one key has a schema: most providers take nothing but objects."""
    return {
        "type": "object",
        "properties": {key: schema},
        "required": [key],
        "additionalProperties": False,
    }


def free_key(document: JsonSchema) -> str:
    """A key that no object of the schema has, so that nothing else can be taken for the wrapper."""
    taken: set[str] = set()
    for _, node in schemas(document):
        taken |= {*node.get("properties", {}), *node.get("required", ())}
    key = "answer"
    while key in taken:
        key += "_"
    return key
