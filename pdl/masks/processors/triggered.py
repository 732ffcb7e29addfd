"""Free text until a trigger, then a grammar: reasoning, or words before a tool call.

Free text is followed in two deterministic automata over bytes: one of valid UTF-8, and one of the
triggers, all at once. Other engines call this structural tags.

Source: Aho and Corasick, "Efficient string matching: an aid to bibliographic search", 1975.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias, cast

import numpy as np

from pdl.gbnf.nodes import frozen_value
from pdl.graphs import reachable
from pdl.masks.protocol import (
    WORD,
    Ended,
    TokenState,
    allows,
    check_masker,
    packed,
    refusal,
    token_id,
    words_of,
)
from pdl.masks.trie_walk import spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.masks.protocol import TokenMasker
    from pdl.masks.vocabulary import Ints, Trie, Vocabulary


class ByteDfa:
    """A deterministic automaton over bytes: a row for a state, a column for a byte."""

    def __init__(self, table: Ints) -> None:
        self._table = table
        self._rows: list[list[int]] = table.tolist()

    def run(self, position: int, data: bytes) -> int:
        """Return the state after some bytes."""
        for byte in data:
            position = self._rows[position][byte]
        return position

    def run_trie(self, position: int, trie: Trie) -> Ints:
        """Return the state at each node of a trie."""
        positions = np.full(len(trie), position, np.int32)
        for start, end in list(pairwise(trie.levels.tolist()))[1:]:
            above = positions[trie.parent[start:end]]
            positions[start:end] = self._table[above, trie.byte[start:end]]
        return positions


UTF8_STATES = 8
"""How many states UTF-8 has; in state 0, no character is begun."""

_MOVES = (
    (0, 0x00, 0x7F, 0), (0, 0xC2, 0xDF, 1), (0, 0xE0, 0xE0, 4), (0, 0xE1, 0xEC, 2),
    (0, 0xED, 0xED, 5), (0, 0xEE, 0xEF, 2), (0, 0xF0, 0xF0, 6), (0, 0xF1, 0xF3, 3),
    (0, 0xF4, 0xF4, 7), (1, 0x80, 0xBF, 0), (2, 0x80, 0xBF, 1), (3, 0x80, 0xBF, 2),
    (4, 0xA0, 0xBF, 1), (5, 0x80, 0x9F, 1), (6, 0x90, 0xBF, 2), (7, 0x80, 0x8F, 2),
)  # fmt: skip
"""From a state, by the bytes of a range, to another; in states 1 to 3 so many bytes are missing."""


class Utf8Dfa(ByteDfa):
    """Valid UTF-8 (RFC 3629, section 4); the state after anything else is `dead`."""

    dead = UTF8_STATES

    def __init__(self) -> None:
        table = np.full((UTF8_STATES + 1, 256), self.dead, np.int32)
        for part, low, high, following in _MOVES:
            table[part, low : high + 1] = following
        super().__init__(table)


UTF8 = Utf8Dfa()
_ALL_BYTES = 256


class AhoCorasick(ByteDfa):
    """An automaton that looks for some texts in a stream of bytes, all at once.

    `found` is the state after one of them, wherever it began, `beyond` the state after more bytes.
    """

    def __init__(self, texts: Sequence[bytes]) -> None:
        rows, ends = _trie(texts)
        _add_failure_links(rows, ends)
        self.found = len(rows)
        self.beyond = self.found + 1
        table = np.full((len(rows) + 2, _ALL_BYTES), self.beyond, np.int32)
        table[: len(rows)] = rows
        table[: len(rows)][np.isin(table[: len(rows)], list(ends))] = self.found
        super().__init__(table)


def _trie(texts: Sequence[bytes]) -> tuple[list[list[int]], set[int]]:
    """The trie of some texts: where each byte leads, 0 if nowhere; and where the texts end."""
    rows = [[0] * _ALL_BYTES]
    ends = set()
    for text in texts:
        here = 0
        for byte in text:
            if not rows[here][byte]:
                rows[here][byte] = len(rows)
                rows.append([0] * _ALL_BYTES)
            here = rows[here][byte]
        ends.add(here)
    return rows, ends


def _add_failure_links(rows: list[list[int]], ends: set[int]) -> None:
    """Let each other byte lead to the longest prefix of a text that ends there."""
    shorter = [0] * len(rows)
    pending = [one for one in rows[0] if one]
    for here in pending:  # which grows: breadth first
        back = shorter[here]
        if back in ends:
            ends.add(here)
        for byte, there in enumerate(rows[here]):
            if there:
                shorter[there] = rows[back][byte]
                pending.append(there)
            else:
                rows[here][byte] = rows[back][byte]


_BYTES = frozenset(range(0xF5)) - {0xC0, 0xC1}
"""The bytes of UTF-8 (RFC 3629, section 4)."""


class FreeText:
    """The masks of free text. A position is a pair of states, of both automata, as one number.

    0 is before any text. `triggers` are the tokens that are triggers themselves, `ending` those
    that may end a text. If some byte is not a token, a text might be begun that can't reach a
    trigger or an end; then all positions are explored, and such texts are not begun.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        texts: Sequence[bytes],
        triggers: frozenset[int],
        ending: frozenset[int],
    ) -> None:
        self._vocabulary = vocabulary
        self._triggers = triggers
        self._ending = ending
        self._search = AhoCorasick(texts)
        trie = vocabulary.trie
        counts = trie.own - trie.low
        self._tokens = trie.order[spans(trie.low, counts)]
        self._ends = np.arange(len(trie), dtype=np.int32).repeat(counts)
        self._masks: dict[int, Ints] = {}
        self._productive_positions: frozenset[int] | None = None
        if vocabulary.missing_bytes & _BYTES:
            self._productive_positions = self._productive()

    @property
    def is_possible(self) -> bool:
        """Whether a trigger, or an end, can be reached at all."""
        return self._productive_positions is None or 0 in self._productive_positions

    def mask(self, position: int) -> Ints:
        """Return the tokens that may come at a position."""
        found = self._masks.get(position)
        if found is None:
            found = self._masks[position] = self._made(position)
        return found

    def after(self, position: int, token: int) -> int | None:
        """Return the position after a token that may come; None after a trigger."""
        if token in self._triggers:
            return None
        data = self._vocabulary.tokens[token]
        searched = self._search.run(position // UTF8_STATES, data)
        if searched == self._search.found:
            return None
        return searched * UTF8_STATES + UTF8.run(position % UTF8_STATES, data)

    def why_not(self, position: int, token: int) -> str:
        """Return why a token may not come at a position."""
        if token in self._vocabulary.eos:
            return "ends the text, which cannot end here"
        if token in self._vocabulary.special:
            return "is neither text nor a trigger"
        data = self._vocabulary.tokens[token]
        if self._search.run(position // UTF8_STATES, data) == self._search.beyond:
            return "continues after the end of a trigger"
        if UTF8.run(position % UTF8_STATES, data) == UTF8.dead:
            return "makes the text invalid UTF-8"
        return "is not allowed here: no trigger could follow it"

    def _nodes(self, position: int) -> Ints:
        """The position at each node of the vocabulary's trie; -1 where none may be."""
        trie = self._vocabulary.trie
        searched = self._search.run_trie(position // UTF8_STATES, trie)
        parts = UTF8.run_trie(position % UTF8_STATES, trie)
        wrong = (searched == self._search.beyond) | (parts == UTF8.dead)
        found = searched * UTF8_STATES + parts
        found[wrong] = -1
        return found

    def _made(self, position: int) -> Ints:
        vocabulary = self._vocabulary
        nodes = self._nodes(position)
        fits = nodes >= 0
        if self._productive_positions is not None:
            fits &= np.isin(nodes, list(self._productive_positions))
        allowed = np.zeros(words_of(len(vocabulary)) * WORD, np.bool_)
        allowed[self._tokens] = fits[self._ends]
        allowed[[token for token in self._triggers if self._may_trigger(position, token)]] = True
        if position % UTF8_STATES == 0:
            allowed[list(self._ending)] = True
        found = packed(allowed).astype(np.int32, copy=False)
        found.flags.writeable = False
        return found

    def _may_trigger(self, position: int, token: int) -> bool:
        """Whether a token that is a trigger leaves no character open."""
        special = token in self._vocabulary.special
        data = b"" if special else self._vocabulary.tokens[token]
        return UTF8.run(position % UTF8_STATES, data) == 0

    def _productive(self) -> frozenset[int]:
        """The positions from which a trigger or an end can be reached, and that of a trigger."""
        goal = self._search.found * UTF8_STATES
        before: dict[int, list[int]] = {goal: []}
        pending = [0]
        seen = {0, goal}
        for position in pending:  # which grows
            for following in self._following(position, goal):
                before.setdefault(following, []).append(position)
                if following not in seen:
                    seen.add(following)
                    pending.append(following)
        return frozenset(reachable(before, [goal]))

    def _following(self, position: int, goal: int) -> list[int]:
        """The positions after all tokens; `goal` after triggers and ends."""
        found: list[int] = np.unique(self._nodes(position)[self._ends]).tolist()
        ends = position % UTF8_STATES == 0 and self._ending
        if ends or any(self._may_trigger(position, token) for token in self._triggers):
            found.append(goal)
        return [one for one in found if one >= 0]


Trigger: TypeAlias = "bytes | str | int"
"""A text, or a token ID."""

_MOST = 1_000  # bytes of triggers: each is a mask


class Triggered:
    """Any text up to the first trigger, and a text of a masker after it.

    A trigger is a text (`<tool_call>`), however it is tokenized, or a token ID (that of
    `</think>`). The text of a special token means this token too; other special tokens are not
    allowed, and their letters don't count. A token that continues after the end of a trigger is not
    allowed, so the grammar begins with its own token. Free text is UTF-8: a token may end in the
    middle of a character, and others must complete it. With `required` the text can't end before a
    trigger.

    Raises TypeError for anything but a masker and triggers; ValueError if there is no trigger, for
    one that is empty or ends in the middle of a character, for unknown tokens, for tokens that end
    a text, and for triggers that the vocabulary can't spell.
    """

    def __init__(
        self,
        masker: TokenMasker,
        trigger: Trigger | Iterable[Trigger],
        *,
        required: bool = True,
    ) -> None:
        check_masker(masker)
        self.masker = masker
        self.vocabulary: Vocabulary = masker.vocabulary
        self.required = required
        given = _given(trigger)
        if not given:
            raise ValueError("there must be a trigger: nothing else ends the free text")
        texts = [_text(one) for one in given if not _is_token(one)]
        tokens = [_token(one, self.vocabulary) for one in given if _is_token(one)]
        if sum(map(len, texts)) > _MOST:
            raise ValueError(f"triggers may have at most {_MOST:,} bytes in all")
        self.free_text = _free_text(self.vocabulary, texts, tokens, required=required)

    def start(self) -> TokenState:
        """Return the state at the beginning of the free text."""
        return FreeTextState(self, 0)

    def prepare(self, seconds: float) -> None:
        """Compute masks of the text after a trigger in advance, as `Masker.prepare` does."""
        prepare = getattr(self.masker, "prepare", None)
        if prepare is not None:
            prepare(seconds)


@frozen_value
@dataclass(frozen=True, slots=True)
class FreeTextState(TokenState):
    """A state in free text; `position` is as in `FreeText`."""

    masker: Triggered
    position: int

    @property
    def is_complete(self) -> bool:
        """Whether the text may end without a trigger, and no character is begun."""
        return not self.masker.required and self.position % UTF8_STATES == 0

    def bitmask(self) -> Ints:
        """Return all tokens that are text, except those that continue after a trigger."""
        return self.masker.free_text.mask(self.position)

    def accept(self, token: int) -> TokenState:
        """Return the state after one more token. Raises TokenError if it is not allowed."""
        token = token_id(token)
        vocabulary, free_text = self.masker.vocabulary, self.masker.free_text
        if not 0 <= token < len(vocabulary):
            raise refusal(vocabulary, token)
        if not allows(self.bitmask(), token):
            raise refusal(vocabulary, token, free_text.why_not(self.position, token))
        if token in vocabulary.eos:
            return Ended(vocabulary)
        following = free_text.after(self.position, token)
        if following is None:
            return self.masker.masker.start()
        return FreeTextState(self.masker, following)


def _given(trigger: object) -> list[object]:
    """The triggers of an argument: one, or several."""
    if isinstance(trigger, Iterable) and not isinstance(trigger, str | bytes | bytearray):
        return list(cast("Iterable[object]", trigger))
    return [trigger]


def _is_token(trigger: object) -> bool:
    return isinstance(trigger, SupportsIndex) and not isinstance(trigger, bool)


def _token(trigger: object, vocabulary: Vocabulary) -> int:
    token = token_id(trigger)
    if not 0 <= token < len(vocabulary):
        raise ValueError(f"trigger {token} is not a token ID: there are {len(vocabulary):,} tokens")
    return token


def _text(trigger: object) -> bytes:
    """The bytes of a trigger that is a text."""
    if not isinstance(trigger, bytes | str) or not trigger:
        kind = ValueError if isinstance(trigger, bytes | str) else TypeError
        raise kind(f"a trigger must be a text or a token ID, not {trigger!r}")
    try:
        data = trigger.encode() if isinstance(trigger, str) else trigger
        data.decode()
    except UnicodeError as error:
        raise ValueError(f"a trigger must be valid UTF-8, not {trigger!r}") from error
    return data


def _free_text(
    vocabulary: Vocabulary, texts: list[bytes], tokens: list[int], *, required: bool
) -> FreeText:
    """The free text before triggers. Raises ValueError for those that can't be reached."""
    named = {text: _special_tokens(vocabulary, text) for text in texts}
    for token in (*tokens, *(one for several in named.values() for one in several)):
        _check(vocabulary, token)
    if vocabulary.missing_bytes:
        for text, several in named.items():
            if not FreeText(vocabulary, [text], several, frozenset()).is_possible:
                raise ValueError(f"the tokens of the vocabulary cannot spell the trigger {text!r}")
    triggers = frozenset(tokens).union(*named.values())
    found = FreeText(vocabulary, texts, triggers, frozenset() if required else vocabulary.eos)
    if not found.is_possible:
        raise ValueError("no sequence of the vocabulary's tokens reaches a trigger")
    return found


def _special_tokens(vocabulary: Vocabulary, text: bytes) -> frozenset[int]:
    """The special tokens that have a text."""
    tokens = vocabulary.tokens
    return frozenset(token for token in vocabulary.special if tokens[token] == text)


def _check(vocabulary: Vocabulary, token: int) -> None:
    """Raise ValueError for a token that can't be a trigger."""
    data = vocabulary.tokens[token]
    if token in vocabulary.eos:
        raise ValueError(f"trigger {token}, {data!r}, ends a text: nothing can follow it")
    is_text = token not in vocabulary.special
    if is_text and all(UTF8.run(part, data) for part in range(UTF8_STATES)):
        raise ValueError(f"trigger {token}, {data!r}, ends in the middle of a character")
