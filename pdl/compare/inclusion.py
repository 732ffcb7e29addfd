"""Inclusion of schemas: whether every answer that fits one is valid under another.

Every value of OLD is one of NEW if no value satisfies `{"allOf": [OLD, {"not": NEW}]}`. Equal
subschemas of both are one literal there, so what did not change contradicts itself right away, at
any depth; only the rest is looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.compare.equal_parts import Side, aliases
from pdl.compare.verdicts import Inclusion, No, Unknown, Yes
from pdl.errors import LimitError, SchemaError
from pdl.gbnf.compiling.document import Document
from pdl.gbnf.compiling.emptiness import Empty, Found, find_value, text_of
from pdl.gbnf.compiling.options import Options
from pdl.gbnf.limits_errors import Clock, uncollected
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.reply.checker import check_json, violations
from pdl.reply.validation.json_types import equal
from pdl.schema.model import schema_of, schema_type_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.schema import Schema

_OPTIONS = Options(whitespace="compact", escapes="canonical", numbers="any")
_REREAD = 8  # values that the new schema takes for others, before one of them is the witness
_OLD, _NEW = "#/$defs/old", "#/$defs/new"


def includes(
    old: Schema | type[Any], new: Schema | type[Any], *, limits: Limits = DEFAULT_LIMITS
) -> Inclusion:
    """Return whether every answer that fits the old schema is valid under the new one.

    Python types are allowed too. `Yes` is proven; `No` has an answer that fits `old` and not `new`,
    as the checker finds; `Unknown` says why neither is known, such as that more than
    `limits.grammar_seconds` are needed. Raises TypeError for anything but schemas and types,
    SchemaError for a type that has no schema.
    """
    one, other = schema_of(old), schema_of(new)
    if one is None or other is None:
        raise schema_type_error(old if one is None else new)
    clock = Clock(limits, "comparing the schemas")
    try:
        with uncollected():
            return _decided(one, other, clock, limits)
    except (LimitError, SchemaError) as error:
        return Unknown(error.problems[0].message)
    except RecursionError:
        return Unknown("the schemas nest too deep")


def _decided(old: Schema, new: Schema, clock: Clock, limits: Limits) -> Inclusion:
    both = {
        "allOf": [{"$ref": _OLD}, {"not": {"$ref": _NEW}}],
        "$defs": {"old": old.document, "new": new.document},
    }
    same = aliases(Side(old.document, _OLD), Side(new.document, _NEW))
    document = Document(both, (_OLD, _NEW), same, checked=True)
    found = find_value(document, _OPTIONS, clock)
    if isinstance(found, Empty):
        return Yes()
    witness = _witness(old, new, found, clock, limits)
    return Unknown(_reason(found)) if witness is None else witness


def _witness(old: Schema, new: Schema, found: Found, clock: Clock, limits: Limits) -> No | None:
    """An answer of the old schema that is not one of the new one, as the checker judges.

    Where the new schema takes any text, an answer is another value there at least.
    """
    reread: list[No] = []
    for value in found.values():
        clock.check()
        if violations(old, value) or not violations(new, value):
            continue
        for text in _spelled(value):
            taken = check_json(old, text, limits=limits)
            if not taken.ok or not equal(taken.value, value):
                continue
            if not check_json(new, text, limits=limits).ok:
                return No(text, value)
            reread.append(No(text, value))
        if len(reread) > _REREAD:
            break
    return reread[0] if reread else None


def _spelled(value: Json) -> Iterator[str]:
    """The texts of a value.

    The checker takes the quotes of a string that may be any for a part of it, unless an escape
    shows that it is JSON.
    """
    yield text_of(value)
    if isinstance(value, str) and value:
        yield value
        yield f'"\\u{ord(value[0]):04x}{text_of(value[1:])[1:]}' if value[0] < "\ud800" else ""


def _reason(found: Found) -> str:
    """Why nothing is known, with the keywords that were not decided exactly."""
    words = dict.fromkeys(entry.keyword for entry in found.unenforced)
    if not words:
        return "no answer was found that the two schemas judge differently"
    named = ", ".join(f"`{word}`" for word in list(words)[:4])
    return f"what the schemas say with {named} could not be decided"
