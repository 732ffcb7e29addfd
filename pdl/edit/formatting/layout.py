"""The canonical layout of the schema DSL: spacing, line breaks, and commas, never spelling.

Brackets that their author wrote on several lines stay on several lines, one entry on each, with a
comma after each; brackets on one line stay there if they fit. So small changes make small diffs,
and what is laid out stays as it is. A layout must be proved by `is_same` before it is used.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.document import Edit
from pdl.edit.formatting.layout_tokens import TIGHT, Reader, space
from pdl.edit.notation import read
from pdl.errors import PdlError
from pdl.limits import DEFAULT_LIMITS
from pdl.schema.dsl.comments import descriptions, scan_comments
from pdl.schema.dsl.tree import parse
from pdl.source import Source
from pdl.syntax.runner import runner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.edit.formatting.layout_tokens import Entry, Frame, Mode, Token
    from pdl.edit.notation import Kind, Notation

WIDTH = 88
"""How long a line may be, as in the DSL that pdl writes; comments don't count."""
STEP = 2
_FARTHEST = 20  # columns by which a comment is moved to align it with others
_WITHOUT_COMMAS: frozenset[Kind] = frozenset({"bounds", "rest", "group", "text"})
_HUGGING: frozenset[Kind] = frozenset({"array", "list", "group"})
_BLANKS = " \t"
_PASSED = frozenset({"BLANK", "COMMENT", "_COMMA"})


def layout_edits(text: str, start: int, *, tools: bool = False) -> list[Edit]:
    """Return what brings a text to its canonical layout, in offsets to which `start` is added.

    The text is that of a schema, or of tools; none is changed that has errors. Takes linear time.
    """
    notation = read(text, tools=tools)
    if not _is_whole(notation) or (known := _meaning(text, tools=tools)) is None:
        return []
    edits = _Printer(Reader(text, notation).tokens()).edits(text)
    if not edits or not known.is_of(applied(text, edits), tools=tools):
        return []
    return [Edit(start + one.start, start + one.end, one.text) for one in edits]


def applied(text: str, edits: list[Edit]) -> str:
    """Return a text after edits, which are in its order and do not overlap."""
    out: list[str] = []
    at = 0
    for edit in edits:
        out += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join(out) + text[at:]


def _is_whole(notation: Notation) -> bool:
    """Whether all was read, and all brackets are closed."""
    closed = all(frame.closer >= 0 for frame in notation.frames[1:])
    return bool(notation.tokens) and closed and all(one.role != "error" for one in notation.tokens)


class _Meaning(NamedTuple):
    """What a layout must leave as it is; descriptions by the number of the word that has them."""

    words: list[str]
    comments: list[str]
    descriptions: list[tuple[int, str]]
    tools: list[tuple[str, str, Json]]

    def is_of(self, text: str, *, tools: bool) -> bool:
        """Whether it is the meaning of another text, too."""
        if not tools and not self.comments:  # then the words alone decide
            return self.words == [word for _, word in _words(text)]
        return self == _meaning(text, tools=tools)


def _meaning(text: str, *, tools: bool) -> _Meaning | None:
    """What a text means, also if types in it are wrong; None if it has no syntax tree."""
    source, places = Source(text), _words(text)
    words = [word for _, word in places]
    try:
        comments = scan_comments(source, DEFAULT_LIMITS)
        if tools:
            described, found = {}, _tools(source)
        else:
            described, found = descriptions(text, comments, parse(source)), []
    except PdlError:
        return None
    numbers = {start: number for number, (start, _) in enumerate(places)} if described else {}
    said = sorted((numbers[at], words) for at, words in described.items())
    return _Meaning(words, ["".join(one.text.split()) for one in comments], said, found)


def _words(text: str) -> list[tuple[int, str]]:
    """All terminals but commas, with their offsets."""
    pattern = runner("schema").pattern
    assert pattern is not None
    found = pattern.finditer(text)
    return [(one.start(), one[0]) for one in found if one.lastgroup not in _PASSED]


def _tools(source: Source) -> list[tuple[str, str, Json]]:
    from pdl.tools import ToolSet  # noqa: PLC0415 - few prompts have tools

    tools = ToolSet.parse(source)
    return [(one.name, one.description, one.schema.to_json_schema()) for one in tools]


class _Line(NamedTuple):
    """A line that ends in a comment: the index of that token, and the code before it.

    `indent` is that of the entry, which may have begun on another line.
    """

    comment: int
    number: int
    indent: int
    width: int
    is_open: bool


class _Printer:
    """Writes token after token; `column` is where the line ends so far."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.gaps: list[str] = []  # before each token, without commas
        self.broken: set[int] = set()  # the bars that begin a line
        self.column = 0
        self.number = 0
        self.lines: list[_Line] = []
        self.frame = tokens[0].frame

    def edits(self, text: str) -> list[Edit]:
        """The edits between the tokens, and in comments."""
        for index in range(len(self.tokens)):
            self._put(index)
        for run in self._runs():
            self._align(run)
        return list(self._edits(text))

    def _edits(self, text: str) -> Iterator[Edit]:
        end, comma = 0, ""
        for index, (token, gap) in enumerate(zip(self.tokens, self.gaps, strict=True)):
            if token.start == token.end:
                comma += gap + token.text
                continue
            yield from edit_between(text, end, token.start, comma + gap)
            comma = "," if not token.is_comment and self._has_comma(index) else ""
            end = token.end
            if token.is_comment:
                yield from edit_between(text, token.start, end, _comment(token.text))
        yield from edit_between(text, end, end + _blanks_at(text, end), "")

    def _has_comma(self, index: int) -> bool:
        token = self.tokens[index]
        frame = token.frame
        if frame.kind in _WITHOUT_COMMAS or token.entry.last != index:
            return False
        return frame.mode == "broken" or token.entry is not frame.entries[-1]

    def _put(self, index: int) -> None:
        token = self.tokens[index]
        before = self.tokens[index - 1] if index else None
        if token.closes is not None:
            self._gap(index, before, token.closes)
            self.frame = token.frame
        else:
            self._gap(index, before, token.frame)
        if token.entry.start == index and not token.is_comment:
            self._decide_bars(token.entry)
        if token.opens is not None:
            self._open(index, token, token.opens)
        self.column += len(_comment(token.text) if token.is_comment else token.text)
        self.column += not token.is_comment and self._has_comma(index)

    def _gap(self, index: int, before: Token | None, frame: Frame) -> None:
        """Print what is before a token: a newline, or a space."""
        token = self.tokens[index]
        if token.is_comment and before is not None and token.lines == 0:
            is_open = before.opens is not None
            indent = (before if is_open else token).frame.inner
            self.lines.append(_Line(index, self.number, indent, self.column, is_open))
            self.gaps.append("  ")
            self.column += 2
            return
        if before is None or not self._breaks(token, index, before, frame):
            self.gaps.append(space(before, token) if before is not None else "")
            self.column += len(self.gaps[-1])
            return
        is_start = token.entry.first == index and token.closes is None
        is_mid = not (token.is_comment or is_start or token.closes)
        if token.is_comment:
            is_mid = self._is_within(index)
        frame.base = frame.inner + STEP * is_mid
        indent = frame.outer if token.closes is not None else frame.base
        keeps = is_start or token.is_comment or before.is_comment
        is_edge = before.opens is not None or token.closes is not None
        count = 2 if token.lines > 1 and keeps and not is_edge else 1
        self.gaps.append("\n" * count + " " * indent)
        self.column, self.number = indent, self.number + count

    def _breaks(self, token: Token, index: int, before: Token, frame: Frame) -> bool:
        """Whether a token begins a line."""
        if before.is_comment or token.is_comment or index in self.broken:
            return True
        is_start = token.entry.first == index and token.closes is None
        return frame.mode == "broken" and (token.closes is not None or is_start)

    def _is_within(self, index: int) -> bool:
        """Whether a comment is in the middle of an entry."""
        token = self.tokens[index]
        return token.entry.first < index < token.entry.last

    def _decide_bars(self, entry: Entry) -> None:
        """Break lines before the bars where the author did; or before all, if it is too long."""
        chosen = [bar for bar in entry.bars if self._is_broken_at(bar)]
        if not chosen and entry.bars and entry.frame.mode != "flat":
            first, last = self.tokens[entry.start], self.tokens[entry.last]
            if first.line == last.line and not self._fits(entry.start, entry):
                chosen = entry.bars
        entry.breaks = chosen
        self.broken.update(chosen)

    def _is_broken_at(self, bar: int) -> bool:
        return any(one.lines or one.is_comment for one in self.tokens[bar : bar + 2])

    def _fits(self, index: int, entry: Entry) -> bool:
        """Whether the rest of an entry, up to where a line ends, fits on this line."""
        first, at = self.tokens[index], index
        while not (bar := _after(entry.breaks, at)) and entry.frame.mode == "hug":
            at = entry.frame.closer
            entry = self.tokens[at].entry
        last = self.tokens[bar - 1 if bar else entry.last]
        comma = entry.frame.kind not in _WITHOUT_COMMAS
        return self.column + last.flat - first.flat + len(first.text) + comma <= WIDTH

    def _open(self, index: int, token: Token, frame: Frame) -> None:
        outer = token.frame
        frame.mode = self._mode(index, token, frame)
        frame.outer = outer.base
        frame.inner = frame.base = outer.base + (STEP if frame.mode == "broken" else 0)
        self.frame = frame

    def _mode(self, index: int, token: Token, frame: Frame) -> Mode:
        if frame.kind in TIGHT or frame.closer == frame.opener + 1:
            return "flat"
        if token.frame.mode == "flat" or (not frame.breaks and self._fits(index, token.entry)):
            return "flat"
        if frame.kind == "group" and not frame.own:
            return "hug"
        return "hug" if self._hugs(frame) else "broken"

    def _hugs(self, frame: Frame) -> bool:
        """Whether the only entry is in brackets of its own, so that these need no lines."""
        if frame.kind not in _HUGGING or frame.own or len(frame.entries) != 1:
            return False
        entry = frame.entries[0]
        inner = self.tokens[entry.first].opens
        return inner is not None and not entry.bars

    def _runs(self) -> Iterator[list[_Line]]:
        """Lines that follow each other and end in a comment."""
        run: list[_Line] = []
        after = -1
        for line in self.lines:
            last = run[-1] if run else None
            if last and (last.is_open or line.indent != last.indent or line.number != after):
                yield run
                run = []
            run.append(line)
            after = line.number + 1
            while self._is_continued(line.comment + after - line.number):
                after += 1
        if run:
            yield run

    def _is_continued(self, index: int) -> bool:
        return index < len(self.tokens) and self.tokens[index].is_aligned

    def _align(self, run: list[_Line]) -> None:
        """Put the comments of a run into one column, unless they would be far away or too long."""
        sizes = [self._size(line.comment) for line in run]
        column = max(line.width for line in run)
        longest = max(line.width + size for line, size in zip(run, sizes, strict=True))
        is_far = column - min(line.width for line in run) > _FARTHEST
        if is_far or column + max(sizes) > max(longest, WIDTH - STEP):
            column = 0
        for line in run:
            pad = max(column - line.width, 0) + STEP
            self.gaps[line.comment] = " " * pad
            at = line.comment + 1
            while self._is_continued(at):
                self.gaps[at] = "\n" + " " * (line.width + pad)
                at += 1

    def _size(self, index: int) -> int:
        """The length of a comment, or of the longest line that continues it."""
        size, at = len(_comment(self.tokens[index].text)), index + 1
        while self._is_continued(at):
            size, at = max(size, len(_comment(self.tokens[at].text))), at + 1
        return size


def _after(bars: list[int], index: int) -> int:
    """The first of the bars after an index, or 0."""
    at = bisect_right(bars, index)
    return bars[at] if at < len(bars) else 0


def _comment(text: str) -> str:
    """A comment with a space after its slashes, and none at its end."""
    words = text[2:].rstrip(_BLANKS)
    return f"// {words}" if words[:1].isalnum() else f"//{words}"


def _blanks_at(text: str, start: int) -> int:
    rest = text[start:]
    return len(rest) - len(rest.lstrip(_BLANKS))


def edit_between(text: str, start: int, end: int, wanted: str) -> Iterator[Edit]:
    """Yield the edit that makes a range of a text the wanted one, if it is not."""
    old = text[start:end]
    if old == wanted:
        return
    shared = 0
    while shared < min(len(old), len(wanted)) and old[shared] == wanted[shared]:
        shared += 1
    same = 0
    most = min(len(old), len(wanted)) - shared
    while same < most and old[-1 - same] == wanted[-1 - same]:
        same += 1
    yield Edit(start + shared, end - same, wanted[shared : len(wanted) - same])
