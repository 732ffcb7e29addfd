"""Laws of answers in prose: a number that is given is one that is said, and nothing crashes."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

import pdl

PIECES = [
    *("5", "42", "-7", "1,000", "1.000", "3.5", "2024-05-31", "v2", "10%", "7 km", "1st", "３"),
    *("yes", "no", "nein", "oui", "true", "false", "null", "positive", "negative", "not positive"),
    *("Answer:", "Final answer:", "The answer is", "答案是", "Ответ:", "Explanation:", "because"),
    *("not", "or", "and", "however,", "maybe", "if", "I cannot say", "Wait,", "= ", "+ ", "####"),
    *("\\boxed{", "}", "**", "`", "(", ")", "[", "]", "{", '"', "- ", "- [ ] a", "1. ", "> ", "…"),
    *(".", ",", ":", "?", "!", "\n", "\n\n", " ", "```", "```py", "~~~", "<answer>", "</answer>"),
    *(
        "<think>",
        "</think>",
        "etc.",
        "... and 3 more",
        "apples",
        "を",
        "है",
        "ä",
        "😀",
        "\\",
        "\u200b",
    ),
]
REPLIES = st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join) | st.lists(
    st.sampled_from(PIECES), max_size=14
).map("".join)
SCHEMAS = {
    name: pdl.Schema.parse(name)
    for name in (
        *("int", "float", "bool", "yesno", "int?", "date", "email", "code", "tasklist"),
        *('"positive" | "negative"', 'code { lang: "py" }', "1 | 5 | 42"),
    )
}
CLEAR = [
    *("{}", "{}.", "**{}**", "`{}`", "The answer is {}.", "Answer: {}", "Antwort: {}", "答案：{}"),
    *("So the total is {}.", "\\boxed{{{}}}", "3 + 4 = 7\n\nFinal answer: {}", "#### {}", "= {}"),
    *("<answer>{}</answer>", "{} is the answer.", "{}, because nothing else fits.", "* {}"),
    *("<think>1 or 2?</think>\n{}", "```\n{}\n```", "I count {} birds.", "Réponse : {}"),
]
LANGUAGES = [
    *("The answer is {}.", "Final answer: {}", "I'd say {}.", "So it is {}."),
    *("Die Antwort ist {}.", "Ergebnis: {}", "Die Antwort lautet **{}**."),
    *("La réponse est {}.", "Résultat : {}", "C'est {}."),
    *("La respuesta es {}.", "Resultado: {}", "Respuesta final: {}"),
    *("A resposta é {}.", "Resultado: **{}**", "La risposta è {}.", "Risultato: {}"),
    *("Het antwoord is {}.", "Resultaat: {}", "Ответ: {}", "Это {}."),
    *("答案是{}。", "答案：{}", "答えは{}です。", "回答：{}", "정답은 {}입니다.", "답: {}"),
    *("الإجابة هي {}.", "الجواب: {}", "Cevap: {}", "Sonuç: {}"),
]
"""Places of an answer in each language, for numbers and words."""

NOWHERE = [
    *("It isn't {}.", "Is it {}?", "See page {}.", "Das ist nicht {}.", "Ce n'est pas {}."),
    *("No es {}.", "Не {}.", "不是{}。", "{}ではない。", "Room {}", "Expected: {}", "Example: {}"),
    *("If it is {}, fine.", "Student's answer: {}", "```py\nprint({})\n```", "The limit is {}."),
]
"""Where a number is named, and no answer."""


@given(REPLIES, st.sampled_from(sorted(SCHEMAS)))
def test_any_reply_is_read_or_refused(reply: str, name: str) -> None:
    """Whatever a reply is made of, it gives a value or a reason, and words on it."""
    check = pdl.check(SCHEMAS[name], reply)
    assert check.ok == (not check.errors) == (not check.feedback)
    assert all(0 <= at <= len(reply) for at in check.span or ())


@given(REPLIES)
def test_a_number_that_is_given_is_said(reply: str) -> None:
    """No digit is dropped, added, or taken out of a larger number."""
    check = pdl.check(SCHEMAS["int"], reply)
    if check.ok:
        said = re.findall(r"[\d.,]*\d", reply.replace("３", "3"))
        assert str(abs(check.value)) in {one.replace(",", "").lstrip(".") for one in said}


@given(st.integers(-(10**12), 10**12), st.sampled_from(CLEAR))
def test_a_clear_number_is_found(number: int, shape: str) -> None:
    """A whole number in the place of an answer is that answer."""
    check = pdl.check(SCHEMAS["int"], shape.format(number))
    assert check.value == number, check.feedback


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9), st.sampled_from(CLEAR[:12]))
def test_two_numbers_are_no_answer(one: int, other: int, shape: str) -> None:
    """Two that differ in the place of an answer are none, whichever comes first."""
    reply = f"{shape.format(one)}\n\n{shape.format(other)}"
    check = pdl.check(SCHEMAS["int"], reply)
    assert not check.ok or one == other


@given(st.sampled_from(["positive", "negative", "neutral", 7, 42, -3]), st.sampled_from(LANGUAGES))
def test_an_answer_is_found_in_each_language(value: str | int, shape: str) -> None:
    """Every language that is documented has labels and copulas that lead to an answer."""
    schema = pdl.Schema.parse('int | "positive" | "negative" | "neutral"')
    check = pdl.check(schema, shape.format(value))
    assert check.value == value, check.feedback


@given(st.integers(2, 10**6), st.sampled_from(NOWHERE))
def test_a_number_in_no_place_is_absent(number: int, shape: str) -> None:
    """A number that is denied, asked about, or a part of something else is no answer."""
    assert pdl.check(SCHEMAS["int"], shape.format(number)).reason == "absent"


@given(st.integers(0, 10), st.sampled_from(["{}/10", "{} out of 10", "{} von 10", "{} sur 10"]))
def test_a_rate_is_its_first_number(number: int, shape: str) -> None:
    """Where the second number is the most that the schema allows, the first is the answer."""
    check = pdl.check(pdl.Schema.parse("int<0,10>"), f"I'd rate it {shape.format(number)}.")
    assert check.value == number, check.feedback
    assert not pdl.check(pdl.Schema.parse("int<0,9>"), f"I'd rate it {number}/10.").ok
