"""Types and texts of a document as Markdown."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.edit.template.types import to_dsl

if TYPE_CHECKING:
    from pdl.edit.template.types import Type

_SPECIAL = re.compile(r"([\\`*_{}\[\]#|<>~&$]|^[^\S\n]*(?:[-+=]|\d+(?=[.)])))", re.MULTILINE)
_LONGEST = 500  # characters of a default
_FENCE = re.compile(r"`{3,}")


def escaped(text: str) -> str:
    """Return a text of a document as Markdown that shows it as it is."""
    return _SPECIAL.sub(_escape, text).replace("\n", "  \n")


def _escape(match: re.Match[str]) -> str:
    text = match[0]
    if text[-1].isdigit():
        return f"{text}\u200b"  # so that no list begins here
    return f"{text[:-1]}\\{text[-1]}"


def fenced(text: str, language: str = "") -> str:
    """Return a text as a block of code."""
    longest = max((len(one) for one in _FENCE.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def described(given: Type) -> str:
    """Return the description and the default of a type."""
    parts = []
    text = given.schema.get("description")
    if isinstance(text, str) and text:
        parts.append(escaped(text))
    if "default" in given.schema:
        value = json.dumps(given.schema["default"], ensure_ascii=False)
        shown = value if len(value) <= _LONGEST else value[:_LONGEST] + "…"
        parts.append(f"Default: {code(shown)}")
    return "\n\n".join(parts)


def code(text: str) -> str:
    """Return a text as code within a line."""
    if "`" not in text:
        return f"`{text}`"
    return f"`` {text.replace('``', '` `')} ``"


def shown_type(name: str, given: Type, sign: str = ": ") -> str:
    """Return a name and its type in the schema DSL as a block of code."""
    return fenced(f"{name}{sign}{to_dsl(given)}")
