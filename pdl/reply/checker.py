"""Checking a reply: directly if it is one clean JSON value that fits, else by searching it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.reply.coercions import NO_COERCIONS, Coercions
from pdl.reply.parsing.parsed import Exact, read_exactly
from pdl.reply.query import is_quoted
from pdl.reply.result import Check, OutputError, Parsed, Segment
from pdl.reply.segments.dialects import CHANNELS, DIALECTS, Dialects
from pdl.reply.validation.compiled import validator_of
from pdl.reply.validation.json_types import lone_surrogate
from pdl.reply.validation.schema_walk import PatternTimeout, UnusablePattern
from pdl.schema import Schema
from pdl.schema.model import schema_of, schema_type_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl._types import Json, T
    from pdl.reply.result import Violation
    from pdl.reply.validation.schema_walk import Document

_BLANKS = " \t\r\n"
_OPENERS = frozenset('{["')


Validate: TypeAlias = "Callable[[Any], object] | None"
"""A rule of the program: a function of the value."""


@overload
def check(
    schema: Schema[T] | type[T],
    reply: str,
    *,
    validate: Validate = None,
    coercions: Coercions = NO_COERCIONS,
    dialects: Dialects = DIALECTS,
    limits: Limits = DEFAULT_LIMITS,
) -> Check[T]: ...


@overload
def check(
    schema: Any,
    reply: str,
    *,
    validate: Validate = None,
    coercions: Coercions = NO_COERCIONS,
    dialects: Dialects = DIALECTS,
    limits: Limits = DEFAULT_LIMITS,
) -> Check[Any]: ...


def check(  # noqa: PLR0913 - the options of a check
    schema: Any,
    reply: str,
    *,
    validate: Validate = None,
    coercions: Coercions = NO_COERCIONS,
    dialects: Dialects = DIALECTS,
    limits: Limits = DEFAULT_LIMITS,
) -> Check[Any]:
    """Find the one answer in a reply and check it against a schema or a Python type.

    For a type, and a schema that was made of one, the value is an instance of it, and the type's
    own validators and rules are run. `validate` is a further rule, a function of that value: it
    refuses it by raising ValueError, by returning False, or by returning or yielding
    `pdl.Violation`s. Without a schema the answer is the whole reply without its reasoning.
    `dialects` are the marks that distinguish reasoning and tokens from text. Never raises for a bad
    reply: the `Check` lists its errors. Raises TypeError for arguments of other types, SchemaError
    for a type that has no schema, and what a rule raises other than ValueError.
    """
    known = schema if isinstance(schema, Schema) else schema_of(schema)
    if validate is None and (known is None or known.python_type is None):
        return check_json(known, reply, coercions=coercions, dialects=dialects, limits=limits)
    stage = _typed_stage()
    rule = None if validate is None else stage.rule_of_value(validate)
    found = check_json(known, reply, coercions=coercions, dialects=dialects, limits=limits)
    made: Check[Any] = stage.typed(found, known, reply)
    if rule is not None:
        made = stage.validated(made, known, rule, reply)
    return made


@cache
def _typed_stage() -> Any:
    """The stage of types and rules, which plain JSON does not need."""
    from pdl.reply import typed  # noqa: PLC0415 - see above; an import statement takes a while

    return typed


def check_json(
    schema: Schema | None,
    reply: str,
    *,
    coercions: Coercions = NO_COERCIONS,
    dialects: Dialects = DIALECTS,
    limits: Limits = DEFAULT_LIMITS,
) -> Check:
    """Do the same as `check` without types and rules: the value is JSON."""
    if not isinstance(reply, str):
        raise TypeError(f"reply must be a str, not {type(reply).__name__}")
    check_options(coercions, dialects, limits)
    quick = _clean(schema, reply, limits) if schema else _bare_text(reply, dialects, limits)
    if quick:
        return quick
    from pdl.reply.search import search  # noqa: PLC0415 - a clean reply needs none of it

    return search(schema, reply, coercions=coercions, dialects=dialects, limits=limits)


def check_options(coercions: Coercions, dialects: Dialects, limits: Limits) -> None:
    """Raise TypeError for an option of another type."""
    given = (("coercions", coercions, Coercions), ("dialects", dialects, Dialects))
    for name, option, kind in (*given, ("limits", limits, Limits)):
        if not isinstance(option, kind):
            raise TypeError(f"{name} must be a {kind.__name__}, not {type(option).__name__}")


@overload
def extract(
    schema: Schema[T] | type[T],
    reply: str,
    *,
    validate: Validate = None,
    coercions: Coercions = NO_COERCIONS,
    dialects: Dialects = DIALECTS,
    limits: Limits = DEFAULT_LIMITS,
) -> T: ...


@overload
def extract(
    schema: Any,
    reply: str,
    *,
    validate: Validate = None,
    coercions: Coercions = NO_COERCIONS,
    dialects: Dialects = DIALECTS,
    limits: Limits = DEFAULT_LIMITS,
) -> Any: ...


def extract(  # noqa: PLR0913 - those of `check`
    schema: Any,
    reply: str,
    *,
    validate: Validate = None,
    coercions: Coercions = NO_COERCIONS,
    dialects: Dialects = DIALECTS,
    limits: Limits = DEFAULT_LIMITS,
) -> Any:
    """Return the value of the one answer in a reply; see `check`.

    Raises OutputError with the `Check` if there is none.
    """
    result = check(
        schema, reply, validate=validate, coercions=coercions, dialects=dialects, limits=limits
    )
    if not result.ok:
        raise OutputError(result)
    return result.value


def violations(schema: Schema, value: Json) -> tuple[Violation, ...]:
    """Return the violations of a Python value, at most 1,000; an empty tuple if it fits.

    In the order of the value's parts. A tuple counts as an array. Raises TypeError for a schema of
    another type, and RecursionError for a value that is nested beyond all limits.
    """
    if not isinstance(schema, Schema):
        raise schema_type_error(schema)
    if validator_of(schema.document).is_valid(value):
        return ()
    from pdl.reply.validation.referee import violations_of  # noqa: PLC0415 - most values fit

    return violations_of(schema.document, value)


def _clean(schema: Schema, reply: str, limits: Limits) -> Check | None:
    """The check of a reply that is one JSON value in brackets or quotes and fits, as most do.

    Anything in it that looks like a mark is part of its strings.
    """
    if schema.form != "json" or len(reply) > limits.reply_chars:
        return None
    start = len(reply) - len(reply.lstrip(_BLANKS))
    exact = read_exactly(reply, start, limits) if reply[start : start + 1] in _OPENERS else None
    if not exact or reply[exact.span[1] :].strip(_BLANKS):
        return None
    if is_quoted(schema) and "\\" not in reply:
        return None  # its quotes might be part of the text
    made = _fitting(schema.document, exact)
    if made is None:
        return None
    whole = (0, len(reply))
    segments = (Segment("text", whole, whole),)
    check = Check(made.value, repairs=made.repairs, span=exact.span, segments=segments, reply=reply)
    # Not if an integer is written as `3.0`: others might read it as a float.
    vars(check)["is_whole"] = made.value is exact.value and not made.repairs
    return check


def _bare_text(reply: str, dialects: Dialects, limits: Limits) -> Check | None:
    """The check of a reply without a schema in which nothing can begin a mark or a fence."""
    text = reply.strip()
    marks = not {*dialects.patterns.first, *"`~"}.isdisjoint(reply)
    if not text or marks or len(reply) > limits.reply_chars or text.startswith(CHANNELS):
        return None
    if lone_surrogate([text]):
        return None
    start, whole = reply.find(text), (0, len(reply))
    segments = (Segment("text", whole, whole),)
    return Check(text, span=(start, start + len(text)), segments=segments, reply=reply)


def _fitting(document: Document, exact: Exact) -> Parsed | None:
    """The value if it is plain and fits; `search` takes a closer look at others."""
    made, deep, suspect = exact.findings
    if deep or not isinstance(made, Parsed):
        return None
    try:
        validator = validator_of(document)
        fits, has_float = validator.look(made.value)
        if has_float:
            from pdl.reply.validation.schema_walk import with_integers  # noqa: PLC0415 - rare

            made = Parsed(with_integers(document, made.value), made.repairs)
            fits = validator.is_valid(made.value)
        whole = fits and (not suspect or _is_whole(document, made.value))
    except (RecursionError, PatternTimeout, UnusablePattern):
        return None
    return made if whole else None


def _is_whole(document: Document, value: Json) -> bool:
    from pdl.reply.prose.omissions import left_out  # noqa: PLC0415 - rare

    return not left_out(document, value) and not lone_surrogate(value)
