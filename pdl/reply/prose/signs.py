"""The meaning of the words around an answer: final, the answer, an example, withdrawn.

Only strong signs withdraw an answer: an imperative on it, a verdict on it, another value for one of
its keys; and before it, that it is an example because there was no input, or somebody else's words.
A sentence that names a condition or a possibility withdraws nothing.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.prose.words import SENTENCE_END, hear

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json


_DECORATION = " \t\r*_#=>`\"'“”|-–—✅☑✔👉➡️"
_COLON = re.compile(r"[:：=→][\s*_`\"'“‘«「(\[{$\\]*$")
_QUOTED = re.compile(r"[ \t]*>")
_QUOTES = (("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("‘", "’"))
_LINE = 300  # characters of a line that are looked at
_BLANK_LINES = 6  # lines without words between such a word and the answer at most
_NEAR_MARK = 50  # characters between such a word and the answer at most


class Lead:
    """The words that lead to an offset of a text: on its line, or just above.

    `start` is where the answer before it ends: words before that one are not about this one. A
    block quote (GFM 5.1) is not the model's own words.
    """

    def __init__(self, text: str, start: int, at: int) -> None:
        self._text, self._start, self._at = text, start, at
        self._line = _lead(text, start, at)
        self._clause = _clause(self._line)
        self._heard = hear(self._clause)

    def announces(self, noun: str = "answer") -> bool:
        """Whether they call it final or corrected. `noun` is the meaning of a word for it."""
        text, clause, heard, at = self._text, self._clause, self._heard, self._at
        ends = [len(clause) - found.end() for found in heard.find("final")]
        if not any(end <= _NEAR_MARK for end in ends):
            return False
        if _QUOTED.match(text, text.rfind("\n", 0, at) + 1):
            return False
        if _is_cited(text[max(self._start, at - 3 * _LINE) : at]):
            return False
        named = min(ends) <= 1 or heard.says("answer", noun)
        return named and "?" not in clause and not heard.says("not", "example", "former", "another")

    def claims(self) -> bool:
        """Whether they call it the answer: `Answer:`, `The result is`."""
        heard = self._heard
        if not heard.says("answer") or heard.says("not", "former"):
            return False
        linked = _COLON.search(self._line) or len(self._clause.split()) <= 1
        return bool(linked) or heard.says("is")

    def exemplifies(self) -> bool:
        """Whether they call it an example, a format, a draft, or an earlier version."""
        return self._heard.says("example", "former") and not self._heard.says("not_example")

    def disowns(self) -> bool:
        """Whether they say that it is not the model's own answer.

        It is an example because there was no input, a hypothetical case, or something that somebody
        else wrote and the model won't follow.
        """
        heard = self._heard
        if not heard.says("unreal", "foreign", "fake", "would", "example", "former"):
            return False
        if heard.says("unreal", "foreign", "fake"):
            return True
        supposes, exemplifies = heard.says("would"), self.exemplifies()
        if not (supposes or exemplifies):
            return False
        before = hear(self._text[max(self._start, self._at - _LEAD) : self._at])
        unreal = supposes and before.says("hypothetical")
        return unreal or (exemplifies and before.says("no_input"))


def _is_cited(front: str) -> bool:
    """Whether the words that lead to something are in a quotation, or end one: `"final:" 3`."""
    front = front.rstrip(_DECORATION + "\n「«„")
    line = front.rpartition("\n")[2]
    *_, sentence = SENTENCE_END.split(line.rstrip(".:："))
    if sentence.count('"') % 2 or sentence.count("`") % 2:
        return True
    return any(line.rfind(opener) > line.rfind(closer) for opener, closer in _QUOTES)


def _lead(text: str, start: int, at: int) -> str:
    """The words on the line of `at`; if there are none, those just above that announce it."""
    before = text[max(start, at - 3 * _LINE) : at]
    head, newline, here = before.rpartition("\n")
    if here.strip(_DECORATION):
        return here[-_LINE:].rstrip(_DECORATION)
    above = ""
    for _ in range(_BLANK_LINES):
        if above or not newline:
            break
        head, newline, line = head.rpartition("\n")
        above = line.strip(_DECORATION)[-_LINE:]
    return above


def _clause(line: str) -> str:
    """The last sentence of a line."""
    said = len(line.rstrip(_DECORATION + ":："))
    starts = [end.end() for end in SENTENCE_END.finditer(line) if end.end() < said]
    return line[starts[-1] if starts else 0 :].strip(_DECORATION)


_LEAD = 2000  # characters before an answer in which words can say that there was no input
_LONGEST = 600  # characters of a sentence that are looked at
_KEYS = 200  # parts of an answer that are looked for in a sentence
_NEAR = 3  # words between a key and the words about it
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_VALUE = re.compile(
    r"[\s:=]*(?:an?\s|the\s|\w+\s){0,2}?[\"'`“”*_]{0,3}(?P<number>-?\d[\d.,]*)"
    r"|[\s:=]*[\"'`“”*_]{0,3}(?P<literal>true|false|null|none|yes|no)\b"
    r"|[\s:=]*[*_]{0,2}[\"'`“](?P<text>[^\"'`”\n]{1,80})[\"'`”]",
    re.IGNORECASE,
)
_WITHDRAWALS = ("ignore", "withdrawn", "doubtful", "fake")
_CORRECTIONS = ("should_be", "wrong", "actually", "instead")
_LITERALS = {"true": True, "yes": True, "false": False, "no": False, "null": None, "none": None}


def taken_back(following: str, value: Json = None) -> str:
    """The sentence after an answer that withdraws it; empty if none does.

    The first can continue the answer's own line: `{…} is not the answer`. `value` is the answer,
    whose parts the sentence can name.
    """
    line = following.partition("\n")[0].lstrip(" \t*_`\"'”")
    if line.strip() and _goes_on(next(sentences(line))):
        return line
    names: dict[str, Json] = {}
    for sentence in sentences(following):
        if not hear(sentence).says(*_WITHDRAWALS, *_CORRECTIONS):
            continue
        if is_withdrawal(sentence):
            return sentence
        if value is None or not _is_on_values(sentence):
            continue
        names = names or dict(_named(value))
        if _contradicts(sentence, names) or _replaces(sentence, value):
            return sentence
    return ""


def _goes_on(said: str) -> bool:
    """Whether the rest of an answer's line calls it wrong: `… is not it`."""
    wrong = any(found.start() == 0 for found in hear(said).find("wrong"))
    return (wrong and not hear(said).says("harmless")) or is_withdrawal(f"that {said}")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, in order, each with the mark that ends it."""
    start = 0
    for end in (*(found.end() for found in SENTENCE_END.finditer(text)), len(text)):
        if sentence := text[start:end].strip():
            yield sentence[:_LONGEST]
        start = end


def _is_on_values(sentence: str) -> bool:
    """Whether a sentence can call a value wrong or correct it."""
    heard = hear(sentence)
    return heard.says(*_CORRECTIONS) and not heard.says("harmless")


def is_withdrawal(sentence: str) -> bool:
    """Whether a sentence takes back what was said before it."""
    heard = hear(sentence)
    if not heard.says(*_WITHDRAWALS):
        return False
    if heard.says("harmless") or sentence.rstrip(" \"'*_)").endswith(("?", "？", "؟")):
        return False
    return heard.says("ignore") or not heard.says("former")


def _contradicts(sentence: str, names: dict[str, Json]) -> bool:
    """Whether a sentence says of a part of the answer that it is wrong, or another."""
    low = sentence.lower()
    for name, value in names.items():
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", low) if name in low else None
        if found and _speaks_against(sentence, found.end(), value):
            return True
    return False


def _replaces(sentence: str, value: Json) -> bool:
    """Whether a sentence states a value that the answer does not contain."""
    heard = hear(sentence)
    said = [_VALUE.match(sentence, found.end()) for found in heard.find("instead")]
    if not any(said) or heard.says("former"):
        return False
    parts = [part for _, part in _named(value) if not isinstance(part, dict | list)]
    return all(
        _differs(one, part) or not _is_alike(one, part) for one in said if one for part in parts
    )


def _is_alike(said: re.Match[str], value: Json) -> bool:
    """Whether a value that a sentence states is of the type of another."""
    if said["number"]:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str) if said["text"] is not None else isinstance(value, bool | None)


def _speaks_against(sentence: str, at: int, value: Json) -> bool:
    """Whether the words after the name of a part call its value wrong or correct it."""
    following = sentence[at:]
    heard = hear(following)
    if any(_is_near(following, found.start()) for found in heard.find("wrong")):
        return True
    corrects = hear(sentence).says("actually")
    for found in chain(heard.find("should_be"), heard.find("is") if corrects else ()):
        said = _VALUE.match(following, found.end())
        if said and _is_near(following, found.start()) and _differs(said, value):
            return True
    return False


def _is_near(following: str, at: int) -> bool:
    return len(following[:at].split()) <= _NEAR


def _differs(said: re.Match[str], value: Json) -> bool:
    """Whether a value that a sentence states differs from the answer's."""
    if said["number"] and isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(said["number"].rstrip(".,").replace(",", "")) != value
        except ValueError:
            return False
    if said["literal"] and (value is None or isinstance(value, bool)):
        return _LITERALS[said["literal"].lower()] is not value
    if said["text"] is not None and not isinstance(value, dict | list):
        return said["text"].strip().casefold() != str(value).casefold()
    return False


def _named(value: Json) -> list[tuple[str, Json]]:
    """The keys of an answer as a sentence would write them, each with its value."""
    found: list[tuple[str, Json]] = []
    spoken: dict[str, set[str]] = {}
    pending = [value]
    while pending and len(found) < _KEYS:
        part = pending.pop()
        if isinstance(part, dict):
            for key, item in islice(part.items(), _KEYS + 1):  # one key can be empty
                if key not in spoken:
                    plain = _CAMEL.sub(" ", key).replace("_", " ").lower()
                    spoken[key] = {key.lower(), plain} - {""}
                found += [(name, item) for name in spoken[key]]
            pending += part.values()
        elif isinstance(part, list):
            pending += part[:_KEYS]
    return found[:_KEYS]
