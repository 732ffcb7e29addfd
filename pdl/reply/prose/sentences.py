"""The prose around a scalar answer: whether its sentence denies it, sets a condition, or asks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from pdl.reply.prose.explanations import instead_behind, reason_behind
from pdl.reply.prose.unmeant import without_unmeant

if TYPE_CHECKING:
    from pdl.reply.result import Span
    from pdl.reply.segments.segmenter import Cut

_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)[.!?…](?=[\s\"'”’)\]*_`]|\\n|$)|[。！？।؟\n]")
_TURNS = re.compile(
    r"(?<![\w-])(?:not|no|never|neither|nor|cannot|hardly|without|unlike|untrue|incorrect|wrong|false(?=\s+that)"
    r"|isnt|wasnt|arent|dont|doesnt|cant|unsure|uncertain|unclear|unknown|doubt\w*"
    r"|if|unless|whether|suppose|supposing|assuming|hypothetically|otherwise|would\s+have|except"
    r"|far\s+from|anything\s+but|but|although|though|however|nothing|nobody|fail\w*|lack\w*|less|fewer|below|rarely|seldom|barely"
    r"|refuse\w*|declin\w*|hesitat\w*|instead\s+of|rather\s+than|other\s+than|may|might|could|maybe|perhaps|possibly"
    r"|(?:first|earlier|initial|original|old)\s+(?:answer|guess|thought|attempt|result)"
    r"|users?\s+(?:\w+\s+)?(?:says?|said|thinks?|claim\w*|label\w*|wants?|wrote|asks?|asked|believes?)"
    r"|(?:wrong|incorrect|mistaken|false|erroneous)ly|mis(?:label|classif|categori)\w*|often|usually|commonly|traditionally"
    r"|as\s+long\s+as|so\s+long\s+as|subject\s+to|provided(?:\s+that|,)|on\s+condition|conditionally"
    r"|under\s+(?:certain|some|these|specific)\s+\w+|knowledge\s+cut-?off|training\s+(?:data|cut-?off)"
    r"|used\s+to|formerly|previously|or\s+(?:more|less|so|higher|lower|fewer)|at\s+(?:least|most)|minimum|maximum"
    r"|(?:some|many|most|others?|people|they|critics|experts|someone|he|she)\s+(?:\w+\s+)?"
    r"(?:say|says|said|think|thinks|answer\w*|claim\w*|argue\w*|believe\w*)|(?<!the\s)(?<!this\s)(?<!that\s)claim\w*|alleged\w*|supposedly|pretend\w*"
    r"|probabl[ye]\w*|presumably|likely|unlikely|vielleicht|wahrscheinlich|vermutlich|möglicherweise|eventuell"
    r"|peut-être|probablement|quizás?|probablemente|talvez|provavelmente|forse|probabilmente|misschien|waarschijnlijk"
    r"|może|prawdopodobnie|chyba|возможно|может\s+быть|вероятно|наверное|belki|muhtemelen|kanske|troligen|možná|asi"
    r"|можливо|мабуть|ربما|शायद"
    r"|isn|wasn|nicht|kein\w*|weder|nie|niemals|wenn|falls|ob"
    r"|pas|jamais|aucun\w*|ni|sauf|nunca|jamás|tampoco|ningun\w*|não|nem|mai|nessun\w*|neanche"
    r"|niet|geen|nooit|inte|aldrig|ikke|aldri|ei"
    r"|не|нет|ни|никогда|если|nie|żaden|değil|hayır|eğer)(?![\w-])"
    r"|n['’]t\b|不|没|沒|非(?!常)|未|无|無|ない|なく|ません|아니|아닙|아닌|않|못|없|안\s|如果|若|もし|만약|也许|可能|大概|たぶん|多分|おそらく|かもしれ|아마|ليس|لا\s|नहीं",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？؟]")
_TAG = re.compile(r"</?[A-Za-z][\w-]*+(?:\s[^<>\n]{0,200}+)?>")
PLAIN_FENCES = frozenset(["", "text", "txt", "plaintext", "plain", "json", "markdown", "md"])
"""Languages of fences that hold an answer, and no program."""


def _any_between(places: list[int], start: int, end: int) -> bool:
    """Whether one of the places, which are in order, is in the range."""
    index = bisect_left(places, start)
    return index < len(places) and places[index] < end


class Sentences:
    """The sentences of a text, to be asked about places in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [end.end() for end in _END.finditer(text)]
        self._turns = [turn.start() for turn in _TURNS.finditer(text)]
        self._asks = [mark.start() for mark in _ASKS.finditer(text)]

    def around(self, span: Span) -> Span:
        """The sentence in which a span begins, with the mark that ends it."""
        index = bisect_right(self._ends, span[0])
        start = self._ends[index - 1] if index else 0
        later = bisect_left(self._ends, span[1])
        return start, self._ends[later] if later < len(self._ends) else len(self._text)

    def asked(self, span: Span) -> bool:
        """Whether a span stands in a question."""
        return _any_between(self._asks, span[1], self.around(span)[1])

    def turned_before(self, span: Span) -> bool:
        """Whether the sentence of a span denies it, or makes it a condition, in front of it."""
        return _any_between(self._turns, self.around(span)[0], span[0])

    def turned(self, span: Span) -> bool:
        """Whether the sentence around a span denies it, makes it a condition, or asks."""
        end = self.around(span)[1]
        if self.asked(span) or self.turned_before(span):
            return True
        behind = instead_behind(self._text, span[1])
        if behind < 0:
            behind = span[1]
        if not _any_between(self._turns, behind, end):
            return False
        return not reason_behind(self._text, span[1])


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
