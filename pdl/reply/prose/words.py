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
languages that write without blanks (`zh`, `ja`) they need not. An index of the first letters of
words tells which phrases a text may have; only these are compiled, so that a reply pays for nothing
but what it says.
"""

from __future__ import annotations

import json
import pkgutil
import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Script: TypeAlias = Literal["latin", "east", "cyrillic", "arabic"]

_TOKEN = re.compile(r"\.\.|[()|?^$;]|<\w+>|[^\s()|?^$<>.;](?:[^\s()|^$<>.;]|\.(?!\.))*")
_LETTER = re.compile(r"(\[\w+\]|\w)(\??)")
_TABLE = re.compile(r"^\[(\w+)\]$", re.MULTILINE)
_ROW = re.compile(r"(\w+) = (\[.*\])")
_WORD = re.compile(r"\w+")
_UNSPACED = frozenset(["zh", "ja"])
_SCRIPTS: Mapping[str, Script] = {
    "zh": "east",
    "ja": "east",
    "ko": "east",
    "ru": "cyrillic",
    "ar": "arabic",
}
_LETTERS: Mapping[Script, re.Pattern[str]] = {
    "east": re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "arabic": re.compile(r"[\u0600-\u06ff]"),
}
_KEY = 4
"""Characters of a word by which the phrases that have it are found."""

_OPTIONAL = re.compile(r"(?:\([^()]*\)|<\w+>)\?")
_PART = re.compile(r"\(([^()]*)\)|<(\w+)>|([^\s()|^$;<>?][^\s()|^$;<>]*)")
_NESTED = re.compile(r"(\([^()]*)\(([^()]*)\)")

_APART = r"[^\w\n.!?;:]{1,4}"
_SPACED = (_APART, rf"(?:{_APART}\w[\w'-]{{0,40}}){{0,4}}?")
_JOINED = (r"[ 、，,「」“”\"'*_`]{0,3}", r"[^\n。！？]{0,12}?")
"""What stands between two words, and what `..` is."""

_START = r"(?:(?<=[\n.!?:。！？：])|\A)[^\w\n]{0,8}"
_ENDS = {
    "$": r"(?=[^\w\n.!?。！？,，]{0,4}(?:[.!?;。！？]|\n|\Z))",
    ";": r"(?=[^\w\n]{0,4}(?:[-.!?;:,–—。！？，]|\n|\Z))",
}

_MARKS = frozenset("^$;")


class Phrase:
    """A phrase of the table.

    `keys`: of each part that must be there, the beginnings of its words, one of which a text has
    that the phrase is in.
    """

    __slots__ = ("_compiled", "_lang", "_source", "keys")

    def __init__(self, source: str, lang: str) -> None:
        self._source = source
        self._lang = lang
        self._compiled: re.Pattern[str] | None = None
        self.keys = _keys(source, lang)

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
        self._keys = {word[:_KEY] for word in _WORD.findall(self.text.lower())}
        plain = text.isascii()
        self._scripts = () if plain else [k for k, one in _LETTERS.items() if one.search(text)]

    def find(self, meaning: str) -> Iterator[re.Match[str]]:
        """Each phrase of a meaning that the text has, at its first place."""
        for phrase in self._possible(meaning):
            if found := phrase.pattern.search(self.text):
                yield found

    def says(self, *meanings: str) -> bool:
        """Whether the text has a phrase of one of the meanings."""
        return any(True for meaning in meanings for _ in self.find(meaning))

    def is_whole(self, meaning: str) -> bool:
        """Whether the text as a whole is a phrase of a meaning."""
        return any(one.pattern.fullmatch(self.text) for one in self._possible(meaning))

    def _possible(self, meaning: str) -> Iterator[Phrase]:
        """The phrases of a meaning all of whose parts may be in the text."""
        keys = self._keys
        index = _index(meaning, "latin")
        met = {id(one): one for key in keys & index.keys() for one in index[key]}
        for script in self._scripts:
            index = _index(meaning, script)
            if script == "east":  # whose words are looked for in the text as they are
                each = (one for key, row in index.items() if key in self.text for one in row)
                yield from {id(one): one for one in each}.values()
            else:
                met |= {id(one): one for key in keys & index.keys() for one in index[key]}
        for one in met.values():
            if not any(map(keys.isdisjoint, one.keys)):
                yield one


@cache
def _sections() -> Mapping[str, str]:
    """The text of each table; parsing all of them takes longer than checking a reply.

    Raises ValueError if a meaning has two.
    """
    text = pkgutil.get_data(__name__, "words.toml") or b""
    _, *parts = _TABLE.split(text.decode())
    if len(set(parts[::2])) < len(parts[::2]):
        raise ValueError("a meaning has two tables")
    return dict(zip(parts[::2], parts[1::2], strict=True))


def table() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Meaning -> language -> phrases, as `words.toml` has them."""
    return {meaning: rows(meaning) for meaning in _sections()}


@cache
def rows(meaning: str) -> Mapping[str, Sequence[str]]:
    """Language -> phrases of a meaning. Raises KeyError for an unknown one."""
    text = _sections()[meaning]
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    found = [_ROW.fullmatch(line) for line in lines]
    if all(found):  # a row on one line is an array of JSON, which is read a hundred times as fast
        return {row[1]: json.loads(row[2]) for row in found if row}
    return tomllib.loads(text)


@cache
def words(meaning: str) -> frozenset[str]:
    """The phrases of a meaning as they are written, for meanings that are plain words."""
    return frozenset(one for each in rows(meaning).values() for one in each)


@cache
def alternation(meaning: str) -> str:
    """A regular expression, in a group of its own, of all phrases of a meaning."""
    each = (_pattern(one, lang) for lang, row in rows(meaning).items() for one in row)
    return "(?:" + "|".join(each) + ")"


@cache
def _index(meaning: str, script: Script) -> Mapping[str, Sequence[Phrase]]:
    """The phrases of a meaning in a script by the keys of the part that is the least common.

    Raises KeyError for an unknown meaning.
    """
    index: dict[str, list[Phrase]] = {}
    for lang, each in rows(meaning).items():
        if _SCRIPTS.get(lang, "latin") == script:
            for phrase in (Phrase(one, lang) for one in each):
                for key in max(phrase.keys, key=_rarity):
                    index.setdefault(key, []).append(phrase)
    return index


def _rarity(keys: frozenset[str]) -> tuple[int, int]:
    return min(map(len, keys)), -len(keys)


def _keys(source: str, lang: str) -> tuple[frozenset[str], ...]:
    """The keys of each part that must be there. Raises ValueError if there is none."""
    plain, count = source.replace("..", " "), 1
    while count:
        plain, count = _OPTIONAL.subn(" ", plain)
        if not count:
            plain, count = _NESTED.subn(r"\1 \2 ", plain)
    found = []
    for group, name, word in _PART.findall(plain):
        branches = group.split("|") if group else [word]
        keys = [_named_keys(name, lang)] if name else [_branch(one, lang) for one in branches]
        if all(keys):
            found.append(frozenset().union(*keys))
    if not found:
        raise ValueError(f"a phrase needs a word that cannot be missing: {source!r}")
    return tuple(found)


def _branch(source: str, lang: str) -> frozenset[str]:
    """The keys of words one after another, of the longest of them."""
    for word in sorted(source.split(), key=len, reverse=True):
        if word[0] == "<":
            return _named_keys(word[1:-1], lang)
        if word not in _MARKS and (keys := _word_keys(word, lang)):
            return keys
    return frozenset()


@cache
def _named_keys(name: str, lang: str) -> frozenset[str]:
    each = [max(_keys(one, lang), key=_rarity) for one in _named(name, lang)]
    return frozenset().union(*each)


@cache
def _word_keys(word: str, lang: str) -> frozenset[str]:
    if _SCRIPTS.get(lang) == "east":
        return frozenset([word.removesuffix("*")])
    if word.isalpha():
        return frozenset([word.lower()[:_KEY]])
    if "[0-9]" in word:
        return frozenset()
    spellings = [""]
    for letter in _LETTER.finditer(word.lower().partition("'")[0]):
        choices = [*letter[1].strip("[]"), *([""] if letter[2] else [])]
        spellings = [one + choice for one in spellings for choice in choices]
    if word.endswith("*") and min(map(len, spellings)) < _KEY:
        return frozenset()
    return frozenset(one[:_KEY] for one in spellings)


def _named(name: str, lang: str) -> Sequence[str]:
    """The phrases that `<name>` stands for. Raises KeyError if the language has none."""
    each = rows(name).get(lang, ())
    if not each:
        raise KeyError(f"a phrase asks for {name!r}, of which {lang!r} has none")
    return each


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


def _word(sign: str) -> str:
    """The regular expression of a word in which letters may be missing or several."""
    plain = re.escape(sign.removesuffix("*"))
    for mark in "[]?+-":
        plain = plain.replace("\\" + mark, mark)
    return plain + (r"\w*" if sign.endswith("*") else "")
