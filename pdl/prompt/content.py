"""What the turns of a template contain, checked without data."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from pdl import tools as toolsets
from pdl.errors import MediaError, Problem, PromptError
from pdl.prompt.config import address_problems, config_doubts, parse_config, quoted_types
from pdl.prompt.files import parse_media
from pdl.prompt.markers import NOTED
from pdl.prompt.template import parse_schema
from pdl.prompt.turns import DYNAMIC, ROLES, SENT, Turn, mapped_source
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from pdl.prompt.markers import Markers
    from pdl.prompt.prompt import Prompt
    from pdl.prompt.scan import Kind
    from pdl.prompt.turns import Token
    from pdl.source import Span

    Pieces = Sequence[tuple[int, str, Kind | None]]

_STAND_INS = ("1", "1000000", '"a"', "str", "0.5")
"""What an expression in a schema might print, tried in order."""
_DEPENDS = {
    "schema": ("schema/dynamic", "this schema depends on data, so it was not checked"),
    "tools": ("tool/dynamic", "these tools depend on data, so they were not checked"),
}


_MARKER_LINE = re.compile(
    r"^[^\S\n]*+(<\|[^\S\n]*+([A-Za-z]*+)[^\S\n]*+(\|?>?))[^\S\n]*$", re.MULTILINE
)


class Ending(NamedTuple):
    """A line that no typed turn contains: the marker of an unknown turn, or a part of one."""

    start: int
    end: int
    name: str
    is_closed: bool


def endings(pieces: Pieces) -> Iterator[Ending]:
    """The lines of a text at which its author meant to end a typed turn."""
    is_typed = False
    before: Kind | None = None
    for offset, text, follower in pieces:
        for match in _MARKER_LINE.finditer(text):
            name, is_closed = match[2].lower(), match[3] == "|>"
            begins_late = not match.start() and before == "expression"
            goes_on = match.end() == len(text) and follower not in (None, "comment")
            if begins_late or goes_on or (is_closed and not name):
                continue
            if is_closed and name in ROLES:
                is_typed = name in NOTED
            elif is_typed:
                is_typed = False
                yield Ending(offset + match.start(1), offset + match.end(1), name, is_closed)
        before = follower


def ended(pieces: Pieces) -> Iterator[tuple[int, str, Kind | None]]:
    """Pieces of a text in which typed turns end where their author meant it."""
    found = list(endings(pieces))
    for offset, text, follower in pieces:
        at = 0
        for ending in found:
            if offset <= ending.start < offset + len(text):
                yield offset + at, text[at : ending.start - offset], None
                at = ending.end - offset
        yield offset + at, text[at:], follower


@dataclass(frozen=True)
class Finding:
    """A problem of a file and its severity: only errors keep a prompt from working."""

    problem: Problem
    severity: Literal["error", "warning", "note"] = "error"
    related: tuple[tuple[Span, str], ...] = ()
    """Places that explain it, and what is there."""

    @property
    def unnecessary(self) -> bool:
        """Whether what it is about can be deleted."""
        return self.problem.code == "input/unused"


class Content:
    """The checks of one turn at a time."""

    def __init__(self, prompt: Prompt, markers: Markers, ends: AbstractSet[int]) -> None:
        self.prompt = prompt
        self.markers = markers
        self.ends = ends

    def findings(self, turn: Turn) -> Iterator[Finding]:
        """The findings of a turn, each error whatever the data are."""
        if turn.role in SENT:
            yield from map(Finding, self.blocks(turn.content))
        if turn.role == "schema":
            yield from self._typed(turn, self._parse_schema)
            yield from (Finding(problem, "warning") for problem in self._doubted(turn))
        elif turn.role == "tools":
            yield from self._typed(turn, self._parse_tools)
        elif turn.role == "config":
            yield from self._config(turn)

    def blocks(self, content: Iterable[Token]) -> Iterator[Problem]:
        """The problems of media tags, and of turns that are not alone on their lines."""
        for token in content:
            if token.kind == "BLOCK" and DYNAMIC not in token.text:
                span = self.markers.span(token.marker) or self.prompt.source.span(0)
                try:
                    parse_media(token.text, span, self.prompt.folder, self.prompt.limits)
                except MediaError as error:
                    yield from error.problems

    def _config(self, turn: Turn) -> Iterator[Finding]:
        """Problems of settings, and doubts about those that don't depend on data."""
        sources = list(self._filled(turn, ("1", "2")))
        source = sources[0]
        config, problems = parse_config(source)
        for problem in problems:
            if problem.code != "config/line" or not _touches_gap(problem, source):
                yield Finding(problem)  # a line that an expression prints may hold entries
        yield from map(Finding, address_problems(config, source))
        others = parse_config(sources[-1])[0]
        known = {name: value for name, value in config.items() if others.get(name) == value}
        yield from (Finding(problem, "warning") for problem in config_doubts(known, source))

    def _filled(self, turn: Turn, stand_ins: Iterable[str]) -> Iterator[Source]:
        """A turn's source with each stand-in for its expressions; one source if it has none."""
        for stand_in in stand_ins if DYNAMIC in turn.raw else ("",):
            text = turn.raw.replace(DYNAMIC, stand_in)
            yield self._ended(mapped_source(text, self.markers, self.prompt.source.name))

    def _ended(self, source: Source) -> Source:
        """The text of a typed turn up to where its author meant to end it."""
        for match in _MARKER_LINE.finditer(source.text) if self.ends else ():
            if source.span(*match.span(1)).origin().start in self.ends:
                at = match.start()
                anchors = tuple(one for one in source.anchors if one.start < at)
                return Source(source.text[:at], source.name, anchors)
        return source

    def _parse_schema(self, source: Source) -> None:
        prompt = self.prompt
        parse_schema(source, prompt.folder, prompt.limits, prompt.types)

    def _parse_tools(self, source: Source) -> None:
        if source.text.strip():
            toolsets.ToolSet.parse(source, limits=self.prompt.limits)

    def _typed(self, turn: Turn, parse: Callable[[Source], None]) -> Iterator[Finding]:
        """Problems of a turn of types, or a note that they depend on data."""
        certain = [] if turn.cut else self._type_problems(turn, parse)
        if certain:
            yield from (Finding(problem) for problem in certain)
        elif certain is None or turn.cut:
            code, message = _DEPENDS[turn.role]
            yield Finding(Problem(code, message, self.markers.span(turn.marker)), "note")

    def _doubted(self, turn: Turn) -> Iterator[Problem]:
        """Doubts about a schema, with the first stand-in that fits."""
        for source in self._filled(turn, _STAND_INS):
            try:
                prompt = self.prompt
                schema = parse_schema(source, prompt.folder, prompt.limits, prompt.types)
            except PromptError:
                continue
            doubts = quoted_types(schema, source)
            yield from (one for one in doubts if not _touches_gap(one, source))
            return

    def _type_problems(self, turn: Turn, parse: Callable[[Source], None]) -> list[Problem] | None:
        """Problems of types, whatever the expressions in them print; None if that is unknown.

        Each expression is replaced by several stand-ins. The text is valid if it parses with one of
        them. A problem is certain if two of them show it at the same position of the file; not all
        have to, since a stand-in of the wrong kind is itself a mistake and can hide others.
        """
        found: list[Problem] = []
        for source in self._filled(turn, _STAND_INS):
            try:
                parse(source)
            except PromptError as error:
                found += (p for p in error.problems if not _touches_gap(p, source))
            else:
                return []
        if DYNAMIC not in turn.raw:
            return found
        seen = Counter(f"{problem.location}: {problem.message}" for problem in found)
        certain = {text: p for p in found if seen[text := f"{p.location}: {p.message}"] > 1}
        return list(certain.values()) or None


def _touches_gap(problem: Problem, source: Source) -> bool:
    """Whether a problem's span overlaps text that was not copied from a file: a stand-in."""
    span = problem.span
    if span is None or span.source.text != source.text:
        return False
    starts = [anchor.start for anchor in source.anchors[1:]] + [len(source.text)]
    gaps = (
        (anchor.start + anchor.length, start)
        for anchor, start in zip(source.anchors, starts, strict=False)
    )
    return any(start < end and span.start <= end and span.end >= start for start, end in gaps)
