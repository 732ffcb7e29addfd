"""`narrowed`: a whole schema in a provider's subset, and the way back from what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pdl.models.payloads.narrowing import Narrowing
from pdl.models.payloads.plan import Nulls, plan
from pdl.models.payloads.undo import Undo
from pdl.schema.references import schemas

if TYPE_CHECKING:
    from pdl._types import JsonSchema
    from pdl.models.exchange import Dropped
    from pdl.models.payloads.subset import Subset


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
