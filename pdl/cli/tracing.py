"""What was allowed at each token of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from pdl.cli.masking import Watch
from pdl.cli.matching import LINE_ENDS, line_end_hint, matched
from pdl.errors import Problem, TokenError
from pdl.masks import Masker
from pdl.masks.forced import cut
from pdl.masks.protocol import allows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.cli.matching import Text
    from pdl.gbnf import Grammar
    from pdl.masks import Vocabulary
    from pdl.masks.protocol import TokenState

_NAMED = 5  # of the tokens that may stand in the place of one that may not


@dataclass(frozen=True)
class Step:
    """One token, and what was allowed where it stood; None where a text may end or not."""

    token: int | None
    data: bytes
    ok: bool
    allowed: int
    examples: tuple[bytes, ...]
    microseconds: float


@dataclass(frozen=True)
class Trace:
    """The tokens of a text up to the first that was not allowed, and the place behind them."""

    steps: tuple[Step, ...]
    ok: bool
    complete: bool
    forced: bytes
    last: Step
    """What is allowed at the end."""


def spelled(text: Text, vocabulary: Vocabulary) -> list[int]:
    """The longest tokens that make a text. Raises TokenError where there is none."""
    data = text.data
    found, end = cut(data, vocabulary.trie)
    if end < len(data):
        byte = f"{data[end]:#04x}, which is at offset {end:,}"
        message = f"no token of the vocabulary begins with the byte {byte}"
        hint = line_end_hint(text) if data[end:] in LINE_ENDS else ""
        place = text.span(end, end + 1)
        raise TokenError(Problem("token/unsayable", message, place, hint))
    return found


def numbers(text: str) -> list[int]:
    """The numbers of some tokens, between blanks or commas. Raises UsageError for others."""
    words = text.replace(",", " ").split()
    if not all(word.isascii() and word.isdigit() for word in words):
        raise click.UsageError("--tokens takes numbers, such as '15 7 226'")
    return [int(word) for word in words]


def traced(grammar: Grammar, vocabulary: Vocabulary, tokens: Iterable[int], shown: int) -> Trace:
    """Follow some tokens as far as they are allowed. Raises TokenError for one there is not."""
    here: TokenState = Masker(grammar, vocabulary).start()
    steps: list[Step] = []
    for token in tokens:
        step = _step(here, vocabulary, token, shown)
        steps.append(step)
        if not step.ok:
            break
        here = here.accept(token)
    last = _step(here, vocabulary, None, shown)
    ok = all(step.ok for step in steps)
    return Trace(tuple(steps), ok, here.is_complete, here.forced()[0], last)


def _step(here: TokenState, vocabulary: Vocabulary, token: int | None, shown: int) -> Step:
    watch = Watch()
    mask = here.bitmask()
    passed = watch.lap() * 1e3
    allowed = here.allowed()
    examples = tuple(vocabulary.tokens[one] for one in _several(allowed.tolist(), shown))
    if token is None:
        return Step(None, b"", here.is_complete, len(allowed), examples, passed)
    if token >= len(vocabulary):
        here.accept(token)  # which raises
    ok = allows(mask, token)
    return Step(token, vocabulary.tokens[token], ok, len(allowed), examples, passed)


def refused(masker: Masker, here: TokenState, text: Text, token: int, at: int) -> TokenError:
    """The error for a token of a text, from offset `at` on, that cannot stand there."""
    tokens, allowed = masker.vocabulary.tokens, here.allowed().tolist()
    data = tokens[token]
    named = ", ".join(repr(tokens[one]) for one in _several(allowed, _NAMED))
    more = ", …" if len(allowed) > _NAMED else ""
    message = f"token {token}, {data!r}, cannot stand here; {len(allowed):,} may: {named}{more}"
    hint = matched(masker.grammar, text, prefix=False).hint_of_file
    return TokenError(Problem("token/refused", message, text.span(at, at + len(data)), hint))


def _several(allowed: list[int], shown: int) -> list[int]:
    """Some tokens from the beginning to the end of all."""
    if len(allowed) <= shown:
        return allowed
    return [allowed[len(allowed) * number // shown] for number in range(shown)]
