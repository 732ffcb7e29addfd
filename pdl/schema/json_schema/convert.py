"""A JSON Schema of any draft as the document of a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.errors import Problem, error_from
from pdl.schema.json_schema.copying import checked_copy
from pdl.schema.json_schema.links import link, loops, unlink
from pdl.schema.json_schema.survey import Survey, dialect
from pdl.schema.json_schema.upgrade import upgrade
from pdl.schema.parts import Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl._types import Json
    from pdl.limits import Limits


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
        kind = type(schema).__name__
        message = f"a JSON Schema is an object, true or false, not a value of type {kind}"
        raise error_from([Problem("schema/not-a-schema", message)])
    survey = Survey(document, dialect(document), _remote(registry or {}, limits))
    _raise(survey.problems)
    link(survey)
    _raise(list(loops(survey)))
    for place in survey.places.values():
        upgrade(place.node, place.draft)
    unlink(document)
    return Parts(document)


def _remote(registry: Mapping[str, Any], limits: Limits) -> Callable[[str], Json]:
    """From a URI to a copy of the schema that a registry has for it, with or without a `#`."""

    def copied(uri: str) -> Json:
        found = registry.get(uri, registry.get(f"{uri}#"))
        return None if found is None else checked_copy(found, limits)

    return copied


def _raise(problems: list[Problem]) -> None:
    if problems:
        raise error_from(problems)
