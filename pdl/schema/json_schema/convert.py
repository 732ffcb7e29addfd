"""A JSON Schema of any draft as the document of a schema."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pdl.errors import Problem, error_from
from pdl.schema.json_schema.copying import checked_copy
from pdl.schema.json_schema.links import link, loops, unlink
from pdl.schema.json_schema.survey import Survey
from pdl.schema.json_schema.upgrade import upgrade
from pdl.schema.parts import Parts, json_form

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits

_DRAFTS = {"draft-04": 4, "draft-06": 6, "draft-07": 7, "2019-09": 2019, "2020-12": 2020}
_DIALECT = re.compile(r"https?://json-schema\.org/(?:draft/)?(draft-0[467]|2019-09|2020-12)/")


def convert(schema: Any, limits: Limits) -> Parts:
    """The schema in 2020-12, with every reference a pointer into the document.

    The draft is the one that `$schema` names; without one the forms of all drafts from 4 on are
    taken. Raises SchemaError with all wrong keyword values and all references that are remote or
    dangling, each with its JSON path; LimitError for a schema that is too deep or too large.
    The argument is never changed.
    """
    document = checked_copy(schema, limits)
    if isinstance(document, bool):
        return Parts({} if document else {"not": {}})
    if not isinstance(document, dict):
        kind = type(schema).__name__
        message = f"a JSON Schema is an object, true or false, not a value of type {kind}"
        raise error_from([Problem("schema/not-a-schema", message)])
    survey = Survey(document, _draft(document))
    _raise(survey.problems)
    link(survey)
    _raise(list(loops(survey)))
    for place in survey.places.values():
        upgrade(place.node, survey.draft)
    unlink(document)
    return Parts(document, json_form(document))


def _draft(document: dict[str, Json]) -> int | None:
    name = document.get("$schema")
    match = _DIALECT.match(name) if isinstance(name, str) else None
    return _DRAFTS[match[1]] if match else None


def _raise(problems: list[Problem]) -> None:
    if problems:
        raise error_from(problems)
