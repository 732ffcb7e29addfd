"""The English of all that a feedback says, by key. A table in another language has the same keys.

Texts have their fields in braces, functions have them as parameters. `items` are tuples of texts,
`number` and `more` are integers, all others are texts. A message follows its subject: "Your output"
and "is cut off" make a sentence. Values of the reply (`found`) and names of types stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _row(last: str) -> Callable[[tuple[str, ...], int], str]:
    """Words in a row; `more` were left out."""

    def text(items: tuple[str, ...], more: int) -> str:
        if more:
            return f"{', '.join(items)} and {more} more"
        return last.join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)

    return text


def _count(one: str, many: str) -> Callable[[int], str]:
    def text(number: int) -> str:
        return f"{number} {one if number == 1 else many}"

    return text


def _missing(items: str, number: int) -> str:
    return f"is missing {'a field' if number == 1 else 'fields'}: {items}"


def _unnecessary(items: str, number: int) -> str:
    return f"has {'an unnecessary key' if number == 1 else 'unnecessary keys'}: {items}"


def _fields(items: str, number: int) -> str:
    return f" with the {'field' if number == 1 else 'fields'} {items}"


def _other_language(lang: str, number: int, found: str) -> str:
    blocks = "block" if number == 1 else "blocks"
    return f"holds no code block in `{lang}`, only {number} {blocks} {found}"


def _more_errors(number: int) -> str:
    return "There is 1 more error." if number == 1 else f"There are {number} more errors."


def _as_said(text: str, reason: str, found: str, wanted: str) -> str:  # noqa: ARG001 - for other languages
    """A message that has no key of its own."""
    return text


_LISTS: Mapping[str, Callable[..., str]] = {
    "list": _row(", "),
    "list-or": _row(" or "),
    "list-and": _row(" and "),
    "characters": _count("character", "characters"),
    "elements": _count("element", "elements"),
    "fields": _count("field", "fields"),
}

_FRAME: Mapping[str, str | Callable[..., str]] = {
    "as-said": _as_said,
    "sentence": "{subject} {message}.",
    "output": "Your output",
    "field": "Field `{name}` of your output",
    "part": "`{path}`",
    "each-of": "Each of {items}",
    "more-errors": _more_errors,
    "at-least-more-errors": "There are at least {number} more errors.",
    "perhaps-more-errors": "There may be more errors.",
    "cannot-find": "I cannot find {wanted} in your output.",
    "cannot-choose": "I do not know which answer to take.",
    "cannot-parse": "I cannot parse your output.",
    "incomplete": "Your answer is not complete.",
    "a-code-block": "a code block",
    "a-task-list": "a task list",
    "a-text": "text",
    "a-yes-or-no": "yes or no",
}
"""The sentences around messages: what a feedback begins with, and whom a message is about."""

_ADVICE: Mapping[str, str | Callable[..., str]] = {
    "be-shorter": "Answer more shortly, so that the whole answer fits.",
    "be-simpler": "Give me a shorter and simpler answer.",
    "double-backslashes": "Write `\\\\` for each backslash in a string.",
    "be-complete": "Write out all of the answer, and leave nothing out.",
    "be-specific": "Please be specific. {advice}",
    "say-yes-or-no": "Just say yes or no.",
    "give-code": "Give me just 1 code block, between lines of three backticks.",
    "give-code-in": "Give me just 1 code block in {lang}, between lines of three backticks.",
    "give-tasks": ("Give me just 1 task list, each line of which begins with `- [ ]` or `- [x]`."),
    "give-text": "Give me just the text.",
    "give-bare-text": "Give me just that text, without quotes or other words.",
    "just-null": "Just say `null`.",
    "give-one": "Give me just 1 answer.",
    "give-fitting": "Give me 1 JSON value that fits the schema.",
    "answer-choice": "Answer with one of: {items}.",
    "give-choice": "Give me just one of: {items}.",
    "answer-value": "Answer with 1 {value}{details}.",
    "give-value": "Give me just 1 {value}{details}.",
    "a-json": "JSON {kind}",
    "with-fields": _fields,
    "with-items": " of {kinds}",
    "in-range": " from {low} to {high}",
    "with-least": " that is at least {low}",
    "with-most": " that is at most {high}",
    "as-boolean": ", `true` or `false`",
    "strings": "strings",
    "integers": "integers",
    "numbers": "numbers",
    "booleans": "booleans",
    "objects": "objects",
    "arrays": "arrays",
}
"""What to answer with."""

_WANTED: Mapping[str, str | Callable[..., str]] = {
    "at-least": "at least {bound}",
    "at-most": "at most {bound}",
    "more-than": "more than {bound}",
    "less-than": "less than {bound}",
    "a-multiple": "a multiple of {bound}",
    "a-match": "text that matches the pattern `{pattern}`",
    "a-format": "a valid {name}",
    "a-format-like": "a valid {name} such as {example}",
    "another-value": "another value",
    "another-key": "another key",
    "nothing": "nothing",
    "no-other-keys": "no other keys",
    "no-other-keys-than": "no other keys than {items}",
    "such-elements": "{bound} fitting `{schema}`",
    "one-alternative": "a value that fits exactly 1 of the {number} alternatives",
    "some-variant": "a value that fits one of the {number} variants",
    "none-of-those": "not {items}",
    "all-but": "what does not fit `{schema}`",
    "a-fit": "a value that fits",
}
"""What should stand in a place."""

_MESSAGES: Mapping[str, str | Callable[..., str]] = {
    "type": "has a wrong type: it must be {wanted}, not `{found}`",
    "must-be": "must be {wanted}, not {found}{hint}",
    "must-be-one-of": "must be one of {wanted}, not {found}{hint}",
    "too-small": "is too small: make sure that the value is {wanted}, not {found}",
    "too-big": "is too big: make sure that the value is {wanted}, not {found}",
    "too-short": "is too short: make sure that it has {wanted}, not {found}",
    "too-long": "is too long: make sure that it has {wanted}, not {found}",
    "too-few": "has too few fields: make sure that it has {wanted}, not {found}",
    "too-many": "has too many fields: make sure that it has {wanted}, not {found}",
    "pattern": "does not match the pattern `{pattern}`: {found}",
    "same": "is the same as `{path}`, and no two elements may be equal",
    "missing": _missing,
    "missing-tag": "is missing a field: {name}, which must be {wanted}",
    "missing-beside": "has the field `{name}`, so it {missing}",
    "unnecessary": _unnecessary,
    "unknown": "must not be there",
    "or-left-out": "{why}; if it has no value, leave it out",
    "bad-key": "has a key that is not allowed: {found}",
    "bad-key-why": "has the key {found}, which {why}",
    "contains": "must have {wanted}, not {found}",
    "several-fit": "must fit exactly 1 of the {number} alternatives, but fits number {items}",
    "no-variant": "fits none of the {number} variants. What follows is about the nearest one",
    "forbidden-keys": "must not have {items}",
    "forbidden-values": "must not be {items}",
    "forbidden": "must not fit `{schema}`, but {found} does",
    "misfit": "does not fit",
    "did-you-mean": " (did you mean {near}?)",
    "key": "`{name}`{hint}",
}
"""What is wrong with a part of an answer."""

_NUMBERS: Mapping[str, str | Callable[..., str]] = {
    "number-or-fraction": "may be a thousand or a fraction: digits alone would be clear",
    "part-of-date": "is a date, a time or a version",
    "part-of-name": "is part of a name",
    "ordinal": "is an ordinal number, or part of a date",
    "list-number": "numbers a list",
    "part-of-calculation": "is part of a calculation",
    "part-of-formula": "is part of a formula",
    "no-plain-number": "is no plain number",
    "with-unit": "has a unit, or is part of a larger number",
    "sign-in-words": "has its sign in words: `-` would be clear",
    "only-a-bound": "is a bound, or counts something else",
    "part-of-number": "may be part of one number",
    "long-number": "has more than {number} digits",
    "large-number": "is too large",
    "small-number": "is too small",
    "precise-number": "is too precise",
}
"""Why a number in a text is no answer."""

_READING: Mapping[str, str | Callable[..., str]] = {
    "holds-no": "holds no {wanted}",
    "only-in-reasoning": "holds an answer in its reasoning only, and none behind it",
    "a-task-list-of": "task list",
    "a-code-block-of": "code block",
    "many-candidates": "has more than {number} candidates",
    "several-answers": (
        "has more than 1 candidates: {number} different answers, `{one}` and `{other}`; "
        "they differ at `{path}`: {found}"
    ),
    "several-scalars": "has more than 1 candidates for {wanted}: {found}",
    "one-fits": "has more than 1 candidates: one fits, and `{other}` {why}",
    "one-clear": "has more than 1 candidates for {wanted}: {one}, and `{other}`, which {why}",
    "unclear": "says nothing clear: `{found}` {why}",
    "two-ways": "fits as it is, and as a tool call that holds the answer",
    "cut-off": "is cut off at `{found}`",
    "placeholder": "has the placeholder `{found}` where a value belongs",
    "stands-for-data": "has `{found}` where data belongs",
    "leaves-out": "leaves something out at `{found}`",
    "breaks": "breaks at `{found}`: {why}",
    "breaks-at-end": "breaks at its end: {why}",
    "expected-key": "a key in double quotes was expected",
    "expected-colon": "a colon was expected",
    "expected-comma": "a comma or a closing bracket was expected",
    "expected-value": "a value was expected",
    "raw-line-break": "a raw line break or tab stands in a string",
    "open-string": "a string is not closed",
    "no-escape": "a backslash in a string begins no escape",
    "no-code-point": "a \\u in a string needs four hexadecimal digits",
    "more-behind": "something follows the value",
    "last-comma": "a comma stands before the closing bracket",
    "lone-backslash": "has a backslash in a string that may stand for itself: `{found}`",
    "broken-escape": "has a broken escape in a string",
    "wrong-closer": "has a `{found}` that closes nothing",
    "uncertain-string": "it is not certain where the string that begins there ends",
    "doubled-key": "has the key `{name}` twice with different values",
    "no-number": "holds `{found}`, which is no JSON number",
    "number-too-large": "holds a number that is too large: {found}",
    "number-too-small": "holds a number that is too small: {found}",
    "number-too-precise": "holds a number that is too precise: {found}",
    "too-many-digits": "holds an integer of more than {number} digits",
    "unclosed": "lacks a closing bracket",
    "headless": "is the value of a key, in an object that never begins",
    "surplus-closer": "has a closing bracket too many, and it is not certain which",
    "in-string": "stands in a string that is open around it",
    "comment-against": "has a comment that may change its data: `{found}`",
    "words-in-brackets": "may be no list, but words in brackets",
    "goes-on": "goes on behind the bracket that closes it",
    "too-deep": "is nested deeper than {number} brackets",
    "nested-too-deep": "is nested too deeply",
    "too-many-characters": "is longer than {number} characters",
    "takes-too-long": "takes too long to check against a pattern of the schema",
    "unusable-pattern": "cannot be checked, for the schema has a pattern that is none: {why}",
    "forbidden-by-schema": "is forbidden by the schema",
    "nothing-fits": "cannot fit: the schema allows no value at all",
    "half-character": "holds half of a character: `{found}` needs its other half, a surrogate",
    "tag-amid-line": "has a reasoning tag, `{tag}`, amid a line, and never ends it",
    "tag-amid-text": "has a tag of reasoning, `{tag}`, amid its text",
    "endless-reasoning": "never ends its reasoning, which `{tag}` begins",
    "behind-turn": "goes on behind the token `{token}`, which ends a turn",
    "tasks": _count("task", "tasks"),
    "several-lists": "has multiple task lists: {number}",
    "mixed-markers": "has a task list with different markers",
    "stray-line": "has a line beside its tasks that is none: `{found}`",
    "leaves-tasks-out": "leaves tasks out at `{found}`",
    "empty-block": "holds an empty code block",
    "block-in-block": "has a code block in which another one begins",
    "block-cut-off": "has a code block that is cut off at `{found}`",
    "leaves-code-out": "leaves code out at `{found}`",
    "other-language": _other_language,
    "several-blocks": "has more than 1 code block: {number} different blocks",
    "both-yes-and-no": "says both yes and no",
    "neither-yes-nor-no": "says neither yes nor no clearly",
    "not-null": "is not null",
    "only-a-float": "must be `integer`, but I can only find a float literal: {found}",
}
"""What is wrong with a whole reply."""

ENGLISH: Mapping[str, str | Callable[..., str]] = {
    **_LISTS,
    **_FRAME,
    **_ADVICE,
    **_WANTED,
    **_MESSAGES,
    **_NUMBERS,
    **_READING,
}
"""Key -> English."""
