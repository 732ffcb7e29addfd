"""`State`: the position of a string in a grammar; `Match`: the result for a whole string.

Both describe what is expected at a position. `Vocabulary` has the tokens of a model, against which
token references are checked and matched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, NoReturn, SupportsIndex, TypeAlias

from pdl.errors import Problem, did_you_mean
from pdl.gbnf.expected import expected_at, rules_at
from pdl.gbnf.nodes import TokenRef, frozen_value, items

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.matcher import Configuration, Matcher
    from pdl.gbnf.nodes import Rule
    from pdl.source import Source


Pieces: TypeAlias = "Mapping[int, bytes | str] | Sequence[bytes | str]"
"""The text of each token by its ID."""

_NO_LISTS: tuple[type, ...] = (str, bytes, bytearray)
_LOOKED_AT = 2_000  # tokens in angle brackets that may have been meant


class Vocabulary:
    """The text of each token by its ID; special tokens have theirs, too (`<|eot|>`).

    Made from a mapping or a list, of bytes or of strings. Raises TypeError for anything else.
    """

    def __init__(self, pieces: Pieces | Vocabulary) -> None:
        self.pieces: Mapping[int, bytes | str]
        """What was given."""
        if isinstance(pieces, Vocabulary):
            self.pieces = pieces.pieces
        elif isinstance(pieces, Mapping):
            self.pieces = pieces
        elif isinstance(pieces, _NO_LISTS) or not isinstance(pieces, Sequence):
            kind = type(pieces).__name__
            raise TypeError(f"vocabulary must be a mapping or a sequence of strings, not {kind}")
        else:
            self.pieces = dict(enumerate(pieces))

    def piece(self, token: int) -> bytes:
        """Return the bytes of a token. Raises ValueError for an unknown ID."""
        piece = self.pieces.get(token)
        if piece is None:
            raise ValueError(f"the vocabulary has no token {token!r}")
        return _token_bytes(piece)

    @cached_property
    def named(self) -> Mapping[str, list[int]]:
        """The IDs of the tokens that a grammar can name by their texts (`<|eot|>`), by these."""
        found: dict[str, list[int]] = {}
        for token, text in self.pieces.items():
            piece = _token_bytes(text)
            if piece[:1] == b"<" and piece[-1:] == b">":
                with suppress(UnicodeDecodeError):  # no text names it
                    found.setdefault(piece.decode(), []).append(token)
        return found

    def unknown(self, rules: Iterable[Rule], source: Source) -> Iterator[Problem]:
        """Find the references `<text>` that are not one token, which llama.cpp refuses."""
        for rule in rules:
            for item in items(rule.options):
                if isinstance(item, TokenRef) and item.id is None and item.text not in self.named:
                    message = f"`{item.text}` is not one token of the vocabulary"
                    near = did_you_mean(item.text, sorted(self.named)[:_LOOKED_AT])
                    hint = near or 'write a literal in double quotes: "…"'
                    span = source.span(item.start, item.end)
                    yield Problem("gbnf/unknown-token", message, span, hint)


def _token_bytes(piece: bytes | str) -> bytes:
    if isinstance(piece, str):
        return piece.encode("utf-8", "surrogatepass")
    if not isinstance(piece, bytes | bytearray | memoryview):
        raise TypeError(f"a vocabulary contains str or bytes, not {type(piece).__name__}")
    return bytes(piece)


_RULES_SHOWN = 12  # rules around a place


@frozen_value
@dataclass(frozen=True, slots=True)
class State:
    """A position in the strings of a grammar: a value, so keeping one is enough to return to it.

    `position` counts the bytes (of UTF-8) that were taken. `is_dead` says that the last `accept`
    was refused: `position` is then the offset of the byte that is not allowed there, and `expected`
    describes what is. `copy` gives the state itself; `pickle` raises TypeError, since a state
    is nothing without what its grammar has learned: keep the grammar and the text instead.
    """

    matcher: Matcher
    configuration: Configuration
    position: int = 0
    is_dead: bool = False

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError(
            "a State belongs to its grammar in this process and cannot be pickled: pickle the"
            " grammar and the text, and accept the text again"
        )

    def __repr__(self) -> str:
        how = ", dead" if self.is_dead else ", complete" if self.is_complete else ""
        return f"<State at byte {self.position}{how}>"

    @property
    def is_complete(self) -> bool:
        """Whether the string may end here."""
        return not self.is_dead and self.configuration.complete

    def accept(self, text: bytes | str) -> State:
        """Return the state after more text, which may end inside a character if it is bytes.

        Raises TypeError for anything else. A dead state stays as it is.
        """
        data = _bytes(text)
        if self.is_dead:
            return self
        here, taken = self.matcher.run(self.configuration, data)
        return State(self.matcher, here, self.position + taken, taken < len(data))

    def accept_token(self, token: int | None, piece: bytes | None = None) -> State:
        """Return the state after one token, whose bytes are `piece` if it has text.

        Token references of the grammar match its ID (`None` matches none), all other items its
        bytes. Source: `llama_grammar_accept_token` in llama.cpp's `src/llama-grammar.cpp`.
        """
        _check_token(token, piece)
        if self.is_dead:
            return self
        here = self.matcher.token(self.configuration, token, piece)
        size = len(piece or b"")
        if here is None:
            return State(self.matcher, self.configuration, self.position, is_dead=True)
        return State(self.matcher, here, self.position + size)

    def expected(self) -> tuple[str, ...]:
        """Describe what is expected here: `a digit`, `` `,` ``, `the end`."""
        return expected_at(self.matcher.rtn, self.configuration)

    def rules(self) -> tuple[str, ...]:
        """Return the rules around this position, from the root on; of one parse, if there are more.

        A rule of which nothing follows is left out: in `root ::= object` the position is in
        `object` alone.
        """
        return rules_at(self.matcher.rtn, self.configuration)


@frozen_value
@dataclass(frozen=True, slots=True)
class Match:
    """Whether a string matches a grammar, and where it fails to.

    `position` is the offset, in bytes of UTF-8, of the first character that does not match
    (the length of the string if it ends too early or is ok), `character` the same in code points.
    `expected` describes what would match, `rules` are the rules around the position. Of a list of
    tokens `token` is the index of the first one that does not match, or their count.
    """

    ok: bool
    position: int
    character: int
    expected: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    token: int | None = None

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok:
            return "the text matches"
        words = listed(self.expected)
        rules = (
            self.rules if len(self.rules) <= _RULES_SHOWN else ("…", *self.rules[-_RULES_SHOWN:])
        )
        where = f" in {' > '.join(rules)}" if rules else ""
        place = f"byte {self.position}" if self.token is None else f"token {self.token}"
        return f"at {place}{where}: expected {words or 'nothing'}"


def listed(words: Iterable[str]) -> str:
    """Words with commas and an `or`."""
    *first, last = words or [""]
    return f"{', '.join(first)} or {last}" if first else last


def match(start: State, text: bytes | str, *, prefix: bool = False) -> Match:
    """Match a string from a state on; with `prefix` it doesn't have to be complete."""
    data = _bytes(text)
    found = start.accept(data)
    ok = not found.is_dead and (prefix or found.is_complete)
    position = len(data) if not found.is_dead else _at_character(data, found.position)
    character = len(data[:position].decode("utf-8", "replace"))
    if ok:
        return Match(ok=True, position=position, character=character)
    before = start.accept(data[:position])
    return Match(
        ok=False,
        position=position,
        character=character,
        expected=before.expected(),
        rules=before.rules(),
    )


def match_tokens(
    start: State, tokens: Iterable[int], vocabulary: Vocabulary, *, prefix: bool = False
) -> Match:
    """Match a list of tokens from a state on; with `prefix` it doesn't have to be complete."""
    here = start
    index = character = 0
    for token in tokens:
        piece = vocabulary.piece(token)
        following = here.accept_token(token, piece)
        if following.is_dead:
            break
        here = following
        index += 1
        character += sum(byte & 0xC0 != 0x80 for byte in piece)  # noqa: PLR2004 - first bytes
    else:
        if prefix or here.is_complete:
            return Match(ok=True, position=here.position, character=character, token=index)
    return Match(
        ok=False,
        position=here.position,
        character=character,
        expected=here.expected(),
        rules=here.rules(),
        token=index,
    )


def _at_character(data: bytes, position: int) -> int:
    """The offset of the character that a byte belongs to."""
    while position and data[position] & 0xC0 == 0x80:  # noqa: PLR2004 - a continuation byte
        position -= 1
    return position


def _check_token(token: SupportsIndex | None, piece: object) -> None:
    """Raise TypeError for a value that is not a token, ValueError for an ID below zero."""
    if token is not None and (isinstance(token, bool) or not hasattr(token, "__index__")):
        raise TypeError(f"token must be an int or None, not {type(token).__name__}")
    if token is not None and index(token) < 0:
        raise ValueError(f"token must be 0 or more, not {token}")
    if piece is not None and not isinstance(piece, bytes | bytearray):
        raise TypeError(f"piece must be bytes or None, not {type(piece).__name__}")


def _bytes(text: bytes | str) -> bytes:
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")  # a lone surrogate is bytes that none take
    if not isinstance(text, bytes | bytearray | memoryview):
        raise TypeError(f"text must be str or bytes, not {type(text).__name__}")
    return bytes(text)
