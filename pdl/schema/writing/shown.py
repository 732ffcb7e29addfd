"""Texts for people who look at a value: in a terminal, in a notebook, in a traceback."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.errors import SchemaError
from pdl.schema.writing.notation import write

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.schema.parts import Parts

_SURROGATE = re.compile("[\ud800-\udfff]")
_TICKS = re.compile("`+")
_LINE = 80
_PAGE = 10_000


def schema_text(parts: Parts) -> str:
    """The notation; a JSON Schema in a fence where the notation lacks words: both can be parsed."""
    try:
        return write(parts)
    except SchemaError:
        return f"```json\n{json_document(parts.document)}\n```"


def schema_line(parts: Parts) -> str:
    """The schema as a repr shows it, cut if it is long."""
    try:
        text = repr(write(parts))
    except SchemaError:
        text = json_line(parts.document)
    return text if len(text) <= _LINE else f"{text[: _LINE - 1]}…"


def json_line(value: Json) -> str:
    """JSON on one line, with characters of all scripts as they are."""
    return _escaped(json.dumps(value, ensure_ascii=False))


def json_document(value: Json) -> str:
    """JSON for people, indented."""
    return _escaped(json.dumps(value, ensure_ascii=False, indent=2))


def _escaped(text: str) -> str:
    # Half of a pair is a string in Python and in JSON, but no text in UTF-8.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def fenced(text: str, info: str = "") -> str:
    """A text as a code block of Markdown, in which nothing is markup; cut if it is very long."""
    shown = text if len(text) <= _PAGE else f"{text[: _PAGE - 1]}…"
    longest = max(map(len, _TICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{info}\n{shown}\n{fence}"
