"""A template with syntax errors, mended so that the rest of it can be checked.

Each tag that does not parse becomes one that does: of the same kind where its first word says it,
so that blocks keep their structure. Tags without their counterpart are taken out. What was mended
says which findings are certain all the same: those that the author's own correction cannot remove.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pdl.errors import MOST_PROBLEMS, Problem
from pdl.prompt.markers import paired
from pdl.prompt.scan import Piece, scan, stretches, tokens
from pdl.prompt.tags import ASSIGN, MIDDLES, OPENERS, SINGLE, keyword_of, unmatched
from pdl.prompt.template_errors import tag_problem
from pdl.source import Anchor, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.source import Span

_READING = frozenset({"include", "import", "from", "extends"})
_DEFINING = frozenset({"set", ASSIGN, "set_global", "for", "macro", "with", "import", "from"})
_TARGETS = {
    ASSIGN: ("set", "="),
    "for": ("for", "in"),
    "from": ("import", ""),
    "import": ("as", ""),
}
"""Between which words the names are that a tag defines, if not behind its first."""
_TAKEN_OUT = "{% set _ = 0 %}{% include [] %}"  # ends the content of a turn, and may print others
_WORD = re.compile(r"\w+")
_ENDS = ("}}", "%}", "#}")
_CONTENT = frozenset({"media", "schema", "tool", "config"})
_STRUCTURE = frozenset(
    "turn/doubled turn/system-not-first turn/second-schema turn/second-tools turn/outside-block"  # noqa: SIM905
    " turn/no-role input/second template/schema-place schema/dynamic tool/dynamic".split()
)
"""Findings that depend on which tags surround a turn."""


class _Tag(NamedTuple):
    piece: Piece
    keyword: str
    words: tuple[str, ...]
    fault: Problem | None


@dataclass
class Mended:
    """A source that probably parses, whose positions are mapped to the one that does not.

    `words` may be names that the faulty tags define or read. `turns` are the offsets of the turns
    that contain such tags, -1 for the text before the first one.
    """

    source: Source
    origin: Source
    starts: list[int]
    faults: list[tuple[Piece, Problem]] = field(default_factory=list)
    words: frozenset[str] = frozenset()
    turns: frozenset[int] = frozenset()
    first: int = 0
    are_turns_known: bool = True
    is_structure_known: bool = True
    are_macros_known: bool = True
    may_read: bool = False
    may_define: bool = False

    def keeps(self, problem: Problem) -> bool:
        """Whether a problem is certain, however the faulty tags are corrected."""
        code, span = problem.code, problem.location
        if span is None or span.source is not self.origin:
            return True
        kind = code.partition("/")[0]
        if code == "turn/none" or (code in _STRUCTURE and not self.is_structure_known):
            return False
        if code == "turn/lookalike":
            return self._is_alone(span)
        if code == "template/include":  # only the first tag that names a file is reported
            return not self.words.issuperset(_WORD.findall(span.text))
        if kind == "turn":
            return self.are_macros_known and (code != "turn/no-role" or span.start < self.first)
        return self._holds(kind, span)

    def _holds(self, kind: str, span: Span) -> bool:
        """Whether no faulty tag changes the content of the turn at a span."""
        if kind in _CONTENT:
            return self.are_macros_known and not self.is_faulty(span)
        return kind != "input" or self.declares(span)

    def _is_alone(self, span: Span) -> bool:
        """Whether what looks like a marker does so in the whole text."""
        closing = f"</{span.text.strip('<|>: ')}"
        if not span.text.startswith("<|") and closing in self.origin.text:
            return False
        return "(" in span.text or span.text == self.origin.line(span.line).strip()

    def is_faulty(self, span: Span) -> bool:
        """Whether a faulty tag is in the turn at a span."""
        return _before(self.starts, span.origin().start) in self.turns

    def declares(self, span: Span) -> bool:
        """Whether the `input` turn at a span is certainly the one that declares the inputs."""
        return self.are_turns_known and not self.is_faulty(span)

    def may_set(self, name: str) -> bool:
        """Whether a faulty tag could define a name."""
        return self.may_define or name in self.words

    def may_use(self, name: str, declared: str) -> bool:
        """Whether the text could use a name, other than where it is declared."""
        others = self.origin.text.replace(declared, "", 1)
        return self.may_read or re.search(rf"\b{re.escape(name)}\b", others) is not None

    def syntax_errors(self, problem: Problem) -> list[Problem]:
        """Return the first error, and those of the other tags."""
        span = problem.location
        others = [
            fault
            for one, fault in self.faults
            if span is None or not one.start <= span.start < one.end
        ]
        return [problem, *others[:MOST_PROBLEMS]]


def mended(source: Source, *, blocks: bool = True) -> Mended:
    """Return a source without the faulty tags; without any block if `blocks` is false."""
    text = source.text
    pieces = _readable(text, scan(text))
    tags = [_tag(source, piece) for piece in pieces]
    faulty = [tag for tag in tags if tag.fault is not None]
    out = (
        unmatched([tag.keyword for tag in tags])
        if blocks
        else {at for at, tag in enumerate(tags) if tag.keyword}
    )
    removed = [tags[at] for at in out]
    doubtful = faulty + removed
    last = pieces[-1].end if pieces else 0
    is_cut = last < len(text)
    are_turns_known = not any("<|" in _lines(text, tag.piece) for tag in doubtful)
    places = [tag.piece.start for tag in doubtful] + [last] * is_cut
    words = {word for tag in doubtful for word in tag.words}
    for piece in (one for one in pieces if one.kind == "text"):
        for line in text[piece.start : piece.end].split("\n"):
            if any(end in line for end in _ENDS):
                words.update(_WORD.findall(line))
        half = text.find("%}", piece.start, piece.end)  # of a tag whose beginning is lost
        places += [half] * (half >= 0)
    pairs = paired(stretches(text, pieces), source).values()
    starts = sorted({pair.start for pair in pairs if pair.alone})
    return Mended(
        _joined(source, tags, out),
        source,
        starts,
        [(tag.piece, tag.fault) for tag in faulty if tag.fault is not None],
        frozenset(words),
        frozenset(_before(starts, at) for at in places),
        min(places, default=last),
        are_turns_known=are_turns_known,
        is_structure_known=are_turns_known and not removed,
        are_macros_known=not any(
            tag.keyword in ("macro", "endmacro", "call", "endcall") for tag in removed
        ),
        may_read=is_cut or not blocks or any(_READING & set(tag.words) for tag in doubtful),
        may_define=any(_defines_unknown(text, tag) for tag in faulty),
    )


def _lines(text: str, piece: Piece) -> str:
    """The lines that a tag is on, each up to the tag or as a whole."""
    start = text.rfind("\n", 0, piece.start) + 1
    return text[start : piece.end]


def _before(starts: Sequence[int], offset: int) -> int:
    at = bisect_right(starts, offset)
    return starts[at - 1] if at else -1


def _defines_unknown(text: str, tag: _Tag) -> bool:
    """Whether it defines a name that is not written yet."""
    if tag.keyword not in _DEFINING:
        return False
    words = [text[one.start : one.end] for one in tokens(text, tag.piece)]
    first, last = _TARGETS.get(tag.keyword, (words[0], ""))
    names = words[words.index(first) + 1 :] if first in words else []
    names = names[: names.index(last)] if last in names else names
    places = [0, *(at + 1 for at, word in enumerate(names) if word in (",", "as", "("))]
    return any(not _is_name("".join(names[at : at + 1])) for at in places)


def _is_name(word: str) -> bool:
    return word.isidentifier() and word not in ("as", "in")


def _readable(text: str, pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The pieces before a comment or a raw text without its end, which may go on anywhere."""
    for at, piece in enumerate(pieces):
        is_raw = piece.kind == "statement" and _words(text, piece)[:1] == ("raw",)
        is_ended = pieces[at + 1 : at + 2] and pieces[at + 1].kind == "raw"
        if (piece.kind == "comment" and not piece.closed) or (is_raw and not is_ended):
            return pieces[:at]
    return pieces


def _words(text: str, piece: Piece) -> tuple[str, ...]:
    found = (text[one.start : one.end] for one in tokens(text, piece) if one.kind == "name")
    return tuple(found)


def _tag(source: Source, piece: Piece) -> _Tag:
    text = source.text
    if piece.kind not in ("statement", "expression"):
        return _Tag(piece, "", (), None)
    words = tuple(_WORD.findall(text, piece.start, piece.end))
    keyword = keyword_of(text, piece)
    if keyword in ("raw", "endraw"):
        return _Tag(piece, "", words, None)
    return _Tag(piece, keyword, words, tag_problem(source, piece))


def _joined(source: Source, tags: list[_Tag], out: set[int]) -> Source:
    """The text with valid tags instead of the faulty ones, and anchors into the source."""
    written: list[str] = []
    anchors: list[Anchor] = []
    length = begun = 0
    for at, tag in enumerate(tags):
        start, end = tag.piece.start, tag.piece.end
        if tag.fault is None and at not in out:
            continue
        kept, put = source.text[begun:start], _stand_in(source.text, tag, at, is_out=at in out)
        anchors.append(Anchor(length, len(kept), source, begun))
        written += (kept, put)
        length += len(kept) + len(put)
        begun = end
    kept = source.text[begun : tags[-1].piece.end] if tags else ""
    anchors.append(Anchor(length, len(kept), source, begun))
    return Source("".join((*written, kept)), source.name, tuple(anchors))


def _stand_in(text: str, tag: _Tag, at: int, *, is_out: bool) -> str:
    """A valid tag of the same kind, with the same signs."""
    if is_out:
        return _TAKEN_OUT
    piece, keyword, word = tag.piece, tag.keyword, tag.keyword.removeprefix("end")
    before = "-" if text.startswith("-", piece.start + 2) else ""
    after = "-" if piece.closed and text[piece.end - 3] == "-" else ""
    if piece.kind == "expression":
        return f"{{{{{before} 0 {after}}}}}"
    if keyword in MIDDLES:
        inner = MIDDLES[keyword][0]
    elif keyword.startswith("end") and word in OPENERS:
        inner = keyword
    else:
        inner = (OPENERS.get(keyword) or SINGLE[keyword]).format(at=at)
    return f"{{%{before} {inner} {after}%}}"
