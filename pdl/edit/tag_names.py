"""The names in the expressions of tags: variables, attributes, and arguments of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.edit.mentions import (
    IMPLICIT,
    KEYWORDS,
    SELF,
    Access,
    Attribute,
    Event,
    FileName,
    Frame,
    Keyword,
    Kind,
    Mention,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.prompt.scan import Token


class TagNames:
    """Reads expressions, and what is assigned to, in the current frame."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.mentions: list[Mention] = []
        self.attributes: list[Attribute] = []
        self.keywords: list[Keyword] = []
        self.frames = [Frame("template", 0, len(text), -1)]
        self.frame = 0
        self.events: list[Event] = self.frames[0].events

    def word(self, tokens: Sequence[Token], at: int) -> str:
        """The text of a token; empty where there is none."""
        if not 0 <= at < len(tokens):
            return ""
        return self.text[tokens[at].start : tokens[at].end]

    def add(self, token: Token, access: Access, kind: Kind = "variable") -> int:
        """Add a mention of a variable in the current frame."""
        text = self.text[token.start : token.end]
        self.mentions.append(Mention(token.start, token.end, text, access, kind, self.frame))
        index = len(self.mentions) - 1
        if text not in IMPLICIT:
            self.events.append(index)
        return index

    def expression(self, tokens: Sequence[Token]) -> None:
        """Read the names of an expression."""
        places: dict[int, tuple[int, int]] = {}  # of a token: its mention and its attribute
        callees: list[tuple[int, int] | None] = []
        for at, token in enumerate(tokens):
            word = self.word(tokens, at)
            if token.kind == "name":
                place = self._name(tokens, at, places, callees)
                if place is not None:
                    places[at] = place
            elif word in ("(", "[", "{"):
                callees.append(places.get(at - 1, (-1, -1)) if word == "(" else None)
            elif word in (")", "]", "}") and callees:
                callees.pop()

    def _name(
        self,
        tokens: Sequence[Token],
        at: int,
        places: dict[int, tuple[int, int]],
        callees: list[tuple[int, int] | None],
    ) -> tuple[int, int] | None:
        """Read a name; return its mention and its attribute if it is a variable's."""
        token, word = tokens[at], self.word(tokens, at)
        before, behind = self.word(tokens, at - 1), self.word(tokens, at + 1)
        is_path = before == ":" == self.word(tokens, at - 2) and behind == "("
        if is_path and self.word(tokens, at - 3) == "self":
            return self.add(token, "read"), -1
        if before == "." or (is_path and at - 3 in places):
            base, after = places.get(at - (3 if is_path else 2), (-1, -1))
            self.attributes.append(Attribute(token.start, token.end, word, base, after))
            return base, len(self.attributes) - 1
        is_test = before == "is" or (before == "not" and self.word(tokens, at - 2) == "is")
        if before == "|" or is_test or word in KEYWORDS:
            return None
        if behind == "=" and callees and callees[-1] is not None:
            self.keywords.append(Keyword(token.start, token.end, word, *callees[-1]))
            return None
        if word in IMPLICIT:
            return (SELF, -1) if word == "self" else None
        return self.add(token, "read"), -1

    def find(self, tokens: Sequence[Token], wanted: str, start: int = 0) -> int:
        """The index of a word outside of brackets; that of the end if there is none."""
        depth = 0
        for at in range(start, len(tokens)):
            word = self.word(tokens, at)
            if not depth and word == wanted:
                return at
            depth += (word in ("(", "[", "{")) - (word in (")", "]", "}") and depth > 0)
        return len(tokens)

    def targets(self, tokens: Sequence[Token], access: Access, kind: Kind) -> list[int]:
        """Read what is assigned to: names, and attributes of namespaces."""
        found: list[int] = []
        for at, token in enumerate(tokens):
            if token.kind != "name" or self.word(tokens, at - 1) == ".":
                continue
            if self.word(tokens, at + 1) == ".":
                base = self.add(token, "read")
                if at + 2 < len(tokens) and tokens[at + 2].kind == "name":
                    start, end = tokens[at + 2].start, tokens[at + 2].end
                    name = self.text[start:end]
                    self.attributes.append(Attribute(start, end, name, base, -1, "write"))
            else:
                found.append(self.add(token, access, kind))
        return found

    def file_part(
        self, word: str, rest: Sequence[Token]
    ) -> tuple[Sequence[Token], Sequence[Token], bool]:
        """Divide a tag that names files: the files, the names that it defines, and its context."""
        end = len(rest)
        has_context = word in ("include", "extends")
        if self.word(rest, end - 1) == "context" and self.word(rest, end - 2).startswith("with"):
            has_context = self.word(rest, end - 2) == "with"
            end -= 2
        if word == "include" and self.word(rest, end - 1) == "missing":
            end -= 2
        rest = rest[: max(end, 0)]
        middle = len(rest)
        if word in ("import", "from"):
            middle = self.find(rest, "as" if word == "import" else "import")
        return rest[:middle], rest[middle + 1 :], has_context

    def file_names(self, tokens: Sequence[Token]) -> tuple[tuple[FileName, ...], bool]:
        """The files that an expression names, and whether it may name others."""
        words = [self.word(tokens, at) for at in range(len(tokens))]
        strings = [token for token in tokens if token.kind == "string"]
        is_computed = any(
            token.kind != "string" and word not in ("(", ")", "[", "]", ",")
            for token, word in zip(tokens, words, strict=True)
        )
        if words[1:2] == ["if"] and words[-2:-1] == ["else"]:
            strings = [one for one in (tokens[0], tokens[-1]) if one.kind == "string"]
            is_computed = len(strings) < 2  # noqa: PLR2004 - one for each outcome
        elif is_computed:
            strings = []
        return tuple(self._file_name(one) for one in strings), is_computed or not tokens

    def _file_name(self, token: Token) -> FileName:
        quote = self.text[token.start]
        is_closed = token.end - token.start > 1 and self.text[token.end - 1] == quote
        start, end = token.start + 1, token.end - is_closed
        return FileName(start, end, self.text[start:end])
