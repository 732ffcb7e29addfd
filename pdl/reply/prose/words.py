"""The table of words and phrases, and the one matcher that reads it.

`words.toml` has a table for each meaning, and in it a list of phrases for each language. In a
phrase

    word        stands for itself, in any case; `word*` also for what begins with it
    wor[dk]s?   has one of the letters, and may lack the last one; `[0-9]+` is a number
    (a|b c)     is one of several
    (a|b)?      may be missing
    <name>      is what the table `name` has for the same language
    ..          is up to four words of any kind
    ^ and $     are the begin and the end of a sentence, and ; is the end of a clause

Words stand apart in the text, with blanks, commas, quotes or marks of emphasis between them; in
languages that write without blanks (`zh`, `ja`) they need not. A phrase is compiled when one of its
words is met for the first time, so that a reply pays for nothing but what it says.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_TOKEN = re.compile(r"\.\.|[()|?^$;]|<\w+>|[^\s()|?^$<>.;](?:[^\s()|^$<>.;]|\.(?!\.))*")
_LETTER = re.compile(r"(\[\w+\]|\w)(\??)")
_WORD = re.compile(r"\w+")
_UNSPACED = frozenset(["zh", "ja"])
_UNSEGMENTED = _UNSPACED | {"ko"}  # whose words are looked for in the text as they are
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_KEY = 4
"""Characters of a word by which the phrases that have it are found."""

_APART = r"[^\w\n.!?;:]{1,4}"
_SPACED = (_APART, rf"(?:{_APART}\w[\w'-]{{0,40}}){{0,4}}?")
_JOINED = (r"[ 、，,「」“”\"'*_`]{0,3}", r"[^\n。！？]{0,12}?")
"""What stands between two words, and what `..` is."""

_START = r"(?:(?<=[\n.!?:。！？：])|\A)[^\w\n]{0,8}"
_ENDS = {
    "$": r"(?=[^\w\n.!?。！？,，]{0,4}(?:[.!?;。！？]|\n|\Z))",
    ";": r"(?=[^\w\n]{0,4}(?:[-.!?;:,–—。！？，]|\n|\Z))",
}


class Phrase:
    """A phrase of the table: `keys` tell of a text cheaply that the phrase isn't in it."""

    __slots__ = ("_compiled", "_lang", "_source", "keys")

    def __init__(self, source: str, lang: str) -> None:
        self._source = source
        self._lang = lang
        self._compiled: re.Pattern[str] | None = None
        self.keys = _keys(_TOKEN.findall(source), lang)

    @property
    def pattern(self) -> re.Pattern[str]:
        """The phrase as a regular expression, whose search takes time linear in the text."""
        if self._compiled is None:
            source = _pattern(self._source, self._lang)
            self._compiled = re.compile(source, re.IGNORECASE)
        return self._compiled


class Text:
    """A text that is searched for phrases; apostrophes of all kinds count as `'`."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("’", "'")
        self._unsegmented = not text.isascii() and _EAST_ASIAN.search(text) is not None
        self._keys = {word[:_KEY] for word in _WORD.findall(self.text.lower())}

    def find(self, meaning: str) -> Iterator[re.Match[str]]:
        """Each phrase of a meaning that the text has, at its first place."""
        for phrase in phrases(meaning):
            if self._may_have(phrase) and (found := phrase.pattern.search(self.text)):
                yield found

    def says(self, *meanings: str) -> bool:
        """Whether the text has a phrase of one of the meanings."""
        return any(True for meaning in meanings for _ in self.find(meaning))

    def is_whole(self, meaning: str) -> bool:
        """Whether the text as a whole is a phrase of a meaning."""
        each = (one for one in phrases(meaning) if self._may_have(one))
        return any(one.pattern.fullmatch(self.text) for one in each)

    def _may_have(self, phrase: Phrase) -> bool:
        if not self._keys.isdisjoint(phrase.keys):
            return True
        return self._unsegmented and any(key in self.text for key in phrase.keys)


@cache
def table() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Meaning -> language -> phrases, as `words.toml` has them."""
    text = files(__package__).joinpath("words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def phrases(meaning: str) -> tuple[Phrase, ...]:
    """The phrases of a meaning in all languages. Raises KeyError for an unknown one."""
    return tuple(Phrase(one, lang) for lang, each in table()[meaning].items() for one in each)


@cache
def words(meaning: str) -> frozenset[str]:
    """The phrases of a meaning as they are written, for meanings that are plain words."""
    return frozenset(one for each in table()[meaning].values() for one in each)


@cache
def alternation(meaning: str) -> str:
    """A regular expression, in a group of its own, of all phrases of a meaning."""
    each = (_pattern(one, lang) for lang, row in table()[meaning].items() for one in row)
    return "(?:" + "|".join(each) + ")"


def _named(name: str, lang: str) -> Sequence[str]:
    """The phrases that `<name>` stands for. Raises KeyError if the language has none."""
    each = table()[name].get(lang, ())
    if not each:
        raise KeyError(f"a phrase asks for {name!r}, of which {lang!r} has none")
    return each


@cache
def _named_keys(name: str, lang: str) -> frozenset[str]:
    each = [_keys(_TOKEN.findall(one), lang) for one in _named(name, lang)]
    return frozenset().union(*each)


@cache
def _named_pattern(name: str, lang: str) -> str:
    return "(?:" + "|".join(_bare(one, lang) for one in _named(name, lang)) + ")"


def _pattern(source: str, lang: str) -> str:
    """The regular expression of a phrase, which ends where its words do."""
    bare = _bare(source, lang)
    return bare if lang in _UNSPACED else rf"(?<!\w){bare}(?!\w)"


def _bare(source: str, lang: str) -> str:
    return _sequence(_TOKEN.findall(source), 0, lang)[0]


def _sequence(tokens: list[str], at: int, lang: str) -> tuple[str, int]:
    """The expression of tokens up to a `|`, a `)` or their end, and where that is.

    Each part but the first brings the blanks in front of it, so that one that is missing takes
    them with it.
    """
    out: list[str] = []
    lead = ""
    apart, gap = _JOINED if lang in _UNSPACED else _SPACED
    while at < len(tokens) and tokens[at] not in {"|", ")"}:
        sign = tokens[at]
        at += 1
        if sign == "^":
            out.append(_START)
            continue
        if sign in _ENDS:
            out.append(_ENDS[sign])
            continue
        if sign == "..":
            out.append(gap)
            continue
        if sign == "(":
            part, at = _choice(tokens, at, lang)
        elif sign[0] == "<":
            part = _named_pattern(sign[1:-1], lang)
        else:
            part = _word(sign)
        if at < len(tokens) and tokens[at] == "?":
            at += 1
            # in front, an optional part brings the blanks that follow it
            out.append(rf"(?:{lead}{part})?" if lead else rf"(?:{part}{apart})?")
        else:
            out.append(lead + part)
            lead = apart
    return "".join(out), at


def _choice(tokens: list[str], at: int, lang: str) -> tuple[str, int]:
    branches: list[str] = []
    while True:
        branch, at = _sequence(tokens, at, lang)
        branches.append(branch)
        closed = at >= len(tokens) or tokens[at] == ")"
        at += 1
        if closed:
            return "(?:" + "|".join(branches) + ")", at


def _keys(tokens: list[str], lang: str) -> frozenset[str]:
    """Keys one of which each text has that the phrase is in: those of its longest required part."""
    best: frozenset[str] = frozenset()
    at = 0
    while at < len(tokens):
        found, at = _part_keys(tokens, at, lang)
        if at < len(tokens) and tokens[at] == "?":
            at += 1
        elif found and min(map(len, found)) > min(map(len, best), default=0):
            best = found
    if not best:
        raise ValueError(f"a phrase needs a word that cannot be missing: {' '.join(tokens)!r}")
    return best


def _part_keys(tokens: list[str], at: int, lang: str) -> tuple[frozenset[str], int]:
    """The keys of the part that begins at a sign, and where it ends."""
    sign = tokens[at]
    if sign[0] == "<":
        return _named_keys(sign[1:-1], lang), at + 1
    if sign != "(":
        return _word_keys(sign, lang), at + 1
    keys: frozenset[str] = frozenset()
    whole = True
    while sign != ")":
        branch: list[str] = []
        at += 1
        depth = 0
        while depth or tokens[at] not in {"|", ")"}:
            depth += (tokens[at] == "(") - (tokens[at] == ")")
            branch.append(tokens[at])
            at += 1
        sign = tokens[at]
        try:
            keys |= _keys(branch, lang)
        except ValueError:
            whole = False
    return (keys if whole else frozenset()), at + 1


def _word_keys(sign: str, lang: str) -> frozenset[str]:
    if sign in {"..", "^", "$", ";", "?"}:
        return frozenset()
    if lang in _UNSEGMENTED:
        return frozenset([sign.removesuffix("*")])
    if sign.isalpha():
        return frozenset([sign.lower()[:_KEY]])
    if "[0-9]" in sign:
        return frozenset()
    spellings = [""]
    letters = list(_LETTER.finditer(sign.lower().partition("'")[0]))
    for letter in letters:
        choices = [*letter[1].strip("[]"), *([""] if letter[2] else [])]
        spellings = [one + choice for one in spellings for choice in choices]
    if sign.endswith("*") and min(map(len, spellings)) < _KEY:
        return frozenset()
    return frozenset(one[:_KEY] for one in spellings)


def _word(sign: str) -> str:
    """The regular expression of a word in which letters may be missing or several."""
    plain = re.escape(sign.removesuffix("*"))
    for mark in "[]?+-":
        plain = plain.replace("\\" + mark, mark)
    return plain + (r"\w*" if sign.endswith("*") else "")
