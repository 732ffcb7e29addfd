"""What stands in reasoning means nothing to the answer behind it: no word, bracket or fence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamed import closed

import pdl

ANSWERS = [
    (pdl.Schema.parse(dsl), answer)
    for dsl, answer in (
        ("{ [str]: int }", '{"b": 1}'), ("[int]", "[1, 2]"), ("any", '{"b": 1}'), ("int", "632"),
        ("float", "1.5"), ("bool", "true"), ("yesno", "yes"), ('"red" | "green"', "red"),
        ("str?", '"b"'), ("date", "2024-02-29"), ("code", "```\nx = 1\n```"),
        ('code { lang: "py" }', "```py\nx = 1\n```"), ("tasklist", "- [ ] We"), ("str", "Hello."),
    )
]  # fmt: skip
WORDS = [
    "Non", "Nein", "not", "never", "No:", "Wrong:", "Ignore this:", "Final answer:", "Old:",
    "The first part:", "Part 1", "The format would be:", "Here is an example:", "Correction:",
    "The original code:", "I cannot help, here is an example:", "<!--", "~~", "> ", "Is it",
    "<example>", "<del>", "The rest is omitted for brevity.", "Input:", "Draft:", "Suppose",
    "The user said:", "3 more tasks:",
]  # fmt: skip
FRAMES = [
    "<think>%s</think>\n%s", "<think>a\n%s\n</think>\n\n%s", "%s</think>\n\n%s",
    "a %s\n</think>\n%s", "[THINK]%s[/THINK]\n%s", "◁think▷%s◁/think▷\n\n%s",
]  # fmt: skip
PIECES = st.sampled_from(
    [*WORDS, "{", "}", "[", "]", '{"', '", "', '"', "'", ":", ",", "1", "6", '{"b": 2}', "[3]",
     "```", "```py\n", "~~~", "\n", "\n\n", " ", "a", "yes", "no", "green", "true", "- [ ] x\n",
     "//", "/*", "#", "\\", "<answer>", "</answer>", "[INST]", "<|im_end|>"]
)  # fmt: skip
THOUGHTS = st.lists(PIECES | st.text("ab {}[]\"'`\n", max_size=3), max_size=8).map("".join)


@pytest.mark.parametrize(("schema", "answer"), ANSWERS, ids=[answer for _, answer in ANSWERS])
def test_no_word_in_it_denies_or_marks(schema: pdl.Schema, answer: str) -> None:
    value = pdl.check(schema, answer).value
    replies = [frame % (word, answer) for word in WORDS for frame in FRAMES]
    wrong = {reply for reply in replies if pdl.check(schema, reply).value != value}
    assert not wrong


@given(st.sampled_from(ANSWERS), THOUGHTS, st.sampled_from(["\n", "\n\n"]))
def test_what_it_opens_is_closed_with_it(
    query: tuple[pdl.Schema, str], thought: str, apart: str
) -> None:
    schema, answer = query
    check = closed(schema, f"<think>{thought}</think>{apart}{answer}")
    assert (check.ok, check.value) == (True, pdl.check(schema, answer).value)


@given(st.sampled_from(ANSWERS), THOUGHTS, st.sampled_from(["\n", "\n\n"]))
def test_without_an_opener_it_is_never_the_answer(
    query: tuple[pdl.Schema, str], thought: str, apart: str
) -> None:
    schema, answer = query
    check = closed(schema, f"{thought}</think>{apart}{answer}")
    assert not check.ok or check.value == pdl.check(schema, answer).value


@pytest.mark.parametrize(
    ("dsl", "reply", "value"),
    [
        ("int", "a\n```b</think>\n\n6", 6),
        ("int", "a\n```py\nb</think>\n\n6", 6),
        ("{ [str]: int }", '{ "a</think>\n{"b": 2}', {"b": 2}),
        ("str", "```</think>\n\nHello.", "Hello."),
        ("str", "{//</think>\nHello.", "Hello."),
        ("code", "```</think>\n\n```\nx\n```", "x"),
    ],
)
def test_a_closer_ends_what_is_open(dsl: str, reply: str, value: object) -> None:
    assert closed(pdl.Schema.parse(dsl), reply).value == value


@pytest.mark.parametrize(
    ("dsl", "reply"),
    [
        # A string that is cut off may quote anybody.
        ("{ [str]: any }", '{"said": "so </think>\n\n{}'),
        ("[any]", '["so </think>\n\n[]'),
        ("{ [str]: any }", '```json\n{"said": "so </think>\n\n{}'),
        ("{ [str]: any }", '{"so </think> {}'),
        # A block that holds another one is none that was left open.
        ("code", "````md\nso</think>\n```py\nx\n```\n````\n```py\ny\n```"),
        # What stands in front of an opener is no thought.
        ("int", "1 <think>x\n</think>\n\n632"),
        # Two that differ, of which only a thought calls one final.
        ("int", "1\n<think>Final answer:</think>\n2"),
        ("{ [str]: int }", '{"a": 1}\n<think>Final answer:</think>\n{"a": 2}'),
        # A second thought behind an answer.
        ("{ [str]: int }", '{"a": 1}\n<think>\nWait, ignore that.\n</think>'),
    ],
)
def test_a_closer_in_data_or_a_word_of_a_thought_chooses_nothing(dsl: str, reply: str) -> None:
    assert not closed(pdl.Schema.parse(dsl), reply).ok
