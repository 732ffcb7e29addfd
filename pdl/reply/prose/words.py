"""The table of words and phrases, and the matcher that reads it.

`words.toml` has a table for each meaning, and in it a list of phrases for each language. In a
phrase

    word        matches itself, in any case; `word*` also longer words that begin with it
    wor[dk]s?   has one of the letters, and the last one is optional; `[0-9]+` is a number
    (a|b c)     is one of several
    (a|b)?      is optional
    <name>      is a phrase of the table `name` in the same language
    ..          is up to four words of any kind
    ^ and $     are the start and the end of a sentence, and ; is the end of a clause

Words are separated in the text by spaces, commas, quotes, or emphasis marks; in languages without
spaces (`zh`, `ja`) they don't have to be. An index of the first letters of words tells which
phrases a text can contain; only these are compiled, so the cost depends on the reply.
"""

from __future__ import annotations

import json
import pkgutil
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl import _re as re

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


Script: TypeAlias = Literal["latin", "east", "cyrillic", "arabic"]

_TOKEN = re.compile(r"\.\.|[()|?^$;]|<\w+>|[^\s()|?^$<>.;](?:[^\s()|^$<>.;]|\.(?!\.))*")
_LETTER = re.compile(r"(\[[^\]]+\]|.)(\??)")
_ROW = re.compile(r"^(\w+) = (\[(?s:.*?)\])$", re.MULTILINE)
_WORD = re.compile(r"\w+")
_JOINING = frozenset(["zh", "ja"])
_SCRIPTS: Mapping[str, Script] = {
    "zh": "east",
    "ja": "east",
    "ko": "east",
    "ru": "cyrillic",
    "ar": "arabic",
}
UNSPACED = tuple(lang for lang, script in _SCRIPTS.items() if script == "east")
"""Languages in which spaces do not always separate words, or an ending from its word."""

_LATIN: Sequence[Script] = ("latin",)
_LETTERS: Mapping[Script, re.Pattern[str]] = {
    "east": re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"),
    "cyrillic": re.compile("[\u0400-\u04ff]"),
    "arabic": re.compile("[\u0600-\u06ff]"),
}
_KEY = 4
"""Characters of a word by which the phrases that have it are found."""

_OPTIONAL = re.compile(r"(?:\([^()]*\)|<\w+>)\?|\.\.")
_PART = re.compile(r"\(([^()]*)\)|(<\w+>|[^\s()|^$;<>?][^\s()|^$;<>]*)")
_SOLID = re.compile(r"<\w+>|[^\s<>^$;]+")
_NESTED = re.compile(r"(\([^()]*)\(([^()]*)\)")

_APART = r"[^\w\n.!?;:]{1,4}"
_SPACED = (_APART, rf"(?:{_APART}\w[\w'-]{{0,40}}){{0,4}}?")
_JOINED = (r"[ 、，,「」“”\"'*_`]{0,3}", r"[^\n。！？]{0,12}?")
"""The pattern between two words, and the pattern of `..`."""

_SIGNS = {
    "^": r"(?:(?<=[\n.!?:。！？：])|\A)[^\w\n]{0,8}",
    "$": r"(?=[^\w\n.!?。！？,，]{0,4}(?:[.!?;。！？]|\n|\Z))",
    ";": r"(?=[^\w\n]{0,4}(?:[-.!?;:,–—。！？，]|\n|\Z))",
}
SENTENCE_END = re.compile(
    r"[.!?…。！？؟।\n](?<!\be\.g[\s\S])(?<!\bi\.e[\s\S])"
    r"(?:(?<=[。！？؟।\n])|(?=[\s\"'”’)\]*_`]|\\n|$))"
)
"""The mark that ends a sentence; the pattern begins with it, so that a search is quick."""

_SHORT = 600  # characters of a text whose phrases are cached


class PhrasePattern:
    """A phrase of the table. `bare` is the phrase without its optional parts."""

    def __init__(self, source: str, bare: str, lang: str) -> None:
        self._source, self._lang = source, lang
        self._parts = [(group or word).split("|") for group, word in _PART.findall(bare)]

    @cached_property
    def rarest(self) -> frozenset[str]:
        """The keys of the part that is the least common. Raises ValueError if there is none."""
        parts = self._parts
        for part in sorted(parts, key=_rarity) if len(parts) > 1 else parts:
            if keys := _keys(part, self._lang):
                return keys
        raise ValueError(f"a phrase needs a word that cannot be missing: {self._source!r}")

    @cached_property
    def keys(self) -> Sequence[frozenset[str]]:
        """For each required part, the keys of which a text that contains it has at least one."""
        each = (_keys(part, self._lang) for part in self._parts)
        return [keys for keys in each if keys]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The phrase as a regular expression, whose search takes time linear in the text."""
        source = _sequence(_TOKEN.findall(self._source), 0, self._lang)[0]
        spaced = self._lang not in _JOINING
        return re.compile(rf"(?<!\w){source}(?!\w)" if spaced else source, re.IGNORECASE)


class Heard:
    """A text that is searched for phrases; apostrophes of all kinds count as `'`."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("’", "'")
        self._low = self.text.lower()
        self._keys = {word[:_KEY] for word in _WORD.findall(self._low)}
        self._scripts = _LATIN if text.isascii() else _scripts(self._low)
        self._said: dict[tuple[str, ...], bool] = {}

    def find(self, *meanings: str) -> Iterator[re.Match[str]]:
        """Each phrase of the meanings that the text contains, at its first position."""
        for phrase in self._possible(meanings):
            if found := phrase.pattern.search(self.text):
                yield found

    def says(self, *meanings: str) -> bool:
        """Whether the text has a phrase of one of the meanings."""
        if meanings not in self._said:
            possible = self._possible(meanings)
            self._said[meanings] = any(one.pattern.search(self.text) for one in possible)
        return self._said[meanings]

    def is_whole(self, meaning: str) -> bool:
        """Whether the text as a whole is a phrase of a meaning."""
        return any(one.pattern.fullmatch(self.text) for one in self._possible((meaning,)))

    def _possible(self, meanings: tuple[str, ...]) -> Sequence[PhrasePattern]:
        """The phrases of meanings whose parts can all be in the text."""
        keys = self._keys
        found: list[PhrasePattern] = []
        for script in self._scripts:
            index = _index(meanings, script)
            if script == "east":  # whose words are looked for in the text as they are
                found += {one: 1 for key, row in index.items() if key in self._low for one in row}
            elif common := keys & index.keys():
                met = {one: 1 for key in common for one in index[key]}
                found += [one for one in met if not any(map(keys.isdisjoint, one.keys))]
        return found


def _scripts(text: str) -> Sequence[Script]:
    others = (script for script, letter in _LETTERS.items() if letter.search(text))
    return (*_LATIN, *others)


def hear(text: str) -> Heard:
    """A text to be searched; short ones are cached, since they are searched several times."""
    return _kept(text) if len(text) <= _SHORT else Heard(text)


@lru_cache(maxsize=256)
def _kept(text: str) -> Heard:
    return Heard(text)


@cache
def _sections() -> Mapping[str, str]:
    """The text of each table. Raises ValueError if a meaning has two."""
    text = (pkgutil.get_data(__name__, "words.toml") or b"").decode()
    parts = [part.partition("]\n") for part in f"\n{text}".split("\n[")[1:]]
    found = {meaning: rows for meaning, _, rows in parts}
    if len(found) < len(parts):
        raise ValueError("a meaning has two tables")
    return found


@cache
def rows(meaning: str) -> Mapping[str, Sequence[str]]:
    """Language -> phrases of a meaning. Raises KeyError for an unknown one.

    An array of strings is read as JSON, which takes a hundredth of the time that TOML takes.
    """
    return {lang: _array(row) for lang, row in _ROW.findall(_sections()[meaning])}


def _array(row: str) -> list[str]:
    found: list[str] = json.loads(row.replace(",\n]", "]"))
    return found


@cache
def words(meaning: str) -> frozenset[str]:
    """The phrases of a meaning as they are written, for meanings that are plain words."""
    return frozenset(one for each in rows(meaning).values() for one in each)


def spellings(word: str) -> list[str]:
    """The spellings of a word with optional letters, `s?`, or alternatives, `[oa]`."""
    made = [""]
    for letter in _LETTER.finditer(word):
        choices = [*letter[1].strip("[]"), *([""] if letter[2] else [])]
        made = [one + choice for one in made for choice in choices]
    return made


@cache
def _index(meanings: tuple[str, ...], script: Script) -> Mapping[str, Sequence[PhrasePattern]]:
    """The phrases of meanings in a script by the keys of the part that is the least common."""
    index: dict[str, list[PhrasePattern]] = {}
    for phrase in chain.from_iterable(phrases(meaning, script) for meaning in meanings):
        for key in phrase.rarest:
            index.setdefault(key, []).append(phrase)
    return index


@cache
def phrases(meaning: str, script: Script) -> Sequence[PhrasePattern]:
    """The phrases of a meaning in a script. Raises KeyError for an unknown meaning."""
    return [
        PhrasePattern(source, bare, lang)
        for lang, each in rows(meaning).items()
        if _SCRIPTS.get(lang, "latin") == script
        for source, bare in zip(each, _without_optional(each), strict=True)
    ]


def _rarity(part: Sequence[str]) -> tuple[bool, int, int]:
    return any("<" in one for one in part), -min(map(len, part)), len(part)


def _without_optional(phrases: Sequence[str]) -> list[str]:
    """Phrases without their optional parts and without nested choices."""
    bare, count = "\n".join(phrases), 1
    while count:
        bare, count = _OPTIONAL.subn(" ", bare)
        if not count:
            bare, count = _NESTED.subn(r"\1 \2 ", bare)
    return bare.split("\n")


def _keys(part: Sequence[str], lang: str) -> frozenset[str]:
    """The word beginnings of which a text with that part has at least one; none if any will do."""
    found: set[str] = set()
    spaced = lang not in UNSPACED
    for branch in part:
        if spaced and branch.isalpha():
            found.add(branch[:_KEY].lower())
        elif keys := _branch_keys(branch, lang):
            found |= keys
        else:
            return frozenset()
    return frozenset(found)


@cache
def _branch_keys(source: str, lang: str) -> frozenset[str]:
    """The keys of words one after another, of the longest of them."""
    words = sorted(_SOLID.findall(source), key=len, reverse=True)
    each = (_word_keys(word, lang) for word in words)
    return next(filter(None, each), frozenset())


def _word_keys(word: str, lang: str) -> frozenset[str]:
    if word[0] == "<":
        named = _named(word[1:-1], lang)
        each = (PhrasePattern(one, one, lang) for one in _without_optional(named))
        return frozenset().union(*(one.rarest for one in each))
    if _SCRIPTS.get(lang) == "east":
        return frozenset([word.removesuffix("*").lower()])
    if "[0-9]" in word:
        return frozenset()
    found = [_WORD.match(one) for one in spellings(word.removesuffix("*").lower())]
    begins = frozenset(one[0][:_KEY] if one else "" for one in found)
    needed = _KEY if word.endswith("*") else 1
    return begins if min(map(len, begins)) >= needed else frozenset()


def _named(name: str, lang: str) -> Sequence[str]:
    """The phrases that `<name>` represents. Raises KeyError if the language has none."""
    each = rows(name).get(lang, ())
    if not each:
        raise KeyError(f"a phrase asks for {name!r}, of which {lang!r} has none")
    return each


@cache
def _named_pattern(name: str, lang: str) -> str:
    each = (_sequence(_TOKEN.findall(one), 0, lang)[0] for one in _named(name, lang))
    return "(?:" + "|".join(each) + ")"


def _sequence(tokens: list[str], at: int, lang: str) -> tuple[str, int]:
    """The expression of tokens up to a `|`, a `)` or their end, and where that is.

    Each part except the first includes the spaces before it, so that a missing one omits them too.
    """
    out: list[str] = []
    lead = ""
    apart, gap = _JOINED if lang in _JOINING else _SPACED
    while at < len(tokens) and tokens[at] not in {"|", ")"}:
        sign = tokens[at]
        at += 1
        if sign in _SIGNS or sign == "..":
            out.append(_SIGNS.get(sign, gap))
            continue
        if sign == "(":
            part, at = _choice(tokens, at, lang)
        else:
            part = _named_pattern(sign[1:-1], lang) if sign[0] == "<" else _word(sign)
        if at < len(tokens) and tokens[at] == "?":
            at += 1
            # at the start, an optional part includes the spaces after it
            out.append(rf"(?:{lead}{part})?" if lead else rf"(?:{part}{apart})?")
        else:
            out.append(lead + part)
            lead = apart
    return "".join(out), at


def _choice(tokens: list[str], at: int, lang: str) -> tuple[str, int]:
    branches: list[str] = []
    while not branches or tokens[at - 1] == "|":
        branch, at = _sequence(tokens, at, lang)
        branches.append(branch)
        at += 1
    return "(?:" + "|".join(branches) + ")", at


def _word(sign: str) -> str:
    """The regular expression of a word with optional or alternative letters."""
    plain = re.escape(sign.removesuffix("*"))
    for mark in "[]?+-":
        plain = plain.replace("\\" + mark, mark)
    return plain + (r"\w*" if sign.endswith("*") else "")


_LEXEME = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_LONGEST = 3  # words of a phrase
_SEVERAL = (2, 3)


@cache
def lexicon(meaning: str) -> frozenset[str]:
    """The phrases of a meaning, in lower case, less what begins words."""
    each = [one for one in words(meaning) if not one.endswith("*")]
    plain = frozenset("\n".join(each).lower().split("\n"))
    if not any("[" in one or "?" in one for one in each):
        return plain
    return frozenset(spelling for one in plain for spelling in spellings(one))


@cache
def _stems(meaning: str) -> tuple[str, ...]:
    """The beginnings of words with a meaning: `final*`."""
    return tuple(one.lower()[:-1] for one in words(meaning) if one.endswith("*"))


@cache
def joined(meaning: str) -> tuple[str, ...]:
    """Those of languages in which spaces do not separate words."""
    return tuple(one for lang in UNSPACED for one in rows(meaning).get(lang, ()))


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, digits left out."""
    return _LEXEME.findall(text.lower().replace("’", "'"))


def begins(meaning: str, words: Sequence[str]) -> int:
    """How many words at the begin make a phrase of a meaning, at least; 0 for none."""
    known = lexicon(meaning)
    return (
        next((n for n in range(1, _LONGEST + 1) if " ".join(words[:n]) in known), 0) if words else 0
    )


def ends(meaning: str, words: Sequence[str]) -> int:
    """How many words at the end make a phrase of a meaning; 0 for none."""
    known = lexicon(meaning)
    if not words:
        return 0
    return next((n for n in range(_LONGEST, 0, -1) if " ".join(words[-n:]) in known), 0)


def ends_joined(meaning: str, text: str) -> bool:
    """Whether a text ends with a phrase of a script without spaces."""
    return not text.isascii() and text.rstrip(" *_`\"'“「『(").endswith(joined(meaning))


def has(meaning: str, words: Sequence[str], text: str) -> bool:
    """Whether a text, whose words these are, has a phrase of a meaning."""
    known, first, stems = lexicon(meaning), _first(meaning), _stems(meaning)
    if not known.isdisjoint(words):
        return True
    for at, word in enumerate(words):
        if word in first and any(" ".join(words[at : at + n]) in known for n in _SEVERAL):
            return True
        if stems and word.startswith(stems):
            return True
    return not text.isascii() and any(one in text for one in joined(meaning))


@cache
def _first(meaning: str) -> frozenset[str]:
    """The first words of phrases of several."""
    return frozenset(one.partition(" ")[0] for one in lexicon(meaning) if " " in one)
