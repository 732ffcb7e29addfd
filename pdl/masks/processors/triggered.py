"""Free text until a trigger, then a grammar: reasoning, or words in front of a tool call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias, cast

from pdl.gbnf.nodes import frozen_value
from pdl.masks.processors.free import CHARACTERS, PARTS, FreeText
from pdl.masks.protocol import Ended, check_masker, refusal, token_id, token_ids

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pdl.masks.protocol import TokenMasker, TokenState
    from pdl.masks.vocabulary import Vocabulary

    Ints: TypeAlias = NDArray[np.int32]

Trigger: TypeAlias = "bytes | str | int"
"""A text, or the number of a token."""

_MOST = 1_000  # bytes of triggers: each is a mask


class Triggered:
    """Any text up to the first trigger, and one of a masker's behind it.

    A trigger is a text (`<tool_call>`), over whatever tokens it comes, or the number of a token
    (that of `</think>`). A text that is that of a special token means this token as well; of other
    special tokens none may come, nor do their letters count. A token that has more behind the end
    of a trigger is forbidden, so that the grammar begins with a token. Free text is UTF-8: a token
    may end amid a character, and others must complete it. With `required` the text may not end
    before there was a trigger.

    Raises TypeError for what is no masker or trigger; ValueError for no trigger, for one that is
    empty or ends amid a character, for numbers of no token, for tokens that end a text, and for
    those that the vocabulary cannot spell.
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
            raise ValueError(f"triggers may have {_MOST:,} bytes in all, not more")
        self._free = _free(self.vocabulary, texts, tokens, required=required)

    def start(self) -> TokenState:
        """The beginning of the free text."""
        return Free(self, 0)

    def mask(self, place: int) -> Ints:
        """The tokens that may come next in free text."""
        return self._free.mask(place)

    def behind(self, place: int, token: int) -> TokenState:
        """The state behind a token of free text. Raises TokenError for one that may not come."""
        if not 0 <= token < len(self.vocabulary):
            raise refusal(self.vocabulary, token)
        if not self._free.allows(place, token):
            raise refusal(self.vocabulary, token, self._free.why_not(place, token))
        if token in self.vocabulary.eos:
            return Ended(self.vocabulary)
        following = self._free.behind(place, token)
        return self.masker.start() if following is None else Free(self, following)


@frozen_value
@dataclass(frozen=True, slots=True)
class Free:
    """A place in free text; `place` is how much of a trigger, or of a character, is before it."""

    its: Triggered
    place: int

    @property
    def is_complete(self) -> bool:
        """Whether the text may end without a trigger, and no character is begun."""
        return not self.its.required and self.place % PARTS == 0

    def bitmask(self) -> Ints:
        """All tokens that are text, but those with more behind the end of a trigger."""
        return self.its.mask(self.place)

    def allowed(self) -> Ints:
        """The numbers of those tokens."""
        return token_ids(self.bitmask())

    def accept(self, token: int) -> TokenState:
        """The place behind one more token. Raises TokenError for one that cannot stand here."""
        return self.its.behind(self.place, token_id(token))

    def forced(self) -> tuple[bytes, tuple[int, ...]]:
        """Nothing."""
        return b"", ()


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
        raise ValueError(f"trigger {token} is no token: there are {len(vocabulary):,}")
    return token


def _text(trigger: object) -> bytes:
    """The bytes of a trigger that is a text."""
    if not isinstance(trigger, bytes | str):
        raise TypeError(f"a trigger is a text or the number of a token, not {trigger!r}")
    if not trigger:
        raise ValueError(f"a trigger is a text or the number of a token, not {trigger!r}")
    try:
        data = trigger.encode() if isinstance(trigger, str) else trigger
        data.decode()
    except UnicodeError as error:
        raise ValueError(f"a trigger must be text in UTF-8, not {trigger!r}") from error
    return data


def _free(
    vocabulary: Vocabulary, texts: list[bytes], tokens: list[int], *, required: bool
) -> FreeText:
    """The free text in front of triggers. Raises ValueError for those that cannot come."""
    named = {text: _named(vocabulary, text) for text in texts}
    for token in (*tokens, *(one for several in named.values() for one in several)):
        _check(vocabulary, token)
    if vocabulary.missing_bytes:
        for text, several in named.items():
            if not FreeText(vocabulary, [text], several, frozenset()).is_possible:
                raise ValueError(f"the tokens of the vocabulary cannot spell the trigger {text!r}")
    triggers = frozenset(tokens).union(*named.values())
    found = FreeText(vocabulary, texts, triggers, frozenset() if required else vocabulary.eos)
    if not found.is_possible:
        raise ValueError("no text of the vocabulary's tokens comes to a trigger")
    return found


def _named(vocabulary: Vocabulary, text: bytes) -> frozenset[int]:
    """The special tokens that have a text."""
    tokens = vocabulary.tokens
    return frozenset(token for token in vocabulary.special if tokens[token] == text)


def _check(vocabulary: Vocabulary, token: int) -> None:
    """Raise ValueError for a token that cannot be a trigger."""
    data = vocabulary.tokens[token]
    if token in vocabulary.eos:
        raise ValueError(f"trigger {token}, {data!r}, ends a text: nothing can come behind it")
    is_text = token not in vocabulary.special
    if is_text and all(CHARACTERS.run(part, data) for part in range(PARTS)):
        raise ValueError(f"trigger {token}, {data!r}, ends amid a character")
