"""Feedback in another language, or in another voice: `ENGLISH` with other values."""

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
    """Return the feedback of a check in the words of another table; empty for a check that is `ok`.

    Keys that the table lacks stay English. Raises ValueError for a key or a field that `ENGLISH`
    does not have and for an invalid template; TypeError for a value that is neither a string nor a
    function that returns one.
    """
    if not (schema is None or isinstance(schema, Schema)):
        raise no_schema(schema, "a pdl.Schema or None")
    if not isinstance(check, Check):
        raise TypeError(f"check must be a Check, not {type(check).__name__}")
    if not isinstance(words, Mapping):
        raise TypeError(f"words must be a mapping, not {type(words).__name__}")
    for key, text in words.items():
        _check(key, text)
    return "" if check.ok else "\n".join(translate(line, words) for line in lines(schema, check))


def fields_of(key: str) -> tuple[str, ...]:
    """Return the names of the fields of a phrase, which are those that its English text uses."""
    english = ENGLISH[key]
    if isinstance(english, str):
        return tuple(dict.fromkeys(name for _, name, _, _ in Formatter().parse(english) if name))
    return tuple(signature(english).parameters)


def _check(key: str, text: object) -> None:
    if key not in ENGLISH:
        advice = did_you_mean(str(key), ENGLISH)
        raise ValueError(f"no phrase has the key `{key}`" + (f": {advice}" if advice else ""))
    if isinstance(text, str):
        _check_template(key, text)
    elif callable(text):
        _check_function(key, text)
    else:
        raise TypeError(f"phrase `{key}` must be a text or a function, not {type(text).__name__}")


def _check_template(key: str, text: str) -> None:
    try:
        fields = list(Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"phrase `{key}` is not a valid template: {error}") from error
    for _, name, form, conversion in fields:
        if name is not None and name not in fields_of(key):
            raise ValueError(f"phrase `{key}` has no field `{name}`, {_known(key)}")
        if form or conversion:
            raise ValueError(f"phrase `{key}` must have the field `{name}` as `{{{name}}}`")


def _check_function(key: str, function: Callable[..., str]) -> None:
    try:
        expected = signature(function)
    except ValueError:  # some functions written in C have none
        return
    try:
        expected.bind(**dict.fromkeys(fields_of(key)))
    except TypeError as error:
        message = f"the function of phrase `{key}` cannot be called with its fields: {error};"
        raise ValueError(f"{message} {_known(key)}") from error


def _known(key: str) -> str:
    return f"its fields are: {', '.join(fields_of(key)) or 'none'}"
