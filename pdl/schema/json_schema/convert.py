"""A JSON Schema of any draft as the document of a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.errors import Problem, error_from
from pdl.schema.json_schema.copying import checked_copy
from pdl.schema.json_schema.links import link, loops, unlink
from pdl.schema.json_schema.shapes import shown
from pdl.schema.json_schema.survey import REFERENCES, Survey, dialect
from pdl.schema.json_schema.upgrade import upgrade
from pdl.schema.keywords import pointer
from pdl.schema.origins import Origins
from pdl.schema.parts import Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.schema.json_schema.survey import Place


def convert(schema: Any, limits: Limits, registry: Mapping[str, Any] | None = None) -> Parts:
    """The schema in 2020-12, with every reference a pointer into the document.

    The draft is the one that `$schema` names; without one the forms of all drafts from 4 on are
    taken. Raises SchemaError with all wrong keyword values and all references that are remote or
    dangling, each with its JSON path; LimitError for a schema that is too deep or too large.
    References to a URI that `registry` has lead to the schema there. The arguments are never
    changed.
    """
    document = checked_copy(schema, limits)
    if isinstance(document, bool):
        return Parts({} if document else {"not": {}})
    if not isinstance(document, dict):
        message = f"a JSON Schema is an object, true or false, not {shown(document)}"
        hint = "read the text with json.loads first" if isinstance(document, str) else ""
        raise error_from([Problem("schema/not-a-schema", message, None, hint, pointer="#")])
    survey = Survey(document, dialect(document), _remote(registry or {}, limits))
    _raise(survey.problems)
    booleans = link(survey)
    _raise(list(loops(survey)))
    older = {identity: _upgraded(survey, place) for identity, place in survey.places.items()}
    paths, joined = unlink(document)
    for node in joined:
        if node == {"not": {}} and id(node) in booleans:
            older[id(node)] = {"not": "false"}
    renamed = {
        f"{pointer(paths[identity])}/{new}": old
        for identity, names in older.items()
        if names and identity in paths
        for new, old in names.items()
    }
    places = survey.places | booleans
    moved = {
        pointer(paths[id(node)]): places[id(node)].pointer for node in joined if id(node) in places
    }
    return Parts(document, origins=Origins(renamed, moved))


def _upgraded(survey: Survey, place: Place) -> dict[str, str]:
    """Bring a schema to 2020-12; the older names of its keywords."""
    older = upgrade(place.node, place.draft)
    followed = [key for key in REFERENCES if (id(place.node), key) in survey.targets]
    return older if not followed or "$ref" in followed else {**older, "$ref": followed[0]}


def _remote(registry: Mapping[str, Any], limits: Limits) -> Callable[[str], Json]:
    """From a URI to a copy of the schema that a registry has for it, with or without a `#`."""

    def copied(uri: str) -> Json:
        found = registry.get(uri, registry.get(f"{uri}#"))
        return None if found is None else checked_copy(found, limits)

    return copied


def _raise(problems: list[Problem]) -> None:
    if problems:
        raise error_from(problems)
