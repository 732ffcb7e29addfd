"""Feedback in other words: every sentence has a key, and a table may replace each."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import pdl
from pdl.reply.feedback import feedback_in, fields_of
from pdl.reply.phrases import ENGLISH, Phrase, Words, say, translate
from pdl.reply.validation.json_types import KINDS

SOURCES = sorted(Path(pdl.__file__).parent.joinpath("reply").rglob("*.py"))


def said() -> list[ast.Call]:
    """Each place in the sources that makes a phrase."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "say"]


def keys(node: ast.expr) -> set[str]:
    """The keys that an expression may stand for: constants, and choices between them."""
    if isinstance(node, ast.Constant):
        return {str(node.value)}
    return keys(node.body) | keys(node.orelse) if isinstance(node, ast.IfExp) else set()


def test_every_phrase_that_is_said_is_in_the_table_with_its_fields() -> None:
    for call in said():
        names = {keyword.arg for keyword in call.keywords}
        for key in keys(call.args[0]):
            assert key in ENGLISH, key
            assert names == set(fields_of(key)), key


def test_every_phrase_of_the_table_is_said() -> None:
    """By its key, or by a key that stands in a table of the sources."""
    written = {
        node.value
        for path in SOURCES
        if path.name != "english.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
    }
    typed = {key for key in ENGLISH if re.match(r"(?:a|one|many)-[a-z]+$", key)}
    assert {f"a-{kind}" for kind in KINDS} <= typed
    assert set(ENGLISH) - typed <= written


SAMPLES = {
    "subject": "Your output",
    "message": "is cut off",
    "kinds": "integers",
    "value": "one integer",
    "details": "",
    "hint": "",
    "missing": "is missing the required field `b`",
    "why": "is too large",
}
"""A value for each field whose value is part of a sentence; others are `x`."""
TOKENS = re.compile(r"`[^`]*`|\S+")


@pytest.mark.parametrize("key", ENGLISH)
@pytest.mark.parametrize("number", [0, 1, 2, 30])
def test_the_grammar_of_every_phrase(key: str, number: int) -> None:
    """With no item, one, two and many of them."""
    values: dict[str, Any] = {name: SAMPLES.get(name, "x") for name in fields_of(key)}
    if "items" in values and "more" in values:
        values["items"] = tuple(f"i{at}" for at in range(min(number, 12)))
    values |= {name: number for name in ("number", "more") if name in values}
    text = str(say(key, **values))
    plain = text.replace("`{found}`", "")
    assert "  " not in text
    assert not re.search(r"\{[a-z]+\}", plain), "a field is left"
    assert not re.search(r"\b1 (?!more\b|(?:of|or|and|is|in|was)\b)[a-z]+(?<!s)s\b", text)
    assert not re.search(r"\b(?:0|2|30) (?:character|item|field|task|error|digit|level)\b", text)
    assert not re.search(r"\b(?:is|are) no\b|\bI\b|\b[Pp]lease\b|\bholds?\b|\bstands?\b", text)
    if text.endswith("."):
        assert text[0].isupper() or key == "sentence"
        assert len(TOKENS.findall(text)) <= 20


@pytest.mark.parametrize(
    ("key", "items", "more", "text"),
    [
        ("list-and", ("a",), 0, "a"),
        ("list-and", ("a", "b"), 0, "a and b"),
        ("list-and", ("a", "b", "c"), 0, "a, b, and c"),
        ("list-and", ("a", "b"), 7, "a, b, and 7 more"),
        ("list-or", ("a", "b"), 0, "a or b"),
        ("list-or", ("a", "b", "c"), 0, "a, b, or c"),
        ("list-or", ("a", "b"), 1, "a, b, or one of 1 more"),
    ],
)
def test_rows(key: str, items: tuple[str, ...], more: int, text: str) -> None:
    assert say(key, items=items, more=more) == text


GERMAN: Words = {
    "sentence": "{subject} {message}.",
    "output": "Deine Ausgabe",
    "field": "Das Feld `{name}` deiner Ausgabe",
    "type": "hat den falschen Typ: es muss {wanted} sein, nicht {found}",
    "list-or": lambda items, more: " oder ".join(items) + (f" und {more} weitere" if more else ""),
    "missing": lambda items, number: f"fehlt {'das Feld' if number == 1 else 'die Felder'} {items}",
    "must-have": "muss {wanted} haben, nicht {found}",
    "at-most": "höchstens {bound}",
    "elements": lambda number: f"{number} Element" + ("" if number == 1 else "e"),
    "list-and": lambda items, more: " und ".join(items) + (f" und {more} weitere" if more else ""),
    "a-integer": "eine ganze Zahl",
    "a-string": "ein Text",
    "a-null": "`null`",
    "correct": lambda number: f"Berichtige {'den' if number == 1 else 'die'} Fehler.",
    "as-said": lambda text, reason, found, wanted: f"taugt nicht ({reason}: {found})",  # noqa: ARG005
}


@pytest.mark.parametrize(
    ("dsl", "reply", "german"),
    [
        (
            "{ a: int?, b: [int]<,1> }",
            '{"a": "x", "b": [1, 2]}',
            (
                "Das Feld `a` deiner Ausgabe hat den falschen Typ: "
                "es muss eine ganze Zahl oder `null` sein, nicht ein Text.\n"
                "Das Feld `b` deiner Ausgabe muss "
                "höchstens 1 Element haben, nicht 2.\n"
                "Berichtige die Fehler."
            ),
        ),
        (
            "{ a: int, b: int }",
            "{}",
            "Deine Ausgabe fehlt die Felder `a` und `b`.\nBerichtige den Fehler.",
        ),
        (
            "{ a: str<3,> }",
            '{"a": "x"}',
            (
                "Das Feld `a` deiner Ausgabe muss at least 3 characters haben, nicht 1.\n"
                "Berichtige den Fehler."
            ),
        ),
    ],
)
def test_other_words_are_used_and_english_stands_in(dsl: str, reply: str, german: str) -> None:
    schema = pdl.Schema.parse(dsl)
    assert feedback_in(GERMAN, schema, pdl.check(schema, reply)) == german


def test_a_message_without_a_key_can_be_replaced_by_its_reason() -> None:
    schema = pdl.Schema.parse("yesno")
    words: Words = {"as-said": lambda text, reason, found, wanted: f"ist {reason}"}  # noqa: ARG005
    check = pdl.check(schema, "Yes. No!")
    assert check.reason is not None
    told = feedback_in(words, schema, check)
    assert isinstance(check.errors[0].message, Phrase) or f"ist {check.reason}" in told


def test_a_good_check_has_no_feedback_in_any_words() -> None:
    schema = pdl.Schema.parse("{ a: int }")
    assert feedback_in(GERMAN, schema, pdl.check(schema, '{"a": 1}')) == ""


def test_no_words_at_all_give_the_english() -> None:
    schema = pdl.Schema.parse("{ a: int, b: str }")
    for reply in ("", "{", '{"a": "x", "c": 1}', '{"a": 1, "b": ""} {"a": 2, "b": ""}', "[...]"):
        check = pdl.check(schema, reply)
        assert feedback_in({}, schema, check) == check.feedback


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"too-deap": "x"}, "no phrase has the key `too-deap`: did you mean `too-deep`?"),
        (
            {"must-have": "{wantd}"},
            "phrase `must-have` has no field `wantd`, its fields are: wanted, found",
        ),
        ({"output": "{name}"}, "phrase `output` has no field `name`, its fields are: none"),
    ],
)
def test_wrong_words_are_refused(words: Words, message: str) -> None:
    schema = pdl.Schema.parse("int")
    with pytest.raises(ValueError, match="phrase") as raised:
        feedback_in(words, schema, pdl.check(schema, "x"))
    assert str(raised.value) == message


def test_phrases_are_texts_that_can_be_copied_and_sent() -> None:
    phrase = say("must-have", wanted=say("at-most", bound=say("elements", number=2)), found="3")
    assert phrase == "must have at most 2 items, not 3"
    copies: list[Any] = [pickle.loads(pickle.dumps(phrase)), copy.deepcopy(phrase)]  # noqa: S301
    for made in copies:
        assert made == phrase
        assert translate(made, GERMAN) == "muss höchstens 2 Elemente haben, nicht 3"


def test_braces_of_a_reply_are_no_fields() -> None:
    schema = pdl.Schema.parse('{ a: "x" | "y" }')
    check = pdl.check(schema, '{"a": "{found}"}')
    assert 'not "{found}"' in check.feedback
    assert 'not "{found}"' in feedback_in(GERMAN, schema, check)


def test_more_errors_than_are_counted_are_mentioned() -> None:
    reply = json.dumps(["x"] * 1_200)
    check = pdl.check(pdl.Schema.parse("[int]"), reply)
    assert len(check.errors) == 1_000
    assert "\nYour output might have more errors.\n" in check.feedback
    assert "(and at least 999 more; characters 0 to 6000)" in check.summary
