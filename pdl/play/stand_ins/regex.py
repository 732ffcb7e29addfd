r"""Stands in for `regex` where its machine code cannot run: patterns are searched for by `re`.

A pattern means the same here as there, or it is refused: what `re` does not have, and what it does
otherwise. `\w` and its like, and matching without regard to case, differ beyond ASCII, so texts
beyond it are refused for them. A search cannot be limited in time: whoever runs it must be able to
end it.
"""

from __future__ import annotations

import re
import sys
from re import DOTALL, IGNORECASE, MULTILINE, Match
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import TypedDict, Unpack

    class Options(TypedDict, total=False):
        """What a search may be given; there is no time limit here."""

        partial: bool
        timeout: float | None
        concurrent: bool | None


__all__ = [
    "DOTALL",
    "IGNORECASE",
    "MULTILINE",
    "V0",
    "V1",
    "Match",
    "Pattern",
    "compile",
    "error",
    "finditer",
    "search",
]

V1 = 0x100
V0 = 0x2000
_FLAGS = int(DOTALL | IGNORECASE | MULTILINE)
_WHY = "which this page does not have: Python's `re` checks its patterns"


class error(re.error):  # noqa: N801 - the name in `regex`
    """A pattern that is invalid, or that only `regex` can search for."""


_NOT_IN_RE = (
    "cannot refer to an open group",
    "invalid group reference",
    "look-behind requires fixed-width pattern",
    "nothing to repeat",
    "redefinition of group name",
)


def _told(message: str) -> str:
    """What `re` says of a pattern, and that it is `re` that says so where `regex` might not."""
    said = message.startswith(_NOT_IN_RE)
    return (
        f"{message}, for Python's `re`, which checks the patterns of this page" if said else message
    )


class Pattern:
    """A compiled pattern."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        reader = _Reader(pattern, flags)
        self.pattern = pattern
        self._source = reader.read()
        try:
            self._compiled = re.compile(self._source, flags & _FLAGS)
        except re.error as found:
            raise error(_told(found.msg), pattern, reader.offset(found.pos or 0)) from found
        self._beyond_ascii = reader.beyond_ascii

    def _checked(self, text: str, options: Options) -> str:
        if options.get("partial"):
            raise NotImplementedError(f"partial matches need the package `regex`, {_WHY}")
        if self._beyond_ascii and not (text.isascii() and _SEPARATORS.isdisjoint(text)):
            what = f"{self._beyond_ascii} in a text beyond ASCII"
            raise error(f"{what} needs the package `regex`, {_WHY}", self.pattern, 0)
        return text

    def search(self, string: str, **options: Unpack[Options]) -> Match[str] | None:
        """Return the first match in a text. Raises error."""
        return self._compiled.search(self._checked(string, options))

    def match(
        self, string: str, pos: int = 0, endpos: int = sys.maxsize, **options: Unpack[Options]
    ) -> Match[str] | None:
        """Return the match at a position. Raises error."""
        return self._compiled.match(self._checked(string, options), pos, endpos)

    def finditer(self, string: str, **options: Unpack[Options]) -> Iterator[Match[str]]:
        """Yield all matches. Raises error."""
        return self._compiled.finditer(self._checked(string, options))


def compile(pattern: str, flags: int = 0) -> Pattern:  # noqa: A001 - the name in `regex`
    """Return a pattern. Raises error."""
    return Pattern(pattern, flags)


def search(
    pattern: str, string: str, flags: int = 0, **options: Unpack[Options]
) -> Match[str] | None:
    """Return the first match in a text. Raises error."""
    return Pattern(pattern, flags).search(string, **options)


def finditer(
    pattern: str, string: str, flags: int = 0, **options: Unpack[Options]
) -> Iterator[Match[str]]:
    """Yield all matches in a text. Raises error."""
    return Pattern(pattern, flags).finditer(string, **options)


_SEPARATORS = frozenset("\x1c\x1d\x1e\x1f")  # spaces for `re` only
_OWN = frozenset("pPXRKGmMLghHzB")
"""Escapes that `re` does not have, or not in all versions of Python with the same meaning."""
_COUNT = re.compile(r"\{(?:[0-9]+(?:,[0-9]*)?|,[0-9]+)\}")
_APPROXIMATE = re.compile(r"\{[^{}deis<=]*+[deis<=][^{}]*+\}")
_GROUP = re.compile(
    r"\((?:"
    r"\?(?:P<[A-Za-z_]\w*>|<[A-Za-z_]\w*>|<?[=!]|[:>]"
    r"|(?P<flags>[ims]+)\)|(?P<scoped>[ims]*-?[ims]+:))"
    r"|(?![?*]))"
)
_ESCAPE = re.compile(r"\\.", DOTALL)
_OPERATORS = ("--", "&&", "||", "~~")


def _escapes(members: str) -> set[str]:
    return set(_ESCAPE.findall(members))


class _Reader:
    """Translates a pattern into one for `re`, piece by piece."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.beyond_ascii = ""
        """What is only the same in texts of ASCII."""
        self._nests = bool(flags & V1)
        self._at = 0
        self._pieces: list[tuple[int, str]] = []
        self._looks: list[bool] = []
        """For each open group, whether it or one around it looks ahead or behind."""
        self._captures_in_look = self._has_reference = False
        if flags & ~(_FLAGS | V0 | V1):
            self._refuse("such a flag")
        if flags & IGNORECASE:
            self._ignore_case()

    def read(self) -> str:
        """Return the pattern for `re`. Raises error."""
        while self._at < len(self.pattern):
            start = self._at
            self._pieces.append((start, self._piece(self.pattern[start])))
        if self._captures_in_look and self._has_reference:
            self._refuse("a group in a lookaround together with a backreference")
        return "".join(text for _, text in self._pieces)

    def offset(self, at: int) -> int:
        """Return the offset in the pattern of an offset in what it was translated into."""
        for start, text in self._pieces:
            at -= len(text)
            if at < 0:
                return start
        return len(self.pattern)

    def _refuse(self, what: str) -> NoReturn:
        raise error(f"{what} needs the package `regex`, {_WHY}", self.pattern, self._at)

    def _piece(self, char: str) -> str:
        if char == "\\":
            return self._escape()
        if char == "[":
            return self._set()
        if char == "(":
            return self._open()
        if char == "{":
            return self._count()
        self._at += 1
        if char == ")" and self._looks:
            self._looks.pop()
        return char

    def _escape(self) -> str:
        """An escape, in a set or not."""
        char = self.pattern[self._at + 1 : self._at + 2]
        if char in _OWN and char:
            self._refuse(f"`\\{char}{'{…}' * (char in 'pP')}`")
        if char and char in "wWdDsSb":
            self.beyond_ascii = f"`\\{char}`"
        if char.isdigit() and char != "0":
            self._has_reference = True
            if any(self._looks):
                self._refuse("a backreference in a lookaround")
        self._at += 2
        return f"\\{char}"

    def _count(self) -> str:
        if found := _COUNT.match(self.pattern, self._at):
            self._at = found.end()
            return found[0]
        if _APPROXIMATE.match(self.pattern, self._at):
            self._refuse("an approximate match")
        self._at += 1
        return r"\{"

    def _open(self) -> str:
        found = _GROUP.match(self.pattern, self._at)
        if self.pattern.startswith("(?P=", self._at):
            end = self.pattern.find(")", self._at) + 1 or len(self.pattern)
            self._has_reference = True
            text, self._at = self.pattern[self._at : end], end
            return text
        if found is None or (found["flags"] and self._at):
            self._refuse(f"the group `{self.pattern[self._at : self._at + 4]}…`")
        if "i" in (found["flags"] or found["scoped"] or ""):
            self._ignore_case()
        self._at = found.end()
        text = found[0].replace("(?<", "(?P<") if found[0][-1] == ">" != found[0][-2] else found[0]
        if not found["flags"]:
            look = any(self._looks) or text[-1] in "=!"
            self._looks.append(look)
            self._captures_in_look |= look and (text == "(" or "P<" in text)
        return text

    def _ignore_case(self) -> None:
        self.beyond_ascii = "matching without regard to case"
        if not self.pattern.isascii() or re.search(r"\\[xuUN0-9]", self.pattern):
            self._refuse("a code point or a letter beyond ASCII without regard to case")

    def _set(self) -> str:
        """A set of characters; its negated sets become alternatives, for `re` nests none."""
        start = self._at
        self._at += 1
        negated = self.pattern.startswith("^", self._at)
        self._at += negated
        own, others = self._members()
        if negated and any({f"\\{one}", f"\\{one.upper()}"} <= _escapes(own) for one in "dsw"):
            self._refuse("a negated set of all characters")
        if not others:
            return f"[{'^' * negated}{own}]"
        self._pieces.append((start, ""))
        any_of = "|".join([f"[{own}]"] * bool(own) + [f"[^{other}]" for other in others])
        return f"(?:(?!{any_of})[\\x00-\\U0010ffff])" if negated else f"(?:{any_of})"

    def _members(self, *, nested: bool = False) -> tuple[str, list[str]]:
        """The members of a set up to its end, and those of the negated sets in it."""
        own, others = "", list[str]()
        first = self._at
        while (char := self.pattern[self._at : self._at + 1]) != "]" or self._at == first:
            if not char:
                raise error("unterminated character set", self.pattern, first - 1)
            if char == "\\":
                own += self._escape()
            elif char == "[" and self._nests:
                if nested or not self.pattern.startswith("[^", self._at) or own.endswith("-"):
                    self._refuse("a set in a set")
                self._at += 2
                others.append(self._members(nested=True)[0])
                if self.pattern.startswith("-", self._at):
                    self._refuse("a range that begins with a set")
            else:
                if self.pattern.startswith((*_OPERATORS, "[:", "[.", "[="), self._at):
                    self._refuse(f"`{self.pattern[self._at : self._at + 2]}` in a set")
                own += f"\\{char}" if char in "[&|~" else char
                self._at += 1
        self._at += 1
        return own, others
