"""Feedback in other words than English ones."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from string import Formatter
from typing import TYPE_CHECKING

from pdl.errors import did_you_mean
from pdl.reply.english import ENGLISH
from pdl.reply.feedback.feedback import lines
from pdl.reply.phrases import translate
from pdl.reply.result import Check
from pdl.schema import Schema
from pdl.schema.given import no_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.reply.phrases import Words


def feedback_in(words: Words, schema: Schema | None, check: Check) -> str:
    """The feedback of a check in other words: those of another language, or of another voice.

    What the table lacks is said in English. An empty string for a check that is `ok`. Raises
    ValueError for a key or a field that `ENGLISH` does not have, and for a text that is no
    template; TypeError for what is neither a text nor a function that gives one.
    """
    if not (schema is None or isinstance(schema, Schema)):
        raise no_schema(schema, "a pdl.Schema or None")
    if not isinstance(check, Check):
        raise TypeError(f"check must be a Check, not {type(check).__name__}")
    check_words(words)
    if check.ok:
        return ""
    return "\n".join(translate(line, words) for line in lines(schema, check))


def check_words(words: Words) -> None:
    """Raise TypeError or ValueError for what is no table of phrases, as `feedback_in` says."""
    if not isinstance(words, Mapping):
        raise TypeError(f"words must be a mapping, not {type(words).__name__}")
    for key, text in words.items():
        if key not in ENGLISH:
            advice = did_you_mean(str(key), ENGLISH)
            raise ValueError(f"no phrase has the key `{key}`" + (f": {advice}" if advice else ""))
        _check_phrase(key, text)


def _check_phrase(key: str, text: object) -> None:
    if isinstance(text, str):
        _check_template(key, text)
    elif callable(text):
        _check_function(key, text)
    else:
        kind = type(text).__name__
        raise TypeError(f"phrase `{key}` must be a text or a function, not {kind}")


def _check_template(key: str, text: str) -> None:
    try:
        fields = list(Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"phrase `{key}` is no template: {error}") from error
    for _, name, form, conversion in fields:
        if name is None:
            continue
        if name not in fields_of(key):
            raise ValueError(f"phrase `{key}` has no field `{name}`, {_known(key)}")
        if form or conversion:
            raise ValueError(f"phrase `{key}` must have the field `{name}` as `{{{name}}}`")


def _check_function(key: str, function: Callable[..., str]) -> None:
    try:
        expected = signature(function)
    except ValueError:  # some functions written in C do not tell
        return
    try:
        expected.bind(**dict.fromkeys(fields_of(key)))
    except TypeError as error:
        message = f"the function of phrase `{key}` cannot be called with its fields: {error};"
        raise ValueError(f"{message} {_known(key)}") from error


def _known(key: str) -> str:
    return f"its fields are: {', '.join(fields_of(key)) or 'none'}"


def fields_of(key: str) -> tuple[str, ...]:
    """The names of the fields that a phrase has, which are those that its English text uses."""
    english = ENGLISH[key]
    return tuple(_names(english)) if isinstance(english, str) else _parameters(english)


def _names(text: str) -> dict[str, None]:
    return dict.fromkeys(name for _, name, _, _ in Formatter().parse(text) if name)


def _parameters(function: Callable[..., str]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]
