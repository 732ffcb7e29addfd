"""A template as its author wrote it: its turns, with their texts and the tags around them.

Comments and spaces in tags are left out, and so is whitespace that `{%-` and `-%}` remove: texts
differ here only if they render differently, or are written with other tags.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import TemplateSyntaxError

from pdl.prompt.markers import MARKER, OPEN, WHOLE, MarkerOrigin, Markers, Stretch, number_of
from pdl.prompt.turns import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.prompt.sandbox import PromptEnvironment
    from pdl.source import Source, Span

_OPENING = {"block_begin": "{%", "variable_begin": "{{"}
_CLOSING = {"block_end": "%}", "variable_end": "}}"}
_LEFT_OUT = frozenset({"comment_begin", "comment", "comment_end"})
_RAW = {"raw_begin": "raw", "raw_end": "endraw"}
_BRANCHING = frozenset({"if", "for"})
_SINGLE = frozenset({"", "{{", "media"})
_WORDS = frozenset("and or not in is if else elif for set import include from as with".split())  # noqa: SIM905
_TIGHT_AFTER = frozenset("([{.")
_TIGHT_BEFORE = frozenset(")]},.:")
_CALLED = frozenset("([")
_READS = frozenset({"include", "import", "from", "extends"})
_RAW_MEDIA = re.compile(r"\s*raw_media\s*\(", re.IGNORECASE)

MIDDLE = frozenset({"elif", "else"})
"""The tags that begin another branch of a block."""

QUOTED = re.compile(r'"([^"]*)"|\'([^\']*)\'')
"""A string in a tag."""

DIGEST = 12
"""The hexadecimal digits of a digest that are shown."""


class Fragment(NamedTuple):
    """A text of the template, or a tag: `name` is its first word, or `{{`; empty for a text.

    `text` is what stands at `start:end` of the source, in the form in which it is compared.
    """

    text: str
    start: int
    end: int
    name: str = ""


class Reference(NamedTuple):
    """A string in a tag that reads files, and whether it need not be the path of one."""

    path: str
    optional: bool


@dataclass(frozen=True)
class Section:
    """A turn of a template, or of what it rendered to; with the role "", tags outside of turns.

    `context` are the tags around the turn: of blocks that contain turns, each up to the branch in
    which this one is. `media` are the tags that embed what the template names. `anchors` map the
    text to the source, by the offset in the text.
    """

    role: str
    text: str
    source: Source | None = None
    marker: Span | None = None
    context: tuple[Fragment, ...] = ()
    media: tuple[MarkerOrigin, ...] = ()
    anchors: tuple[tuple[int, Fragment], ...] = field(default=(), repr=False)

    def span(self, offset: int = 0, length: int = 1) -> Span | None:
        """Where a part of the text is in the source; the turn's marker for an empty text."""
        index = bisect_right(self.anchors, offset, key=lambda anchor: anchor[0]) - 1
        if self.source is None or index < 0:
            return self.marker
        at, fragment = self.anchors[index]
        if fragment.name:
            return self.source.span(fragment.start, fragment.end)
        start = min(fragment.start + offset - at, max(fragment.end - 1, fragment.start))
        return self.source.span(start, max(min(start + length, fragment.end), start + 1))


@dataclass(frozen=True)
class Outline:
    """The sections of a template, and the files that its tags name, both in order.

    `fragments` is all of it; `blocks` are the first and the last tag of each block, by index.
    """

    sections: tuple[Section, ...] = ()
    references: tuple[Reference, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    blocks: tuple[tuple[int, int], ...] = ()


def outline(source: Source, environment: PromptEnvironment | None, *, part: bool) -> Outline:
    """Return the sections of a template; of a `part`, text before the first turn is a section too.

    A template that can't be read, or that has no environment, is one text without tags.
    """
    try:
        found = list(_fragments(source, environment))
    except TemplateSyntaxError:
        found = list(_fragments(source, None))
    writer = _Writer(source, found)
    sections = list(writer.sections(part=part))
    if sections and sections[-1].role == "assistant" and not sections[-1].text:
        sections.pop()  # it invites the answer, and is not sent
    blocks = tuple((tags[0], end) for tags, end in _blocks(found))
    return Outline(tuple(sections), tuple(_references(found)), tuple(found), blocks)


def _fragments(source: Source, environment: PromptEnvironment | None) -> Iterator[Fragment]:
    """The texts and tags of a template. Raises TemplateSyntaxError."""
    if environment is None:
        yield Fragment(source.text, 0, len(source.text))
        return
    at = start = 0
    words: list[str] = []
    for _, kind, value in environment.lexer.tokeniter(source.text, None):
        at = source.text.index(value, at)
        if kind in _OPENING:
            start, words = at, []
        elif kind in _CLOSING:
            name = words[0] if kind == "block_end" and words else "{{"
            opening = "{%" if kind == "block_end" else "{{"
            text = f"{opening} {_spaced(words)} {_CLOSING[kind]}"
            yield Fragment(text, start, at + len(value.rstrip()), name)
        elif kind in _RAW:
            yield Fragment(f"{{% {_RAW[kind]} %}}", at, at + len(value), _RAW[kind])
        elif kind == "data":
            yield Fragment(value, at, at + len(value))
        elif kind == "string" and value[0] == "'" and not set(value) & {'"', "\\"}:
            words.append(f'"{value[1:-1]}"')
        elif kind != "whitespace" and kind not in _LEFT_OUT:
            words.append(value)
        at += len(value)


def _spaced(words: list[str]) -> str:
    """The tokens of a tag with the same spaces, however it was written."""
    out = words[:1]
    for before, word in pairwise(words):
        called = word in _CALLED and (before[-1].isalnum() or before[-1] in "_)]\"'")
        is_tight = (
            before in _TIGHT_AFTER
            or word in _TIGHT_BEFORE
            or (called and before not in _WORDS)
            or (before == ":" and len(out) > 1 and out[-2].endswith(":"))
        )
        out += [word] if is_tight else [" ", word]
    return "".join(out)


def _references(fragments: Iterable[Fragment]) -> Iterator[Reference]:
    """The files that tags name in quotes."""
    for fragment in fragments:
        if fragment.name in _READS:
            missing = "ignore missing" in fragment.text
            first = len(f"{{% {fragment.name} ")
            for match in QUOTED.finditer(fragment.text):
                yield Reference(match[1] or match[2] or "", missing or match.start() > first)


class _Writer:
    """Makes sections of the fragments of one template."""

    def __init__(self, source: Source, fragments: list[Fragment]) -> None:
        self.source = source
        origins = list(_origins(source, fragments))
        self.separators = [origin for origin in origins if _separates(origin)]
        self.starts = [origin.start for origin in self.separators]
        self.media = [one for one in origins if one.is_whole and one.names_media]
        self.fragments = list(self._cut(fragments))
        self.branches: dict[int, list[int]] = {}
        changes = [0] * (len(self.fragments) + 1)
        for tags, end in _blocks(self.fragments):
            changes[tags[0]] += 1
            changes[end] -= 1
            if self._has_turn(tags[0], end):
                self.branches |= {tag: tags[: at + 1] for at, tag in enumerate(tags)}
                self.branches[end] = []
        self.depths = list(accumulate(changes))

    def _cut(self, fragments: list[Fragment]) -> Iterator[Fragment]:
        """The fragments, cut where turns begin and where their markers end, and around bytes."""
        raw = [one for one in self.media if _RAW_MEDIA.match(one.text)]
        cuts = sorted({at for one in (*self.separators, *raw) for at in (one.start, one.end)})
        written = {one.start: _short_bytes(one.text) for one in raw}
        for fragment in fragments:
            if fragment.name:
                yield fragment
                continue
            inside = cuts[bisect_right(cuts, fragment.start) : bisect_left(cuts, fragment.end)]
            for start, end in pairwise((fragment.start, *inside, fragment.end)):
                text = fragment.text[start - fragment.start : end - fragment.start]
                short = written.get(start)
                yield Fragment(short, start, end, "media") if short else Fragment(text, start, end)

    def _has_turn(self, first: int, last: int) -> bool:
        start, end = self.fragments[first].start, self.fragments[last].start
        return bisect_left(self.starts, start) < bisect_left(self.starts, end)

    def sections(self, *, part: bool) -> Iterator[Section]:
        """The sections in order."""
        current: MarkerOrigin | None = None
        around: tuple[Fragment, ...] = ()
        stack: list[list[int]] = []
        content: list[int] = []
        separators = iter(self.separators)
        following = next(separators, None)
        for index, fragment in enumerate(self.fragments):
            if following is not None and fragment.start >= following.start:
                yield from self._section(current, around, content, part=part)
                around = tuple(self.fragments[tag] for tags in stack for tag in tags)
                current, content, following = following, [], next(separators, None)
            branches = self.branches.get(index)
            if branches is not None:
                stack = stack if len(branches) == 1 else stack[:-1]
                stack = [*stack, branches] if branches else stack
            content.append(index)
        yield from self._section(current, around, content, part=part)

    def _section(
        self,
        origin: MarkerOrigin | None,
        context: tuple[Fragment, ...],
        content: list[int],
        *,
        part: bool,
    ) -> Iterator[Section]:
        if origin is None:
            yield from self._outside(content, part=part)
            return
        inside = [at for at in content if self.fragments[at].start >= origin.end]
        marker = [self.fragments[at].text for at in content[: len(content) - len(inside)]]
        role = "".join(marker).strip()[2:-2].strip()
        role = role.lower() if origin.is_whole else role
        count = len(inside)
        if role == "input":  # tags after the declaration belong to no turn
            count = next((n for n, at in enumerate(inside) if self.fragments[at].name), count)
        made = self._made(inside[:count], "")
        span = self.source.span(origin.start, origin.end)
        yield replace(made, role=role, marker=span, context=context)
        yield from self._outside(inside[count:], part=False)

    def _outside(self, content: list[int], *, part: bool) -> Iterator[Section]:
        """The tags outside of turns; between them, whitespace has no meaning."""
        kept = [at for at in content if part or self._counts(at)]
        section = self._made(kept, "" if part else "\n")
        if section.text:
            yield section

    def _counts(self, index: int) -> bool:
        """Whether a fragment is not whitespace between tags that are in no block."""
        fragment = self.fragments[index]
        return bool(fragment.name or fragment.text.strip() or self.depths[index])

    def _made(self, content: list[int], separator: str) -> Section:
        """A section of fragments; the separator is written between those that are in no block."""
        count = len(content)
        while count and self._ends(content[count - 1]):
            count -= 1
        out: list[str] = []
        anchors: list[tuple[int, Fragment]] = []
        at = 0
        for index in content[:count]:
            fragment = self.fragments[index]
            if separator and out and not self.depths[index - 1]:
                out.append(separator)
                at += len(separator)
            anchors.append((at, fragment))
            out.append(fragment.text)
            at += len(fragment.text)
        text = "".join(out)
        lead = len(text) - len(text.lstrip())
        placed = tuple((at - lead, fragment) for at, fragment in anchors)
        media = self._media(anchors[0][1].start, anchors[-1][1].end) if anchors else ()
        return Section("", text.strip(), self.source, media=media, anchors=placed)

    def _media(self, start: int, end: int) -> tuple[MarkerOrigin, ...]:
        first = bisect_left(self.media, start, key=lambda one: one.start)
        return tuple(self.media[first : bisect_left(self.media, end, key=lambda one: one.start)])

    def _ends(self, index: int) -> bool:
        """Whether a fragment at the end of a section is whitespace, or a tag around turns."""
        fragment = self.fragments[index]
        return index in self.branches if fragment.name else not fragment.text.strip()


def _blocks(fragments: list[Fragment]) -> Iterator[tuple[list[int], int]]:
    """The tags of each block: those that begin a branch, and the one that ends it."""
    opened: list[list[int]] = []
    for index, fragment in enumerate(fragments):
        name = fragment.name
        if name in MIDDLE:
            while opened and fragments[opened[-1][0]].name not in _BRANCHING:
                opened.pop()  # a tag without an end
            if opened:
                opened[-1].append(index)
        elif name.startswith("end"):
            while opened and fragments[opened[-1][0]].name != name.removeprefix("end"):
                opened.pop()
            if opened:
                yield opened.pop(), index
        elif name not in _SINGLE:
            opened.append([index])


def _separates(origin: MarkerOrigin) -> bool:
    """Whether a marker of the source begins a turn."""
    if not origin.alone:
        return False
    if origin.is_whole:
        return origin.text.strip().lower() in ROLES
    return not origin.names_media


def _origins(source: Source, fragments: list[Fragment]) -> Iterator[MarkerOrigin]:
    """The `<|…|>` of the source, in order."""
    kinds = ["", *(fragment.name for fragment in fragments), ""]
    stretches = [
        Stretch(one.text, one.start, kinds[index] == "{{", kinds[index + 2] == "{{")
        for index, one in enumerate(fragments)
        if not one.name
    ]
    markers = Markers()
    found: dict[int, MarkerOrigin] = {}
    for marked in markers.mark_source(stretches, source):
        for match in MARKER.finditer(marked):
            origin = markers.origin(number_of(match[2])) if match[1] in (WHOLE, OPEN) else None
            if origin is not None:
                found[origin.start] = origin
    yield from (found[start] for start in sorted(found))


def _short_bytes(text: str) -> str:
    """A tag with bytes in base64, as it is compared and shown: their number and their digest."""
    kind, _, encoded = text.partition("(")[2].rpartition(")")[0].partition(":")
    digest = sha256("".join(encoded.split()).encode("utf-8", "surrogatepass")).hexdigest()
    return f"<|raw_media({kind.strip()}: {len(encoded):,} characters, {digest[:DIGEST]})|>"
