"""Which results of an earlier run stay as they are when something else is checked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.compare import No, Unknown, includes
from pdl.decoding import JsonError, strict_json
from pdl.reply.prose.omissions import stand_in
from pdl.reply.validation.json_types import equal
from pdl.reply.validation.schema_walk import has_whole_float, root_kinds
from pdl.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json

Keep: TypeAlias = Literal["all", "valid", "none"]
"""Which results stay: all whose row is the same, of those the valid ones, or none."""

_ALONE = re.compile(
    r"[ \t\r\n]*+(?P<fence>(?:(?>(?:[^\W\d_]|[ ,.'!:-])+)\r?\n\s*+)?```(?:json)?[ \t]*+\r?\n)?"
    r"[ \t\r\n]*+(?P<body>[\[{].*[\]}])(?(fence)[ \t]*+\r?\n```)[ \t\r\n]*+",
    re.DOTALL,
)
"""A JSON text and nothing else, or a fence with it after a line of words."""
_SHOWN = 200  # characters of a witness


class Stay(NamedTuple):
    """Which results stay, and why."""

    keep: Keep
    why: str


def what_stays(old: Json, new: Json) -> Stay:
    """Return which results of the task `old` are those of the task `new`.

    A task is what `manifest.tasks` has. Valid results stay if every answer of the old schema is
    proven to be valid under the new one.
    """
    if old is None:
        return Stay("none", "it is not known what they are of")
    if new["command"] != "check":
        return Stay("none", "the prompt, its values, or options have changed")
    why = next(_other(old, new), "")
    return (
        Stay("none", why)
        if why
        else _compared(*(Schema.from_json_schema(one["schema"]["json"]) for one in (old, new)))
    )


def _other(old: Json, new: Json) -> Iterator[str]:
    """Why tasks differ in more than their schemas, or these say too little."""
    for name, what in (("pdl", "another version of pdl"), ("field", "replies of another key")):
        if old.get(name) != new.get(name):
            yield f"{what}: {old.get(name)} instead of {new.get(name)}"
    if old["coercions"] != new["coercions"]:
        yield "other coercions"
    if any(new["coercions"].values()):
        yield "coercions read values by the schema"
    if old["sources"] is not None or new["sources"] is not None:
        yield "the schema depends on the values of each row"
    for one in (old["schema"], new["schema"]):
        if one is None or one["form"] != "json":
            yield "answers that are not JSON"
        elif one["typed"]:
            yield "Python types have rules of their own"


def _compared(one: Schema, other: Schema) -> Stay:
    kinds = [
        root_kinds(schema.to_json_schema(), schema.to_json_schema()) for schema in (one, other)
    ]
    if not all(found <= {"object", "array"} for found in kinds):
        return Stay("none", "an answer that is neither an object nor an array")
    found = includes(one, other)
    if isinstance(found, No):
        return Stay("none", f"an answer such as {found.witness[:_SHOWN]} is no longer valid")
    if isinstance(found, Unknown):
        return Stay("none", f"it is not known whether every old answer is valid: {found.why}")
    return Stay("valid", "every answer that was valid still is")


def is_sole_answer(reply: str, value: Json) -> bool:
    """Return whether a reply is only this value, or a fence with it, so any schema reads it so.

    In other replies, the schema decides what belongs to the answer: `{"a": 1}, b = 2` is one part
    of an answer if there is a `b`. In a value, it decides whether 1.0 is an integer, and
    whether a text such as `...` represents data that is missing.
    """
    alone = _ALONE.fullmatch(reply)
    if alone is None:
        return False
    try:
        read = strict_json(alone["body"])
    except JsonError:
        return False
    return equal(read, value) and not has_whole_float(read) and not stand_in(read)
