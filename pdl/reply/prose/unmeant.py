"""Elements that hold something else than an answer: `<example>3</example>`, `<error>4</error>`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.prose.elements import others_words
from pdl.reply.segments.spans import Spans

if TYPE_CHECKING:
    from pdl.reply.result import Span

_ELEMENT = re.compile(
    r"<(?P<name>errors?|exception|warning|wrong\w{0,20}|incorrect\w{0,20}|rejected\w{0,20}|former\w{0,20}|distractors?"
    r"|tool_\w{1,20}|function_\w{1,20}|confidence|certainty|tokens?|usage|step|attempt|guess|del|strike)"
    r"(?:\s[^<>\n]{0,120})?>[^<]*+</(?P=name)\s*>",
    re.IGNORECASE,
)


def without_unmeant(text: str) -> str:
    """The text with line breaks in place of such elements; as long as before."""
    if "</" not in text:
        return text
    spans = [*others_words(text), *(found.span() for found in _ELEMENT.finditer(text))]
    return _blanked(text, spans) if spans else text


def _blanked(text: str, spans: list[Span]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in Spans(spans):
        parts += [text[at:start], "\n" * (end - start)]
        at = end
    return "".join([*parts, text[at:]])
