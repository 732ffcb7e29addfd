"""JSON that was encoded once more as a whole: as a string's body, or for HTML."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.reply.parsing.events import Made
from pdl.reply.parsing.parsed import Parsed, parse
from pdl.reply.parsing.tokens import KEPT
from pdl.reply.result import Repair

if TYPE_CHECKING:
    from pdl.limits import Limits

_ESCAPED = re.compile(r'[{\[](?>(?:\s|\\[nrt]|[{\[])*)\\"')
_BARE_QUOTE = re.compile(r'\\.|(")', re.DOTALL)
_ENTITY = re.compile(r"&(?:quot|#34|#x22|apos|#39|#x27|lt|gt|amp);")
_ENTITIES = {
    "quot": '"', "#34": '"', "#x22": '"', "apos": "'", "#39": "'", "#x27": "'",
    "lt": "<", "gt": ">", "amp": "&",
}  # fmt: skip


def decoded(text: str, limits: Limits) -> Made | None:
    """The value of a text that is JSON in such an encoding, and in no other spelling."""
    for kind, plain in (("escaped", _unescaped(text)), ("html-entities", _unentitled(text))):
        made = parse(plain, limits) if plain else None
        if isinstance(made, Parsed):
            repair = Repair(kind, (0, len(text)), (), text[:KEPT], plain[:KEPT])
            return Made(made.value, (repair,))
    return None


def _unescaped(text: str) -> str:
    """The text that the body of a string stands for, if each quote in it has its backslash."""
    if not _ESCAPED.match(text) or any(found[1] for found in _BARE_QUOTE.finditer(text)):
        return ""
    try:
        plain: str = json.loads(f'"{text}"', strict=False)
    except ValueError:
        return ""
    return plain


def _unentitled(text: str) -> str:
    """The text behind HTML's entities, if no quote is left that is none."""
    if "&" not in text or '"' in text:
        return ""
    return _ENTITY.sub(lambda match: _ENTITIES[match[0][1:-1]], text)
