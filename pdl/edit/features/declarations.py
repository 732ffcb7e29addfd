"""Changes of the entries of objects in the schema DSL: inputs that are declared, keys removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.edit.document import Edit, Range
from pdl.edit.template.usage import inferred

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.edit.document import Document, Typed
    from pdl.edit.notation import Notation


def declaration(document: Document, name: str) -> str:
    """Return a field of an `input` turn for a name, of the type that its uses say."""
    one = inferred(document).get(name)
    if one is None:
        return f"{name}: any"
    return f"{name}{'?' if one.use.is_optional else ''}: {one.use.dsl('  ')}"


def declared(document: Document, names: Sequence[str]) -> tuple[Edit, ...]:
    """Return the changes that declare inputs, in a turn of its own if there is none.

    There are none for an `input` turn that is not an object of the DSL.
    """
    fields = [declaration(document, name) for name in names]
    typed = next((one for one in document.typed if one.turn.role == "input"), None)
    if not fields:
        return ()
    if typed is None:
        lines = "".join(f"  {one},\n" for one in fields)
        return (Edit(0, 0, f"<|input|>\n{{\n{lines}}}\n\n"),)
    frame = root_frame(typed)
    return _appended(document, typed.notation, frame, fields) if frame > 0 else ()


def root_frame(typed: Typed) -> int:
    """Return the frame of the object that a typed text is, or -1."""
    for number, frame in enumerate(typed.notation.frames):
        if frame.is_root and frame.closer >= 0:
            return number
    return -1


def _appended(
    document: Document, notation: Notation, number: int, fields: Sequence[str]
) -> tuple[Edit, ...]:
    frame, tokens = notation.frames[number], notation.tokens
    closer, last = tokens[frame.closer], tokens[frame.closer - 1]
    at = frame.closer - 1
    while at > frame.opener and tokens[at].role == "comment":
        at -= 1
    word = tokens[at]
    comma = "" if word.text == "," or at == frame.opener else ","
    if "\n" not in document.text[tokens[frame.opener].start : closer.start]:
        before = " " if comma or word.text == "," else ""
        inset = " " if at == frame.opener else ""
        put = f"{comma}{before or inset}{', '.join(fields)}"
        gap = "" if document.text[word.end : closer.start] else " "
        return (Edit(word.end, word.end, put + gap),)
    lines = "".join(f"\n  {one}," for one in fields)
    if last is word:
        return (Edit(word.end, word.end, comma + lines),)
    edits = (Edit(word.end, word.end, comma),) if comma else ()
    return (*edits, Edit(last.end, last.end, lines))


def entry(document: Document, notation: Notation, index: int) -> Range | None:
    """Return what to remove for the entry that begins with a token: comma and comments too."""
    number = notation.tokens[index].frame
    frame = notation.frames[number]
    if frame.closer < 0:
        return None
    if frame.kind == "rest":
        return entry(document, notation, frame.opener) if index != frame.opener else None
    end = index
    while end + 1 < frame.closer and not _is_comma(notation, end, number):
        end += 1
    return _with_comments(document, notation, (index, end))


def _is_comma(notation: Notation, index: int, number: int) -> bool:
    token = notation.tokens[index]
    return token.text == "," and token.role == "operator" and token.frame == number


def _with_comments(document: Document, notation: Notation, of: tuple[int, int]) -> Range:
    text, tokens = document.text, notation.tokens
    first, last = of
    while tokens[last].role == "comment" and last > first:
        last -= 1
    line = _line_start(text, tokens[first].start)
    if text[line : tokens[first].start].strip():  # something is before it on its line
        return _within_line(document, notation, first, last)
    while first and tokens[first - 1].role == "comment":
        above = _line_start(text, tokens[first - 1].start)
        is_alone = not text[above : tokens[first - 1].start].strip()
        if not is_alone or text[tokens[first - 1].end : line].count("\n") != 1:
            break
        first, line = first - 1, above
    end = tokens[last].end
    if last + 1 < len(tokens) and tokens[last + 1].role == "comment":
        behind = tokens[last + 1]
        if "\n" not in text[end : behind.start]:
            end = behind.end
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end + 1
    if text[end:line_end].strip():
        return Range(tokens[first].start, _next_start(text, end))
    return Range(line, line_end)


def _within_line(document: Document, notation: Notation, first: int, last: int) -> Range:
    text, tokens = document.text, notation.tokens
    if tokens[last].text == ",":
        return Range(tokens[first].start, _next_start(text, tokens[last].end))
    before = tokens[first - 1]
    start = before.start if before.text == "," else before.end
    return Range(start, tokens[last].end)


def _line_start(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def _next_start(text: str, offset: int) -> int:
    while text[offset : offset + 1] in (" ", "\t"):
        offset += 1
    return offset
