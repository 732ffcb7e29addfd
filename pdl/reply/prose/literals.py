"""Answers that are one scalar and nothing else: a JSON literal, or a word, decorated at most."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.reply.coercing import coerce
from pdl.reply.parsing.parsed import is_deep, parse
from pdl.reply.phrases import brief, kinds, say
from pdl.reply.prose.scalar_candidates import is_local
from pdl.reply.prose.visible import PLAIN_FENCES, masked, untagged
from pdl.reply.result import Broken, Reading, Repair, Span, Violation, failed
from pdl.reply.validation.json_types import as_integer
from pdl.reply.validation.schema_walk import in_digits, is_free_text, literals

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.query import Query

DECORATION = " \t\r\n*_`\"'“”‘’«»"
"""Characters that can surround an answer and are not part of it."""


def literal(query: Query) -> Reading | None:
    """The reply as one JSON scalar that fits, if it contains only that."""
    body, span = bare(query)
    if "number" not in query.kinds and is_local(body):
        return None
    made = parse(body, query.limits) if body else None
    if isinstance(made, Broken):
        limited = made.reason == "limit" and body[:1] not in {"{", "["}
        return failed("limit", made.message, span=span) if limited else None
    if made is None:
        return None
    if isinstance(made.value, dict | list):
        return _unwrapped(query, made.value, span)
    reading = accept(query, span, made.value, ())
    return None if reading.reason else reading


def _unwrapped(query: Query, value: Json, span: Span) -> Reading | None:
    """The scalar in an object or array that is all of a reply, if the caller allows to take it."""
    if not query.coercions.unwrap or query.kinds & {"object", "array"}:
        return None
    if is_deep(query.text[slice(*span)], query.limits.reply_depth):
        return None
    inner, changes = coerce(query.document, value, query.coercions, query.limits)
    repairs = tuple(replace(change, span=span) for change in changes)
    return Reading(inner, span, repairs=repairs) if changes else None


def bare(query: Query) -> tuple[str, Span]:
    """The text without the tags around it, and its span; tags inside it belong to it."""
    text = masked(query.text, query.parts, PLAIN_FENCES)
    plain = untagged(text)
    span = _span(plain, plain.strip())
    return text[slice(*span)], span


def _span(text: str, body: str) -> Span:
    start = text.find(body)
    return start, start + len(body)


def read(query: Query) -> Reading | None:
    """The reading of a reply that is only a literal, decorated at most."""
    exact = literal(query)
    if exact:
        return exact
    text = untagged(masked(query.text, query.parts, PLAIN_FENCES))
    body = text.strip(DECORATION).rstrip(".").rstrip(DECORATION)
    if not body or len(body) > query.limits.integer_digits:
        return None
    free = is_free_text(query.document)
    if "null" in query.kinds and not free and body.lower() in {"null", "none"}:
        return accept(query, _span(text, body), None, ())
    for choice in literals(query.document, query.document):
        if isinstance(choice, str) and choice == body and query.is_valid(choice):
            return accept(query, _span(text, body), choice, ())
    return _preferred(query, text, body)


def _preferred(query: Query, text: str, body: str) -> Reading | None:
    """`feature, not bug`: one choice instead of another."""
    chosen, denied, other = body.partition(", not ")
    words = [word for word in literals(query.document, query.document) if isinstance(word, str)]
    if denied and chosen != other and chosen in words and other in words and query.is_valid(chosen):
        return accept(query, _span(text, chosen), chosen, ())
    return None


def wanted_kinds(query: Query) -> list[str]:
    """The types that the schema allows."""
    return [
        name
        for name in ("integer", "number", "boolean", "string", "null")
        if name in query.kinds and not (name == "integer" and "number" in query.kinds)
    ]


def accept(query: Query, span: Span, value: Json, repairs: tuple[Repair, ...]) -> Reading:
    """The reading of a value that was found, checked against the schema.

    An integer with a point is an int where the schema allows only integers, or names it.
    """
    document = query.document
    if isinstance(value, float) and value.is_integer() and not in_digits(document, document):
        named = literals(document, document)
        if "number" not in query.kinds or any(isinstance(n, int) and n == value for n in named):
            value = as_integer(value)
    if query.is_valid(value):
        return Reading(value, span, repairs=repairs)
    if isinstance(value, float) and "integer" in query.kinds and "number" not in query.kinds:
        message = say("must-be", wanted=kinds(["integer"]), found=repr(value))
        violation = Violation((), message, "type", brief(value), "integer", span)
        return Reading(reason="wrong-schema", span=span, errors=(violation,))
    return Reading(reason="wrong-schema", span=span, errors=query.violations(value, span))
