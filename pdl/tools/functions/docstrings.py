"""What a docstring says: what the function does, and what each parameter is.

The conventions of Google, NumPy and Sphinx are read; which one it is follows from the text.
Sources: Google's Python style guide (3.8.3), numpydoc's style guide, Sphinx's field lists.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field

_PARAMETERS = frozenset(
    {"args", "arguments", "parameters", "params", "keyword args", "keyword arguments"}
    | {"other parameters"}
)
_OTHER = frozenset(
    {"returns", "return", "yields", "yield", "raises", "raise", "receives", "warns", "warnings"}
    | {"warning", "note", "notes", "example", "examples", "see also", "references", "attributes"}
    | {"methods", "todo"}
)
_GOOGLE = re.compile(r"(?P<name>[A-Za-z][A-Za-z ]*?):[ \t]*")
_UNDERLINE = re.compile(r"-{3,}[ \t]*")
_FIELD = re.compile(r":(?P<kind>[A-Za-z]+)(?:[ \t]+(?P<words>[^:]*?))?:(?:[ \t]+(?P<text>.*))?")
_SPHINX = frozenset({"param", "parameter", "arg", "argument", "key", "keyword"})
_ENTRY = re.compile(
    r"\*{0,2}(?P<name>\w++)[ \t]*+(?:\((?P<type>.*?)\)[ \t]*+)?:(?!:)[ \t]*(?P<text>.*)"
)
_NAMES = re.compile(r"\*{0,2}\w+(?:[ \t]*,[ \t]*\*{0,2}\w+)*")


@dataclass
class Docstring:
    """`text` is all in front of the first section, without blanks at its ends."""

    text: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def read(docstring: str | None) -> Docstring:
    """The description of a function and of its parameters. Looks at each line once."""
    found = Docstring()
    lines = inspect.cleandoc(docstring or "").split("\n")
    text: list[str] = []
    at, before = 0, True
    while at < len(lines):
        body = _body(lines, at)
        if body is None:
            text += [lines[at]] if before else []
            at += 1
            continue
        before = False
        at = _section(lines, at, body, found)
    found.text = "\n".join(text).strip()
    return found


def _body(lines: list[str], at: int) -> int | None:
    """The line at which the content of a section begins whose head stands here; None if none."""
    line = lines[at]
    if _FIELD.fullmatch(line):
        return at
    google = _GOOGLE.fullmatch(line)
    if google and google["name"].lower() in _PARAMETERS | _OTHER:
        return at + 1
    below = lines[at + 1] if at + 1 < len(lines) else ""
    if line.strip().lower() in _PARAMETERS | _OTHER and _UNDERLINE.fullmatch(below):
        return at + 2
    return None


def _section(lines: list[str], at: int, body: int, found: Docstring) -> int:
    """Read the section whose head stands at a line; where the next one may begin."""
    end = body + (body == at)
    while end < len(lines) and _body(lines, end) is None:
        if body == at + 1 and lines[end].strip() and not lines[end][0].isspace():
            break  # Google's sections are indented
        end += 1
    name = lines[at].strip().rstrip(":").strip().lower()
    if body == at:
        _field(lines[at:end], found)
    elif name in _PARAMETERS:
        _entries(lines[body:end], found, numpy=body == at + 2)
    return end


def _field(lines: list[str], found: Docstring) -> None:
    """:param type name: text, and lines that go on with it."""
    match = _FIELD.fullmatch(lines[0])
    assert match is not None
    words = (match["words"] or "").split()
    if match["kind"].lower() in _SPHINX and words:
        found.parameters[words[-1].lstrip("*")] = _joined([match["text"] or "", *lines[1:]])


def _entries(lines: list[str], found: Docstring, *, numpy: bool) -> None:
    """The parameters of a section: each begins in the first column, and goes on indented."""
    filled = [line for line in lines if line.strip()]
    margin = min((_indent(line) for line in filled), default=0)
    block: list[str] = []
    for line in lines:
        if line.strip() and _indent(line) == margin:
            _entry(block, found, numpy=numpy)
            block = []
        block.append(line[margin:])
    _entry(block, found, numpy=numpy)


def _entry(lines: list[str], found: Docstring, *, numpy: bool) -> None:
    if not lines:
        return
    if numpy:
        names = lines[0].partition(":")[0].strip()
        text = _joined(lines[1:])
        if _NAMES.fullmatch(names):
            found.parameters.update({one.strip(" \t*"): text for one in names.split(",")})
        return
    match = _ENTRY.fullmatch(lines[0])
    if match:
        found.parameters[match["name"]] = _joined([match["text"], *lines[1:]])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _joined(lines: list[str]) -> str:
    """Lines of one paragraph as one line; empty lines stay where they part paragraphs."""
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            paragraphs[-1].append(line.strip())
        elif paragraphs[-1]:
            paragraphs.append([])
    return "\n".join(" ".join(one) for one in paragraphs if one)
