"""Where a cursor is in a value that need not be complete: JSON, YAML, or a type in the DSL."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

_TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"?|' + r"'(?:[^'\\\n]|\\.)*'?|//[^\n]*+|[{}\[\]:,<>]|[\w.-]++|[^\s\w]"
)
_CLOSES = {"}": "{", "]": "[", ">": "<"}
_LINE = re.compile(r"(?P<indent>\s*(?:-\s+)*)(?P<quote>[\"']?)(?P<key>[\w-]*)(?P=quote)")
_KEY = re.compile(r"(?P<indent>\s*(?:-\s+)*)(?P<quote>[\"']?)(?P<key>[\w-]+)(?P=quote)\s*:")
_VALUE = re.compile(_KEY.pattern + r"\s+(?P<value>\S*)")


class Spot(NamedTuple):
    """A place for a key of an object, or for a value: `path` are the keys that lead to it.

    From `start` on there may be a part of it already, in quotes if `is_quoted`. `siblings` are the
    other keys of the object. What comes after a value is `nothing`.
    """

    path: tuple[str, ...]
    start: int
    end: int
    is_key: bool
    is_quoted: bool = False
    siblings: frozenset[str] = frozenset()


@dataclass
class _Frame:
    opener: str
    keys: list[str] = field(default_factory=list)
    key: str = ""
    state: str = "key"  # or `colon`, `value`, `after`


def in_brackets(text: str, offset: int) -> Spot | None:
    """Return the place of an offset in JSON or a type; None for one where neither can be."""
    frames: list[_Frame] = [_Frame("", state="value")]
    found: tuple[_Frame, Spot] | None = None
    for token in _TOKEN.finditer(text):
        if found is None and offset <= token.start():
            found = frames[-1], _spot(frames, offset, offset, "")
        word = token[0]
        if found is None and offset <= token.end() and _is_word(word, offset - token.start()):
            is_open = word[0] in "\"'" and (len(word) == 1 or word[-1] != word[0])
            end = offset if is_open else token.end()
            found = frames[-1], _spot(frames, token.start(), end, word)
        if found is None and word.startswith("//") and offset <= token.end():
            return None
        if found is not None and found[0] not in frames:
            break
        _step(frames, word)
    frame, spot = found or (frames[-1], _spot(frames, offset, offset, ""))
    if frame.opener == "<" or not (spot.is_key or frame.state):
        return None
    own = text[spot.start : spot.end].strip("\"'")
    others = frozenset(frame.keys) - ({own} if spot.is_key else set())
    return spot._replace(siblings=others) if spot.start >= 0 else None


def _is_word(word: str, at: int) -> bool:
    """Whether a cursor in a token, or at its end, is in a word that is being typed."""
    if word[0] in "\"'":
        return 0 < at < len(word) or len(word) == 1 or word[-1] != word[0]
    return word[0].isalnum() or word[0] in "_-"


def _spot(frames: list[_Frame], start: int, end: int, word: str) -> Spot:
    frame = frames[-1]
    path = tuple(one.key for one in frames if one.opener == "{" and one is not frame)
    is_key = frame.opener == "{" and frame.state == "key"
    if frame.opener == "{" and not is_key:
        path += (frame.key,)
    is_place = is_key or frame.state == "value" or frame.opener == "["
    return Spot(path, start if is_place else -1, end, is_key, word[:1] in {'"', "'"} and word != "")


def _step(frames: list[_Frame], word: str) -> None:
    frame = frames[-1]
    if word in ("{", "[", "<"):
        frames.append(_Frame(word, state="key" if word == "{" else "value"))
    elif word in _CLOSES:
        if frame.opener == _CLOSES[word] and len(frames) > 1:
            frames.pop()
            frames[-1].state = "after"
    elif word == ",":
        frame.state = "key" if frame.opener == "{" else "value"
    elif word == ":" and frame.opener == "{":
        frame.state = "value"
    elif frame.opener == "{" and frame.state == "key" and word != "?":
        frame.key = word.strip("\"'")
        frame.keys.append(frame.key)
        frame.state = "colon"
    elif not word.startswith("//"):
        frame.state = "value" if word == "|" else "colon" if frame.state == "colon" else "after"


def in_lines(text: str, offset: int) -> Spot | None:
    """Return the place of an offset in YAML of lines."""
    begin = text.rfind("\n", 0, offset) + 1
    line = text[begin:offset]
    value = _VALUE.fullmatch(line)
    if value is not None:
        path = (*_above(text, begin, len(value["indent"])), value["key"])
        is_quoted = value["value"][:1] in {'"', "'"} and value["value"] != ""
        return Spot(path, begin + value.start("value"), offset, is_key=False, is_quoted=is_quoted)
    key = _LINE.fullmatch(line)
    if key is None:
        return None
    column = len(key["indent"])
    rest = re.compile(r"[\w-]*").match(text, offset)
    end = rest.end() if rest is not None else offset
    start = begin + key.start("key")
    siblings = frozenset(_beside(text, begin, column))
    return Spot(_above(text, begin, column), start, end, is_key=True, siblings=siblings)


def _above(text: str, begin: int, column: int) -> tuple[str, ...]:
    """The keys that the lines above have, which are indented less."""
    path: list[str] = []
    for line in reversed(text[:begin].splitlines()):
        found = _KEY.match(line)
        if found is not None and len(found["indent"]) < column:
            path.insert(0, found["key"])
            column = len(found["indent"])
    return tuple(path)


def _beside(text: str, begin: int, column: int) -> list[str]:
    """The keys of the same object in the lines above and below; `- ` begins another one."""
    end = text.find("\n", begin)
    own = text[begin : end if end >= 0 else len(text)]
    keys: list[str] = []
    above = [] if own.lstrip().startswith("- ") else text[:begin].splitlines()
    for line in reversed(above):
        if _column(line) < column and line.strip():
            break
        keys += _keys(line, column)
        if line.lstrip().startswith("- ") and _column(line) == column:
            break
    for line in text[end:].splitlines() if end >= 0 else []:
        is_item = line.lstrip().startswith("- ") and _column(line) == column
        if line.strip() and (is_item or _column(line) < column):
            break
        keys += _keys(line, column)
    return keys


def _column(line: str) -> int:
    found = _LINE.match(line)
    return len(found["indent"]) if found is not None else 0


def _keys(line: str, column: int) -> list[str]:
    found = _KEY.match(line)
    return [found["key"]] if found is not None and len(found["indent"]) == column else []
