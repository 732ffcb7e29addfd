"""The text of a reply as its readers see it: without reasoning, programs and tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.prose.words import words
from pdl.reply.segments.spans import Spans

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.reply.result import Span
    from pdl.reply.segments.spans import Segmented

_COMMENT = re.compile(r"(?s)<!--.*?(?:-->|\Z)")
_TAG = re.compile(r"</?[A-Za-z][\w-]*+(?:\s[^<>\n]{0,200}+)?>")
_LANGUAGE = re.compile(r"\{?\.?([\w+#.-]*)")
PLAIN_FENCES = frozenset(["", "text", "txt", "plaintext", "plain", "json", "markdown", "md"])
"""Languages of fences that contain an answer rather than a program."""


def masked(text: str, parts: Segmented, fences: frozenset[str]) -> str:
    """The reply with newlines for everything that is not text: reasoning, tokens, marks of fences.

    Of the same length, so that offsets stay. The bodies of fences with those languages are kept. A
    reply whose answer tags are all empty has no text: it says that there is no answer.
    """
    if parts.answers and not any(text[start:end].strip() for start, end in parts.answers):
        return "\n" * len(text)
    pieces: list[str] = []
    for segment in parts.segments:
        start, end = segment.span
        kept = segment.kind == "text"
        if segment.kind == "fence":
            kept = language(segment.label) in fences
            start, end = segment.body
        pieces.append("\n" * (start - segment.span[0]))
        pieces.append(text[start:end] if kept else "\n" * (end - start))
        pieces.append("\n" * (segment.span[1] - end))
    return "".join(pieces)


def untagged(text: str) -> str:
    """The text with spaces instead of tags, `<b>` and `</answer>`; of the same length.

    Elements that contain no answer are blanked as a whole.
    """
    return _TAG.sub(
        lambda tag: " " * len(tag[0]), blanked(text, silent_spans(text, "aside_element"))
    )


def language(info: str) -> str:
    """The language that an info string names, in lower case."""
    found = _LANGUAGE.match(info.strip())
    return found[1].lower() if found else ""


def is_plain(info: str) -> bool:
    """Whether a fence with that info string does not contain a program."""
    named = language(info)
    return named in PLAIN_FENCES or named.startswith("json")


def silent_spans(text: str, *more: str) -> list[Span]:
    """Comments, and the outermost elements with other people's words: `<document>`.

    `more` are tables with further names of elements.
    """
    if "<" not in text:
        return []
    spans = [found.span() for found in _COMMENT.finditer(text)]
    names = "|".join(sorted(words("element").union(*map(words, more))))
    opened: dict[str, int] = {}
    for tag in re.finditer(rf"(?i)<(/?)({names})(?:[_\s][^<>\n]{{0,120}})?>", text):
        name = tag[2].lower()
        if not tag[1]:
            opened.setdefault(name, tag.start())
        elif name in opened:
            spans.append((opened.pop(name), tag.end()))
    return spans


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with newlines instead of the spans."""
    parts: list[str] = []
    at = 0
    for start, end in Spans(spans):
        parts += [text[at:start], "\n" * (end - start)]
        at = end
    return "".join([*parts, text[at:]])
