"""The one border at which Lark's errors become ours: where a text stops to make sense, and why."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from pdl.syntax.language import END, Unexpected
from pdl.syntax.tables import HERE, build

if TYPE_CHECKING:
    from lark import Lark, Token

    from pdl.source import Source


@lru_cache(maxsize=8)
def _parser(name: str) -> Lark:
    return build(HERE.joinpath(f"{name}.lark").read_text("utf-8"))


def explain(name: str, source: Source) -> Unexpected:
    """Where and why a text is not of the language of `NAME.lark`, which it must not be."""
    try:
        _parser(name).parse(source.text)
    except UnexpectedToken as error:
        return _unexpected_token(source, error)
    except UnexpectedCharacters as error:
        start = source.offset(error.line, error.column)
        return Unexpected(source, start, source.text[start : start + 1], frozenset())
    raise AssertionError("Lark takes what the tables made by it do not: run pdl.syntax.tables")


def _unexpected_token(source: Source, error: UnexpectedToken) -> Unexpected:
    token: Token = error.token
    accepted = frozenset(error.accepts or error.expected)
    if token.type == END:
        return Unexpected(source, len(source.text.rstrip()), "", accepted)
    start = token.start_pos if token.start_pos is not None else 0
    return Unexpected(source, start, str(token), accepted)
