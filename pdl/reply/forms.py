"""The form in which a reply is read, and the quotes that a text may have in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pdl.schema.parts import json_form

if TYPE_CHECKING:
    from pdl.schema import Schema
    from pdl.schema.parts import Form


def form_of(schema: Schema | None) -> Form:
    """The form of a schema; a free string that was asked for as JSON is read as text is.

    Models leave its quotes out more often than not, and quotes may be meant: they are taken for
    those of JSON only where an escape or a mark shows that it is JSON, or where the text does not
    fit with them.
    """
    if schema is None or is_quoted(schema):
        return "text"
    return schema.form


def is_quoted(schema: Schema | None) -> bool:
    """Whether the answer is a free string that was asked for as JSON."""
    return schema is not None and schema.form == "json" and json_form(schema.document) == "text"


def string_of(text: str) -> str | None:
    """The value of a text that is one JSON string (RFC 8259, section 7) and nothing else."""
    if not (text.startswith('"') and text.endswith('"')):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
