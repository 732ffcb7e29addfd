"""Feedback in other words than English ones."""

from __future__ import annotations

from string import Formatter
from typing import TYPE_CHECKING

from pdl.errors import did_you_mean
from pdl.reply.english import ENGLISH
from pdl.reply.feedback import lines
from pdl.reply.phrases import translate

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.reply.outcome import Check
    from pdl.reply.phrases import Words
    from pdl.schema import Schema


def feedback_in(words: Words, schema: Schema | None, check: Check) -> str:
    """The feedback of a check in other words: those of another language, or of another voice.

    What the table lacks is said in English. An empty string for a check that is `ok`. Raises
    ValueError for a key or a field that `ENGLISH` does not have.
    """
    check_words(words)
    if check.ok:
        return ""
    return "\n".join(translate(line, words) for line in lines(schema, check))


def check_words(words: Words) -> None:
    """Raise ValueError for a key that no phrase has, or a field that the phrase does not have."""
    for key, text in words.items():
        if key not in ENGLISH:
            advice = did_you_mean(key, ENGLISH)
            raise ValueError(f"no phrase has the key `{key}`" + (f": {advice}" if advice else ""))
        unknown = [name for name in _names(text) if name not in fields_of(key)]
        if unknown:
            known = ", ".join(fields_of(key)) or "none"
            raise ValueError(f"phrase `{key}` has no field `{unknown[0]}`, its fields are: {known}")


def fields_of(key: str) -> tuple[str, ...]:
    """The names of the fields that a phrase has, which are those that its English text uses."""
    english = ENGLISH[key]
    return _names(english) if isinstance(english, str) else _parameters(english)


def _names(text: str | Callable[..., str]) -> tuple[str, ...]:
    """The fields of a template; of a function none are known."""
    if not isinstance(text, str):
        return ()
    return tuple(dict.fromkeys(name for _, name, _, _ in Formatter().parse(text) if name))


def _parameters(function: Callable[..., str]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]
