"""Translatable messages: each keeps its key and fields, so other languages can re-render it.

A message is a `str`, its English text. `ENGLISH` has all texts of feedback by key; tables of other
languages use these keys.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from pdl._types import Json


def _joined(word: str, rest: str) -> Callable[[tuple[str, ...], int], str]:
    """Items with a serial comma and a word before the last; `rest` is about those left out."""

    def text(items: tuple[str, ...], more: int) -> str:
        named = (*items, f"{rest}{more} more") if more else items
        if len(named) <= 2:  # noqa: PLR2004 - no comma between two
            return f" {word} ".join(named)
        return f"{', '.join(named[:-1])}, {word} {named[-1]}"

    return text


def _counted(text: str) -> Callable[[int], str]:
    """A template with `{number}`, and with `{s}` where the plural has an s."""

    def said(number: int) -> str:
        return text.format(number=number, s="" if number == 1 else "s")

    return said


def _listed(text: str) -> Callable[[str, int], str]:
    """A template with `{items}`, and with `{s}` where several of them take an s."""

    def said(items: str, number: int) -> str:
        return text.format(items=items, s="" if number == 1 else "s")

    return said


def _as_said(text: str, reason: str, found: str, wanted: str) -> str:  # noqa: ARG001 - for other languages
    """A message that has no key of its own."""
    return text


ENGLISH: Mapping[str, str | Callable[..., str]] = {
    # Lists and counts
    "list-and": _joined("and", ""),
    "list-or": _joined("or", "one of "),
    "characters": _counted("{number} character{s}"),
    "elements": _counted("{number} item{s}"),
    "fields": _counted("{number} field{s}"),
    "tasks": _counted("{number} task{s}"),
    # Types and forms of an answer
    "a-object": "a JSON object",
    "a-array": "a JSON array",
    "a-string": "a string",
    "a-integer": "an integer",
    "a-number": "a number",
    "a-boolean": "a boolean",
    "a-null": "`null`",
    "a-value": "a JSON value",
    "a-code-block": "a code block",
    "a-task-list": "a task list",
    "a-text": "text",
    "one-object": "one JSON object",
    "one-array": "one JSON array",
    "one-string": "one string",
    "one-integer": "one integer",
    "one-number": "one number",
    "many-object": "objects",
    "many-array": "arrays",
    "many-string": "strings",
    "many-integer": "integers",
    "many-number": "numbers",
    "many-boolean": "booleans",
    # Sentences, and what a message is about
    "as-said": _as_said,
    "sentence": "{subject} {message}.",
    "output": "Your output",
    "field": "Field `{name}` of your output",
    "part": "`{path}`",
    "each-of": "Each of {items}",
    "more-errors": _counted("Your output has {number} more error{s}."),
    "at-least-more-errors": _counted("Your output has at least {number} more error{s}."),
    "perhaps-more-errors": "Your output might have more errors.",
    # The next step: one imperative
    "correct": _counted("Correct the error{s} and return your whole output again."),
    "be-shorter": "Give a shorter answer so that all of it fits.",
    "be-simpler": "Give a shorter and simpler answer.",
    "be-complete": "Write out the whole answer, without `...` or placeholders.",
    "close-reasoning": "Close the reasoning, then write the answer.",
    "double-backslashes": "Write `\\\\` for each backslash in a string.",
    "say-yes-or-no": "Answer only `yes` or `no`.",
    "give-code": "Return only one code block, between lines of three backticks.",
    "give-code-in": "Return only one code block in `{lang}`, between lines of three backticks.",
    "give-tasks": "Return only one task list, in which every line begins with `- [ ]` or `- [x]`.",
    "give-text": "Return only the text.",
    "give-bare-text": "Return only the text, without quotes or other words.",
    "give-null": "Return only `null`.",
    "give-boolean": "Return only `true` or `false`.",
    "give-choice": "Return only {items}.",
    "give-fitting": "Return only one JSON value that matches the schema.",
    "give-value": "Return only {value}{details}.",
    "with-fields": _listed(" with the field{s} {items}"),
    "with-items": " of {kinds}",
    "in-range": " from {low} to {high}",
    "with-least": " of at least {low}",
    "with-most": " of at most {high}",
    # The expected value at a path
    "at-least": "at least {bound}",
    "at-most": "at most {bound}",
    "more-than": "greater than {bound}",
    "less-than": "less than {bound}",
    "a-multiple": "a multiple of {bound}",
    "a-match": "text that matches the pattern `{pattern}`",
    "a-format": "a valid {name}",
    "a-format-like": "a valid {name} such as {example}",
    "another-value": "another value",
    "nothing": "nothing",
    "no-other-keys": "no other fields",
    "no-other-keys-than": "no fields other than {items}",
    "such-elements": "{bound} matching `{schema}`",
    "one-alternative": _counted("a value that matches exactly one of {number} alternative{s}"),
    "some-variant": _counted("a value that matches one of {number} alternative{s}"),
    "none-of-those": "not {items}",
    "all-but": "a value that does not match `{schema}`",
    "a-fit": "a value that matches the schema",
    # Errors of a part of an answer
    "type": "has the wrong type: expected {wanted}, found {found}",
    "must-be": "must be {wanted}, not {found}",
    "must-have": "must have {wanted}, not {found}",
    "must-be-one-of": "must be {wanted}, not {found}{hint}",
    "pattern": "does not match the pattern `{pattern}`: {found}",
    "same": "equals `{path}`, but all items must be different",
    "missing": _listed("is missing the required field{s} {items}"),
    "missing-tag": "is missing the required field `{name}`, which must be {wanted}",
    "missing-beside": "has the field `{name}`, but {missing}",
    "unnecessary": _listed("has the unexpected field{s} {items}"),
    "unknown": "is not allowed here",
    "or-left-out": "{why}; if it has no value, leave it out",
    "bad-key-why": "has the field name {found}, which {why}",
    "several-fit": _listed("matches the alternative{s} {items}, but must match exactly one"),
    "no-variant": _counted(
        "matches none of {number} alternative{s}; the next errors are about the closest one"
    ),
    "forbidden-keys": "must not have {items}",
    "forbidden-values": "must not be {items}",
    "forbidden": "must not match `{schema}`, but {found} does",
    "misfit": "does not match the schema",
    "breaks-rule": "is not accepted: {text}",
    "is-no-instance": "is not a valid {name}: {why}",
    "did-you-mean": " (did you mean {near}?)",
    "key": "`{name}`{hint}",
    # Why a number in prose is not the answer
    "number-or-fraction": "might be a thousand or a fraction; write only digits",
    "part-of-date": "is a date, a time, or a version",
    "part-of-name": "is part of a name",
    "ordinal": "is an ordinal number or part of a date",
    "list-number": "numbers an item of a list",
    "part-of-calculation": "is part of a calculation",
    "part-of-formula": "is part of a formula",
    "no-plain-number": "is not a plain number",
    "with-unit": "has a unit or is part of a larger number",
    "sign-in-words": "spells out the sign; write `-`",
    "only-a-bound": "is a bound or counts something else",
    "part-of-number": "might be part of one number",
    "long-number": _counted("has more than {number} digit{s}"),
    "large-number": "is too large",
    "small-number": "is too small",
    "precise-number": "is too precise",
    # Why JSON cannot be read
    "breaks": "is not valid JSON at `{found}`: {why}",
    "breaks-at-end": "is not valid JSON at its end: {why}",
    "expected-key": "expected a key in double quotes",
    "expected-colon": "expected a colon",
    "expected-comma": "expected a comma or a closing bracket",
    "expected-value": "expected a value",
    "more-behind": "more text follows the value",
    "uncertain-string": "it is unclear where the string that begins there ends",
    "lone-backslash": "has a backslash in a string that might be meant literally: `{found}`",
    "broken-escape": "has an invalid escape in a string",
    "wrong-closer": "has an unmatched `{found}`",
    "doubled-key": "has the field `{name}` twice with different values",
    "no-number": "contains `{found}`, which is not a JSON number",
    "number-too-large": "contains a number that is too large: {found}",
    "number-too-small": "contains a number that is too small: {found}",
    "number-too-precise": "contains a number that is too precise: {found}",
    "too-many-digits": _counted("contains an integer of more than {number} digit{s}"),
    "unclosed": "is missing a closing bracket",
    "headless": "is missing an opening bracket",
    "surplus-closer": "has one closing bracket too many, and it is unclear which",
    "in-string": "is inside a string that is not closed",
    "words-in-brackets": "might be words in brackets rather than a list",
    "goes-on": "has data after its closing bracket that might belong inside it",
    "too-deep": _counted("is nested more than {number} level{s} deep"),
    "nested-too-deep": "is nested too deeply",
    "half-character": "contains an unpaired surrogate: `{found}`",
    # Errors of a whole reply
    "holds-no": "does not contain {wanted}",
    "many-candidates": _counted("contains more than {number} possible answer{s}"),
    "several-answers": (
        "contains {number} different answers: `{one}` and `{other}` differ at `{path}` ({found})"
    ),
    "several-scalars": "contains several answers where {wanted} was expected: {found}",
    "one-fits": "contains one answer that fits, but also `{other}`, which {why}",
    "one-clear": "contains {one} where {wanted} was expected, but also `{other}`, which {why}",
    "unclear": "gives no clear answer: `{found}` {why}",
    "in-comment": "is inside a comment or an element that contains no answer",
    "in-sentence": "is part of a sentence or a citation",
    "in-program": "is part of a program",
    "unmeant": "is not presented as your answer in the words before it",
    "contradicted": "is contradicted by a comment inside it",
    "taken-back": "is withdrawn by the words after it",
    "two-ways": "is an answer as it is, and also a tool call that contains an answer",
    "cut-off": "is cut off at `{found}`",
    "placeholder": "has the placeholder `{found}` instead of a value",
    "stands-for-data": "has `{found}` instead of data",
    "leaves-out": "omits data at `{found}`",
    "too-many-characters": _counted("is longer than {number} character{s}"),
    "takes-too-long": "takes too long to check against a pattern of the schema",
    "unusable-pattern": "cannot be checked, because the schema has an invalid pattern: {why}",
    "forbidden-by-schema": "is forbidden by the schema",
    "nothing-fits": "cannot be valid, because the schema allows no value",
    "tag-amid-line": "has a reasoning tag, `{tag}`, inside a line and does not close it",
    "tag-amid-text": "has a reasoning tag, `{tag}`, inside its text",
    "endless-reasoning": "does not close its reasoning, opened by `{tag}`",
    "behind-turn": "continues after the token `{token}`, which ends a turn",
    "several-lists": _counted("contains {number} different task list{s}"),
    "mixed-markers": "mixes different markers in its task list",
    "stray-line": "has a line among its tasks that is not a task: `{found}`",
    "leaves-tasks-out": "omits tasks at `{found}`",
    "empty-block": "contains an empty code block",
    "block-in-block": "has a code block that begins inside another one",
    "block-cut-off": "has a code block that is cut off at `{found}`",
    "leaves-code-out": "omits code at `{found}`",
    "other-language": "contains no code block in `{lang}`, only {number} {found}",
    "several-blocks": _counted("contains {number} different code block{s}"),
    "both-yes-and-no": "says both yes and no",
    "neither-yes-nor-no": "does not clearly say yes or no",
    "not-null": "is not `null`",
}


ROW = 12
"""Items that a row names at most."""

Words: TypeAlias = Mapping[str, str | Callable[..., str]]
"""Key -> a template with `{name}` for each field, or a function that is called with the fields.

The keys and their fields are those of `ENGLISH`, which is used for keys that are missing.
"""


class Phrase(str):
    """An English text with the key and the fields that it was made from."""

    __slots__ = ("fields", "key")

    key: str
    fields: Mapping[str, Any]

    def __new__(cls, key: str, fields: Mapping[str, Any]) -> Self:
        """Return the English text of a key. Raises KeyError for an unknown one."""
        phrase = super().__new__(cls, _said(ENGLISH[key], fields))
        phrase.key = key
        phrase.fields = fields
        return phrase

    def __getnewargs__(self) -> tuple[str, Mapping[str, Any]]:  # type: ignore[override]
        """The arguments for pickling and copying."""
        return self.key, self.fields


def say(key: str, **fields: Any) -> Phrase:
    """The phrase of a key. Fields are strings, numbers, phrases, and tuples of them."""
    return Phrase(key, fields)


def row(
    items: Iterable[str], key: str = "list-and", most: int = ROW, number: int | None = None
) -> Phrase:
    """Items as `list-and` or `list-or`; of very many only the first.

    `number` is how many there are, where `items` does not have all.
    """
    shown = tuple(items)
    number = len(shown) if number is None else number
    return say(key, items=shown[:most], more=max(0, number - most))


def kinds(names: Iterable[str]) -> Phrase:
    """JSON types as alternatives, each with its article: `an integer or "auto"`; literals stay."""
    keys = [(f"a-{name}", name) for name in names]
    return row((say(key) if key in ENGLISH else name for key, name in keys), "list-or")


def translate(text: str, words: Words) -> str:
    """Translate a phrase; any other text stays as it is.

    Missing keys stay English, also inside phrases that the table has.
    """
    if not isinstance(text, Phrase):
        return text
    fields = {name: _translated(field, words) for name, field in text.fields.items()}
    said = _said(words.get(text.key, ENGLISH[text.key]), fields)
    if not isinstance(said, str):
        raise TypeError(f"phrase `{text.key}` must return a string, not {type(said).__name__}")
    return said


def _translated(field: Any, words: Words) -> Any:
    if isinstance(field, tuple):
        return tuple(_translated(part, words) for part in field)
    return translate(field, words) if isinstance(field, str) else field


def _said(words: str | Callable[..., str], fields: Mapping[str, Any]) -> str:
    return words.format_map(fields) if isinstance(words, str) else words(**fields)


FOUND_WIDTH = 40
"""Characters of a value that a message quotes at most."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
_LISTED = 12  # words that a list in a message names at most


def brief(value: Json, width: int = FOUND_WIDTH) -> str:
    """A value as JSON, one level deep, cut to a width."""
    if isinstance(value, dict):
        parts = [
            f"{_scalar(name, width)}: {_part(part, width)}" for name, part in _first(value.items())
        ]
        return shorten("{" + ", ".join(parts) + "}", width)
    if isinstance(value, list | tuple):
        return shorten("[" + ", ".join(_part(part, width) for part in _first(value)) + "]", width)
    text = _scalar(value, width)
    if isinstance(value, str) and len(text) > width:
        return text[: width - 2].rstrip("\\ ") + '…"'
    return shorten(text, width)


def _first(items: Iterable[Json]) -> list[Json]:
    return [item for item, _ in zip(items, range(_LISTED), strict=False)]


def _part(value: Json, width: int) -> str:
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list | tuple):
        return "[…]" if value else "[]"
    return _scalar(value, width)


def _scalar(value: Json, width: int) -> str:
    if isinstance(value, str):
        value = value[: width + 1]
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 8 * width:
        return "a number of very many digits"
    return json.dumps(value, ensure_ascii=False, default=str)


def shorten(text: str, width: int = FOUND_WIDTH) -> str:
    """The text on one line, shortened to a width with an ellipsis."""
    text = " ".join(text[: 4 * width].split())
    return text if len(text) <= width else text[: width - 1] + "…"


def quoted(words: Iterable[str]) -> list[str]:
    """Each in backticks."""
    return [f"`{word}`" for word in words]


def shown_key(name: str) -> str:
    """A key as a message names it: as it is if it is a plain word, else as JSON."""
    plain = name.replace("-", "_").isidentifier()
    return shorten(name if plain else json.dumps(name[: FOUND_WIDTH + 1], ensure_ascii=False))


def excerpt(schema: Json, width: int = 80) -> str:
    """A schema as JSON, cut to a width; no more of it is written than that."""
    text = ""
    for piece in _ENCODER.iterencode(schema):
        text += piece
        if len(text) > width:
            break
    return shorten(text, width)


def line_before(text: str, at: int, since: int = 0, *, most: int = 200) -> str:
    """The part of a line before an offset; of a long line, its last `most` characters.

    It does not begin before the offset `since`.
    """
    return text[max(since, at - most) : at].rpartition("\n")[2]
