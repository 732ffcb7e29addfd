"""Feedback for the model: the errors of a reply and what to return; and a summary for people.

The last sentence is one imperative that a model can act on. For other languages, pass a table with
the keys of `ENGLISH` and other values.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from string import Formatter
from typing import TYPE_CHECKING, Any

from pdl._types import JsonPath, format_path
from pdl.errors import did_you_mean
from pdl.reply.phrases import ENGLISH, Phrase, brief, kinds, quoted, row, say, shown_key, translate
from pdl.reply.query import form_of
from pdl.reply.result import Check
from pdl.reply.validation.messages import is_full
from pdl.reply.validation.schema_walk import branches, only_literals, required_names, root_kinds
from pdl.schema import Schema
from pdl.schema.model import schema_type_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdl._types import Json, JsonSchema
    from pdl.reply.phrases import Words
    from pdl.reply.result import Violation


_ALONE = {"null": "give-null", "boolean": "give-boolean"}
_FORMS = {"yesno": "say-yes-or-no", "tasklist": "give-tasks", "text": "give-text"}
_SCALARS = frozenset(["string", "integer", "number", "boolean", "null"])
_FEW = 3  # types that are named one by one


def is_scalar(schema: Schema | None) -> bool:
    """Whether the answer is JSON, and neither an object nor an array."""
    if schema is None or form_of(schema) != "json":
        return False
    return root_kinds(schema.document, schema.document) <= _SCALARS


def instruction(schema: Schema | None) -> Phrase:
    """Return the sentence that tells a model what to return."""
    form = form_of(schema)
    if schema is None or form in _FORMS:
        return say(_FORMS[form])
    if form == "code":
        return say("give-code-in", lang=schema.lang) if schema.lang else say("give-code")
    return _json(schema.document)


def _json(document: JsonSchema) -> Phrase:
    names = _named(document, document)
    values = only_literals(document) if _SCALARS.issuperset(names) else []
    if values:
        return say("give-choice", items=row(dict.fromkeys(map(_literal, values)), "list-or"))
    if len(names) != 1:
        few = 1 < len(names) <= _FEW
        return say("give-choice", items=kinds(names)) if few else say("give-fitting")
    [kind] = names
    if kind in _ALONE:
        return say(_ALONE[kind])
    return say("give-value", value=say(f"one-{kind}"), details=_details(document, kind))


def _named(document: JsonSchema, schema: Json) -> list[str]:
    """The types that a schema allows, an integer among numbers not by itself."""
    found = root_kinds(document, schema)
    return sorted(kind for kind in found if not (kind == "integer" and "number" in found))


def _literal(value: Json) -> str:
    return f"`{value if isinstance(value, str) else brief(value)}`"


def _details(document: JsonSchema, kind: str) -> str:
    """The bounds of a number, the items of an array, the fields of an object."""
    if kind == "object":
        names = required_names(document, document)
        items = row(quoted(map(shown_key, names)))
        return say("with-fields", items=items, number=len(names)) if names else ""
    found = [branch for branch in branches(document, document) if "type" in branch]
    if len(found) != 1:
        return ""
    return _items(document, found[0]) if kind == "array" else _range(found[0])


def _items(document: JsonSchema, array: Mapping[str, Any]) -> str:
    items = array.get("items")
    found = _named(document, items) if isinstance(items, dict) else []
    if len(found) != 1 or found == ["null"]:
        return ""
    return say("with-items", kinds=say(f"many-{found[0]}"))


def _range(number: Mapping[str, Any]) -> str:
    low, high = number.get("minimum"), number.get("maximum")
    if low is not None and high is not None:
        return say("in-range", low=brief(low), high=brief(high))
    if low is not None:
        return say("with-least", low=brief(low))
    return say("with-most", high=brief(high)) if high is not None else ""


_PATH_WIDTH = 120  # characters of a path that are written
_LISTED = 10  # violations that feedback names
_MANY = 3  # equal violations of elements that share one sentence

_FIRST_AID = {"lone-backslash": "double-backslashes", "broken-escape": "double-backslashes"}
"""Advice before the last sentence, by the key of the first message."""
_BY_KEY = {"too-many-characters": "be-shorter", "endless-reasoning": "close-reasoning"}
_BY_REASON = {"truncated": "be-shorter", "elided": "be-complete", "limit": "be-simpler"}
"""The last sentence, by the key of the first message or else by the reason."""


def feedback(schema: Schema | None, check: Check) -> str:
    """Return the feedback of a check that failed, a sentence a line."""
    return "\n".join(lines(schema, check))


def lines(schema: Schema | None, check: Check) -> list[Phrase]:
    """Return the sentences of the feedback: each error with its path, then advice."""
    key = _message(check.errors[0]).key
    aid = [say(_FIRST_AID[key])] if key in _FIRST_AID else []
    return [*_violations(check), *aid, _advice(schema, check, key)]


def summary(check: Check) -> str:
    """Return one line for people: the reason, the first violation, and how many more there are."""
    first, *others = check.errors
    path = _path_of(first)
    subject = f"`{_place(path)}`" if path else "the reply"
    least = "at least " if is_full(check.errors) else ""
    notes = [f"and {least}{len(others)} more"] if others else []
    if check.span:
        notes.append(f"characters {check.span[0]} to {check.span[1]}")
    aside = f" ({'; '.join(notes)})" if notes else ""
    return f"{check.reason}: {subject} {first.message}{aside}"


def _violations(check: Check) -> list[Phrase]:
    groups = _alike(check.errors)
    shown = [_sentence(*group) for group in groups[:_LISTED]]
    more = sum(map(len, groups[_LISTED:]))
    full = is_full(check.errors)
    if more:
        shown.append(say("at-least-more-errors" if full else "more-errors", number=more))
    elif full:
        shown.append(say("perhaps-more-errors"))
    return shown


def _alike(errors: Sequence[Violation]) -> list[list[Violation]]:
    """Group the violations of many elements that have the same message; keep the order."""
    groups: dict[tuple[object, ...], list[Violation]] = {}
    for error in errors:
        place = tuple(step if isinstance(step, str) else None for step in error.path)
        groups.setdefault((place, error.message), []).append(error)
    found: list[list[Violation]] = []
    for group in groups.values():
        found += [group] if len(group) >= _MANY else [[error] for error in group]
    return found


def _sentence(error: Violation, *others: Violation) -> Phrase:
    subject = _subject(_path_of(error))
    if others:
        paths = [_place(one.path) for one in (error, *others)]
        subject = say("each-of", items=row(quoted(paths), "list-and", most=_MANY))
    return say("sentence", subject=subject, message=_message(error))


def _message(error: Violation) -> Phrase:
    if isinstance(error.message, Phrase):
        return error.message
    return say(
        "as-said", text=error.message, reason=error.keyword, found=error.found, wanted=error.wanted
    )


def _path_of(error: Violation) -> JsonPath:
    """Where a message belongs: an ambiguity to the whole reply, though its answers have a path."""
    return () if error.keyword == "ambiguous" else error.path


def _subject(path: JsonPath) -> Phrase:
    if not path:
        return say("output")
    if len(path) == 1 and isinstance(path[0], str) and path[0].replace("-", "_").isidentifier():
        return say("field", name=path[0])
    return say("part", path=_place(path))


def _place(path: JsonPath) -> str:
    place = format_path(path)
    half = _PATH_WIDTH // 2
    return place if len(place) <= _PATH_WIDTH else f"{place[:half]}…{place[-half:]}"


def _advice(schema: Schema | None, check: Check, key: str) -> Phrase:
    """The last sentence: what to return."""
    first = check.errors[0]
    if advice := _BY_KEY.get(key) or _BY_REASON.get(str(check.reason)):
        return say(advice)
    if check.reason != "wrong-schema" or is_scalar(schema):
        return instruction(schema)
    if not first.path and (first.keyword == "type" or form_of(schema) == "code"):
        return instruction(schema)
    if form_of(schema) == "text" and first.keyword in {"format", "pattern"}:
        return say("give-bare-text")
    return say("correct", number=len(check.errors))


def feedback_in(words: Words, schema: Schema | None, check: Check) -> str:
    """Return the feedback of a check in the words of another table; empty for a check that is `ok`.

    Missing keys stay English. Raises ValueError for an unknown key or field and for an invalid
    template; TypeError for a value that is neither a string nor a function that returns one.
    """
    if not (schema is None or isinstance(schema, Schema)):
        raise schema_type_error(schema, "a pdl.Schema or None")
    if not isinstance(check, Check):
        raise TypeError(f"check must be a Check, not {type(check).__name__}")
    if not isinstance(words, Mapping):
        raise TypeError(f"words must be a mapping, not {type(words).__name__}")
    for key, text in words.items():
        _check(key, text)
    return "" if check.ok else "\n".join(translate(line, words) for line in lines(schema, check))


def fields_of(key: str) -> tuple[str, ...]:
    """Return the names of the fields of a phrase: those that its English text uses."""
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
        raise TypeError(f"phrase `{key}` must be a string or a function, not {type(text).__name__}")


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
