"""Elements that hold what somebody else said, or what came before an answer: `<document>`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.reply.result import Span

_TAG = re.compile(
    r"<(/?)((?:tool|function)_\w{0,20}?(?:response|result|output)s?|(?:untrusted|user|retrieved"
    r"|source|search|customer|original|raw|previous|old)_?\w{0,20}"
    r"|observations?|documents?|doc|inputs?|examples?|human|query|question|context|sources?"
    r"|e?mail|quotes?|quoted|blockquote"
    r"|drafts?|plan|notes|passage|snippet|article|prompt|instructions?|system|template"
    r"|attachment|transcript|conversation|history|webpage)"
    r"(?:\s[^<>\n]{0,120})?>",
    re.IGNORECASE,
)
_OPEN = 40  # elements that may be open at once


def others_words(text: str) -> list[Span]:
    """The insides of the outermost of such elements that are closed, in order."""
    spans: list[Span] = []
    opened: list[tuple[str, int]] = []
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if not tag[1]:
            opened = [*opened[-_OPEN:], (name, tag.start())]
            continue
        index = next((i for i, (other, _) in enumerate(opened) if other == name), None)
        if index is not None:
            start = opened[index][1]
            opened = opened[:index]
            if not opened:
                spans.append((start, tag.end()))
    return spans
