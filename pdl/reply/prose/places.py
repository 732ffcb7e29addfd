"""The positions of answers in prose, ranked by how strongly they indicate one.

A marked answer beats one that is called the answer, which beats one that is only stated: an answer
tag or a box; `final answer: `; `answer: `, `the answer is `, or alone on the first or last line;
another label, bold type or code; a copula, a count of things, a rate of `4 out of 5`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.phrases import line_before
from pdl.reply.prose.clauses import MARKS, WINDOW, Clause, Rank
from pdl.reply.prose.words import SENTENCE_END, begins, joined, lexicon, tokens
from pdl.reply.segments.spans import Spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pdl.reply.prose.scalar_candidates import ScalarCandidate
    from pdl.reply.result import Span

_CLAUSE = re.compile(
    rf"[;；，、,](?!\d)|[(){{}}\[\]—|（）:：]|(?<=\s)[-–](?=\s)|{SENTENCE_END.pattern}"
)
_OPENING = re.compile(
    rf"[\s>#•|{MARKS}(\[{{$\\✅👉➡→✔✓-]*+(?>(?:\(?\d{{1,3}}[.)]\s+)?)"
    rf"[{MARKS}(\[$\\{{]*(?:text\{{|mathrm\{{)?[$€£¥≈~+−–-]*"
)
_LEAD = re.compile(rf"[{MARKS}\s,;(—–-]*")
_WORD = re.compile(r"\w")
_QUOTED = re.compile(
    r"`[^`\n]*+`|\"[^\"\n]*+\"|“[^“”\n]*+”|„[^„“”\n]*+[“”]|«[^«»\n]*+»|「[^「」\n]*+」"
    r"|~~[^~\n]*+~~|https?://\S++|(?<!\\)\([^()\n]{1,200}\)"
)
_QUOTE_MARKS = '`"“”„«»「」* '
_ELEMENT = re.compile(r"<(?P<name>[A-Za-z][\w-]*+)>\s*+(?P<said>[^<>\n]{1,80}?)\s*</(?P=name)>")
_SEPARATOR = re.compile(r"[,，、/|&;+~–—→>-]")
_NO_JOINT = frozenset(".!?\n:=")
_JOINED = 24  # characters between answers that are named together: `5 or 6`
_QUESTION = ("?", "？", "؟")
_CLOSERS = " \"'”’)*_`\n"
_NEAR = 60  # characters after an answer that can begin a condition


@dataclass(frozen=True, slots=True)
class Placed:
    """A candidate and its position.

    `turned`: the words around it deny it, ask, or make it conditional. `concluded`: they draw a
    conclusion; `alone`: it is a whole sentence; `foreign`: its label names something
    else; `fits`: the schema; `aside`: it is quoted, or in parentheses.
    """

    one: ScalarCandidate
    place: Rank = Rank.NOWHERE
    turned: bool = False
    concluded: bool = False
    alone: bool = False
    foreign: bool = False
    fits: bool = False
    aside: bool = False

    @property
    def rank(self) -> Rank:
        """The rank of its position, unless the words turn it around."""
        return Rank.NOWHERE if self.turned else self.place


class Prose:
    """The prose of a reply, which ranks the positions of its candidates."""

    def __init__(self, text: str, found: list[ScalarCandidate]) -> None:
        self.text = text
        self._sentences = [end.end() for end in SENTENCE_END.finditer(text)]
        self._clauses = [end.end() for end in _CLAUSE.finditer(text)]
        self._lone = _lone(text, [one.span for one in found])
        self._options = sum(text[one.span[1] : one.span[1] + 1] in {")", ":", "."} for one in found)
        self._several = len(found) > 1

    def place(self, one: ScalarCandidate, past: int) -> Placed:
        """The position of a candidate; the one before it ends at `past`."""
        start, end = self._around(self._clauses, one.span)
        begin, stop = self._around(self._sentences, one.span)
        said = Clause(self.text, one, (start, end), (begin, stop), follows=past > start)
        mark = self.text[one.span[1] : one.span[1] + 1]
        said.listed = self._options > 1 or (self._several and mark == ":")
        edge = one.span[0] in self._lone or (self._is_first(one.span[0]) and said.is_set_off())
        rank = said.rank(edge=edge)
        asked = self.text[max(begin, stop - 8) : stop].rstrip(_CLOSERS).endswith(_QUESTION)
        turned = asked or said.turned(rank) or self._conditional(one.span[1], stop)
        return Placed(
            one,
            rank,
            turned=turned and rank < Rank.TAGGED,
            concluded=said.concluded(),
            alone=said.alone(),
            foreign=said.foreign,
        )

    def _around(self, ends: list[int], span: Span) -> Span:
        """The part in which a span begins, with the mark that ends it."""
        index, later = bisect_right(ends, span[0]), bisect_left(ends, span[1])
        start = ends[index - 1] if index else 0
        return start, ends[later] if later < len(ends) else len(self.text)

    def _is_first(self, at: int) -> bool:
        """Whether only symbols and the number of a list come before it."""
        return at <= WINDOW and _OPENING.fullmatch(self.text, 0, at) is not None

    def _conditional(self, at: int, end: int) -> bool:
        """Whether the sentence continues with a condition after an answer: `yes, if it rains`."""
        rest = self.text[at : min(end, at + WINDOW)]
        if any(one in rest for one in joined("condition")):
            return True
        lead = _LEAD.match(rest)
        return begins("condition", tokens(rest[lead.end() if lead else 0 :][:_NEAR])) > 0


def _lone(text: str, spans: list[Span]) -> frozenset[int]:
    """Where candidates begin that are alone on the first lines of a text, or on the last."""
    alone: dict[int, int] = {}
    for start, end in spans:
        head = line_before(text, start, most=WINDOW)
        tail = text[end : end + WINDOW].partition("\n")[0]
        if not _WORD.search(tail) and _OPENING.fullmatch(head):
            alone[start - len(head)] = start
    lines, at = [], 0
    for line in text.split("\n"):
        if _WORD.search(line):
            lines.append(at)
        at += len(line) + 1
    found: set[int] = set()
    for order in (lines, lines[::-1]):
        for line_start in order:
            if line_start not in alone:
                break
            found.add(alone[line_start])
    return frozenset(found)


def placed(
    reply: str,
    text: str,
    found: list[ScalarCandidate],
    answers: Sequence[Span],
    fits: Callable[[ScalarCandidate], bool],
) -> list[Placed]:
    """The candidates in `text`, the prose of a reply, with their positions.

    `answers` are the insides of answer tags. Those that are named together share the best position.
    """
    aside = Spans(_quotations(text, found))
    tagged = Spans(answers)
    elements = _ELEMENT.finditer(reply) if "</" in reply else ()
    marked = Spans(element.span("said") for element in elements)
    where = Prose(text, [one for one in found if not one.idle])
    made: list[Placed] = []
    past = 0
    for one in found:
        at = one.span[0]
        each = Placed(one)
        if not one.idle and at not in aside:
            each = where.place(one, past)
            if at in tagged and not each.foreign:
                each = replace(each, place=Rank.TAGGED, turned=False)
            elif at in marked:
                each = replace(each, place=max(each.place, Rank.MARKED))
        past = past if one.idle else one.span[1]
        made.append(replace(each, fits=not one.why and fits(one), aside=at in aside))
    return _chained(text, made)


def _quotations(text: str, found: Sequence[ScalarCandidate]) -> Iterator[Span]:
    """Quotations, inline code, and parentheses, if they contain more than a candidate."""
    alone = {one.span for one in found}
    for quote in _QUOTED.finditer(text):
        inner = quote[0][1:-1] if quote[0][0] == "(" else quote[0]
        inner = inner.strip(_QUOTE_MARKS).rstrip(".")
        start = text.find(inner, quote.start())
        if (start, start + len(inner)) not in alone:
            yield quote.span()


def _chained(text: str, made: list[Placed]) -> list[Placed]:
    """The same, where `5, 6` and `5 or 6` share one position."""
    for at, (one, other) in enumerate(pairwise(made)):
        between = text[one.one.span[1] : other.one.span[0]]
        bounded = one.one.free and one.turned
        lower = other.place < one.place or bounded
        if other.one.idle or not lower or len(between) > _JOINED:
            continue
        if _joins(between) and not _goes_on(text, other.one):
            made[at + 1] = replace(one, one=other.one, fits=other.fits, aside=other.aside)
    return made


def _goes_on(text: str, one: ScalarCandidate) -> bool:
    """Whether a word belongs to what follows: the `no` in `yes - no doubt`."""
    following = text[one.span[1] : one.span[1] + 2]
    return isinstance(one.value, str | bool) and following[:1] == " " and following[1:].isalpha()


def _joins(between: str) -> bool:
    """Whether answers with that between them are named together."""
    if not _NO_JOINT.isdisjoint(between):
        return False
    either, fillers = lexicon("or"), lexicon("filler")
    words = [word for word in tokens(between) if word not in fillers or word in either]
    if words:
        return words[0] in either and all(word in either for word in words[1:])
    return _SEPARATOR.search(between) is not None
