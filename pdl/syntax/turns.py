"""The grammar of turns, run over the kinds of tokens."""

from __future__ import annotations

from typing import Any

from pdl.syntax.runner import Token, runner


class _Turns:
    """One method a production of `turns.lark`: the indices of the separators."""

    def start(self, *parts: Any) -> list[int]:
        """start: preamble? turn*."""
        return [part for part in parts if part is not None]

    def preamble(self, *_: Token) -> None:
        """preamble: content+."""

    def turn(self, separator: Token, *_: Token) -> int:
        """turn: SEPARATOR content*."""
        return separator.start


def parse_turns(kinds: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """The half-open ranges of the turns in a sequence of terminals' names; first its separator."""
    tokens = [Token(kind, "", index, index) for index, kind in enumerate(kinds)]
    starts: list[int] = runner("turns").run(tokens, _Turns(), len(kinds))
    return tuple(zip(starts, [*starts[1:], len(kinds)], strict=False))
