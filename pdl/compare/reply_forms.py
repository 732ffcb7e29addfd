"""How answers of each form are written, and which values they can have at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.gbnf.compiling.emptiness import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.schema import Schema

_WHITE = (
    r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # of `str.strip`
)
_VALUES: dict[str, dict[str, Any]] = {
    "json": {},
    "yesno": {"type": "boolean"},
    "text": {"type": "string", "pattern": rf"^[^{_WHITE}]([\s\S]*[^{_WHITE}])?$"},
    "code": {"type": "string", "pattern": rf"[^{_WHITE}]"},
    "tasklist": {"type": "string", "pattern": r"^[-*+0-9]"},
}
_LANGUAGES = ("", "python", "sql")
_MOST_TASKS = 1_000


def values_of(schema: Schema) -> dict[str, Any]:
    """A JSON Schema that the values of all answers of a form satisfy, and perhaps others."""
    return _VALUES[schema.form]


def is_read_alike(old: Schema, new: Schema) -> bool:
    """Whether each answer of the old form has the same value in the new one, whatever it says."""
    if old.form != new.form:
        return False
    if old.form == "code":
        return new.lang is None or new.lang == old.lang
    if old.form == "tasklist":
        (least, most), (at_least, at_most) = old.tasks, new.tasks
        enough = (at_least or 1) <= max(least or 1, 1)
        return enough and (at_most is None or (most is not None and most <= at_most))
    return True


def spelled(schema: Schema, value: Json) -> Iterator[str]:
    """The answers of a schema's form that have a value; the checker might still read others.

    It takes the quotes of a string that may be any for a part of it, unless an escape shows that it
    is JSON.
    """
    if schema.form == "json":
        yield text_of(value)
    elif schema.form == "yesno":
        yield "yes" if value is True else "no"
    if not isinstance(value, str) or not value:
        return
    if schema.form == "code":
        for language in [schema.lang] if schema.lang else _LANGUAGES:
            yield f"```{language}\n{value}\n```"
    else:
        yield value
    if schema.form == "json" and value[0] < "\ud800":
        yield f'"\\u{ord(value[0]):04x}{text_of(value[1:])[1:]}'


def task_lists(schema: Schema) -> Iterator[str]:
    """Task lists with the fewest and the most tasks that a schema allows, and with one more."""
    least, most = schema.tasks
    fewest = max(least or 1, 1)
    for count in dict.fromkeys((fewest, fewest + 1, most or _MOST_TASKS)):
        if count <= _MOST_TASKS and (most is None or count <= most):
            yield "\n".join(["- [ ] a"] * count)
