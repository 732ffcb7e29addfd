"""The text of a reply as its readers see it: without reasoning, programs and tags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.prose.unmeant import without_unmeant

if TYPE_CHECKING:
    from pdl.reply.result import Span
    from pdl.reply.segments.segmenter import Cut

_TAG = re.compile(r"</?[A-Za-z][\w-]*+(?:\s[^<>\n]{0,200}+)?>")
PLAIN_FENCES = frozenset(["", "text", "txt", "plaintext", "plain", "json", "markdown", "md"])
"""Languages of fences that hold an answer, and no program."""


def masked(text: str, cut: Cut, fences: frozenset[str]) -> str:
    """The reply with line breaks for all that is no text: reasoning, tokens, the marks of fences.

    As long as the reply, so that offsets stay. The bodies of fences with those languages are kept.
    A reply whose answer tags are all empty has no text: it says that there is no answer.
    """
    if cut.answers and not any(text[start:end].strip() for start, end in cut.answers):
        return "\n" * len(text)
    parts: list[str] = []
    for segment in cut.segments:
        start, end = segment.span
        kept = segment.kind == "text"
        if segment.kind == "fence":
            kept = language(segment.label) in fences
            start, end = segment.body
        parts.append("\n" * (start - segment.span[0]))
        parts.append(text[start:end] if kept else "\n" * (end - start))
        parts.append("\n" * (segment.span[1] - end))
    return "".join(parts)


def untagged(text: str) -> str:
    """The text with blanks in place of tags, `<b>` and `</answer>`; as long as before.

    Elements that hold no answer are left out as a whole.
    """
    return _TAG.sub(lambda tag: " " * len(tag[0]), without_unmeant(text))


def language(info: str) -> str:
    """The language that an info string names, in lower case."""
    found = re.match(r"\{?\.?([\w+#.-]*)", info.strip())
    return found[1].lower() if found else ""


def blanked(text: str, spans: list[Span]) -> str:
    """The text with line breaks in place of the spans, which are in order and apart."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        if start >= at:
            parts += [text[at:start], "\n" * (end - start)]
            at = end
    return "".join([*parts, text[at:]])
