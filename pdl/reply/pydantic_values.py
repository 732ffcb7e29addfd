"""Instances of pydantic's types, and pydantic's errors as violations. Imported only for them."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from pydantic import TypeAdapter, ValidationError

from pdl.reply.rules import ConversionError, of_words, words_of
from pdl.schema.model import spelling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.plugin._schema_validator import PluggableSchemaValidator
    from pydantic_core import ErrorDetails, SchemaValidator

    from pdl._types import Json, JsonPath
    from pdl.reply.result import Violation


def validated(form: Any, value: Json, text: str = "", path: JsonPath = ()) -> Any:
    """Return the instance that pydantic makes of JSON, which is given as its text too, if known.

    Raises ConversionError with what pydantic and the validators of the type find wrong, at paths
    that begin with `path`; and what else a validator raises.
    """
    try:
        return _validator(form, spelling(form)).validate_json(text or json.dumps(value))
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise ConversionError(
            tuple(one for details in found for one in _violations(details, value, path))
        ) from error


def _violations(details: ErrorDetails, value: Json, path: JsonPath) -> Iterator[Violation]:
    place = (*path, *_place(details["loc"], value))
    raised = details.get("ctx", {}).get("error")
    if isinstance(raised, ConversionError):
        for one in raised.violations:
            yield of_words((*place, *one.path), one.message, one.keyword)
        return
    yield of_words(place, words_of(details), details["type"] if raised is None else "rule")


def _place(loc: tuple[int | str, ...], value: Json) -> JsonPath:
    """The path in the JSON: `loc` also names members of unions and validators."""
    path: list[int | str] = []
    part: Any = value
    for step in cast("tuple[Any, ...]", loc):
        steps: Any = range(len(part)) if isinstance(part, list) else part
        if isinstance(part, dict | list) and step in steps:
            part = part[step]
            path.append(step)
    return tuple(path)


@lru_cache(maxsize=256)
def _validator(form: Any, _: str) -> SchemaValidator | PluggableSchemaValidator:
    return TypeAdapter(form).validator
