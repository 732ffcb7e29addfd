"""Answers in prose: what stands where an answer does is one, and all else is refused."""

from __future__ import annotations

import pytest

import pdl


def check(schema: str, reply: str) -> pdl.Check:
    return pdl.check(pdl.Schema.parse(schema), reply)


FOUND: dict[str, dict[str, object]] = {
    "yesno": {
        "Yes, there is nothing odd about that.": True,
        "I would say yes.": True,
        "**Answer:** no": False,
        "**Answer**: no": False,
        "Unfortunately, no.": False,
        "Well, yes.": True,
        "Therefore, yes.": True,
        "I think yes": True,
        "Absolutely not": False,
        "Certainly not.": False,
        "Yes 👍": True,
        "Yes (90% confidence)": True,
        "1. No": False,
        "_No_": False,
        "no no": False,
        "no\xa0": False,
        "YES\u200b": True,
        "\\boxed{yes}": True,
        "$\\boxed{\\text{No}}$": False,
        "No, it is not so.": False,
        "No, that is wrong.": False,
        "Is it spam? Yes.": True,
        "The answer is yes.": True,
        "Nein, das stimmt nicht.": False,
        "Yes - it is spam": True,
        "Yes it is": True,
        "No": False,
        "NO!": False,
        "Yes, absolutely. The text is spam.": True,
        "Yes, I believe so.": True,
        "No, I can't find any mention of it.": False,
        "The text mentions a cat.\n\nYes": True,
        "yes, yes": True,
        "Sí.": True,
        "Oui": True,
        "是的。": True,
        "네, 맞습니다.": True,
        "The final answer is **No**.": False,
        "So the answer is no.": False,
        '"Yes"': True,
        "Answer = yes": True,
        "Yes, because it contains a link, and the sender is unknown.": True,
        "No. The text does not mention it.": False,
        "Yes. The text mentions no other city.": True,
    },
    '"positive" | "negative"': {
        "positive": "positive",
        "It is positive.": "positive",
        "Verdict: **negative**": "negative",
        "The tone is Positive.": "positive",
        "The sentiment of this review is positive.": "positive",
        "I would classify this as negative.": "negative",
        "I'd say positive": "positive",
        "**negative** is the answer": "negative",
        'The answer is "positive".': "positive",
        "positive, because the writer likes it": "positive",
        "Positive. The writer is happy.": "positive",
        "positive, not negative": "positive",
        "The review is clearly positive.": "positive",
        "Answer: positive": "positive",
        "**Answer:** positive": "positive",
        "The sentiment is **positive** overall.": "positive",
        "Classification: negative\n\nReason: the writer hates it.": "negative",
    },
    '"high" | "low" | "none"': {
        "It is low.": "low",
        "The urgency is high": "high",
        "none": "none",
        "None.": "none",
    },
    '"a" | "b" | "I"': {
        "The answer is b": "b",
        "b.": "b",
    },
    '"in" | "out" | "on" | "open"': {
        "It is open.": "open",
    },
    '"yes" | "no"': {
        "Yes, it is": "yes",
        "No.": "no",
        "The answer is no.": "no",
    },
    '"bug" | "feature"': {
        "feature, not bug": "feature",
        "This is a bug.": "bug",
    },
    "int": {
        "7": 7,
        "The result is 7.": 7,
        "The answer is 7 [1].": 7,
        "On 2024-05-31 at 10:30 there were 7 of them.": 7,
        "Total: **12**": 12,
        "The price is $5.": 5,
        "7, because nothing else is not even.": 7,
        "I had 5 at first, then 6. Final answer: 7": 7,
        "정답은 15입니다.": 15,
        "That makes 9 in all.": 9,
        "It costs 1,234,567 in all.": 1234567,
        "I take 3, yes, 3.": 3,
        "42.0": 42,
        "4.2e1": 42,
        "1e5": 100000,
        "100,000.00": 100000,
        "There are 12 apples in the box.": 12,
        "There are 12 apples.": 12,
        "x = 5": 5,
        "So the total is 8.": 8,
        "Score: 4": 4,
        "**4**": 4,
        "I'd rate this 4.": 4,
        "The total number of items is **12**.": 12,
        "Result = -3": -3,
        "About 7": 7,
        "* 5": 5,
        "Answer: 5 (five)": 5,
        "I count 4 birds.": 4,
        "The sum of the two is 12.": 12,
        "答案是15。": 15,
        "9007199254740993.0": 9007199254740993,
    },
    "int?": {
        "null": None,
        "5": 5,
    },
    "bool": {
        "The result is true": True,
        "False. The sum is 4, and it is not 5.": False,
        "Answer: **True**": True,
        "It is false.": False,
        "True": True,
        "true, true, true": True,
        "False, because that is wrong.": False,
    },
    "float": {
        "It is 6.02e23.": 6.02e23,
        "About .5": 0.5,
        "7": 7,
        "Answer: 2.50": 2.5,
    },
}
"""Schema -> replies -> the value of each."""

REFUSED: dict[str, list[str]] = {
    "yesno": [
        "Ja, nein",
        "Ja. Nein.",
        "Oui, mais non",
        "是，不是",
        "はい、いいえ",
        "Yes. Nein.",
        "Tak i nie",
        "Sí, pero no",
        "No, sí",
        "Non, oui",
        "No, ja",
        "Nein, ja doch",
        "I refuse to answer yes.",
        "I decline to say yes",
        "I hesitate to say yes",
        "Some say yes",
        "They would answer yes",
        "Could the answer be yes",
        "The answer may be yes",
        "The answer used to be yes",
        "Many would say no",
        "No, but yes in some cases",
        "Answer: Yes, I cannot tell",
        "Yes, I do not know.",
        "Yes. Scratch that.",
        "Yes. On reflection, that is wrong.",
        "Yes. Actually it is not.",
        "Yes, wait, it is not.",
        "No. Wait, it is.",
        "No. Actually, it is spam.",
        "Yes, I can help with that! It is not spam.",
        "Yes, I understand the question. The text is not spam.",
        "No, I cannot help with that.",
        "No, sorry, I cannot assist with that request.",
        "no or yes",
        "maybe",
        "I do not know that.",
        "Yesterday it rained.",
        "No one knows.",
        "No. 5 is alive.",
        "Yes... wait, no.",
        "Q1: Yes.\nQ2: No.",
        "If the answer is yes, we go.",
        "I can't say yes.",
        "Yes?",
        "Yes and no",
        "Yes/No",
        "Is it yes?",
        "There is no answer.",
        "He said yes.",
        "Yes. It is not.",
        "No. It is.",
        "Yes, maybe",
        "It depends. Yes in winter.",
        "No idea",
        "No comment.",
        "Yes, but no",
        "Answer yes or no.",
        "The user asked: yes?",
        "Yes, if it rains.",
        "Yes, but only if it rains.",
        "No, unless it rains.",
    ],
    '"positive" | "negative"': [
        "far from positive",
        "anything but positive",
        "fails to be positive",
        "lacks any positive notes",
        "There is nothing positive about it",
        "I am positive it is bad",
        "I am positive.",
        "not positive",
        "It is not negative; it is positive.",
        "Mixed.",
        "The answer is positive. Wait, no.",
        "It could be positive.",
        "positive or negative",
        "I cannot say. positive",
        "It fails to be positive.",
        "It is less positive.",
        "It is neither positive nor negative",
        "a positive note",
        "It has a positive tone but is sad",
        "Some say it is positive.",
        "It used to be positive.",
    ],
    '"high" | "low" | "none"': [
        "It is far from low.",
        "Anything but low",
        "less than high",
        "below high",
        "Rarely high",
        "It lacks high urgency",
        "The risk is too low to say",
    ],
    '"a" | "b" | "I"': [
        "a thing",
        "I cannot tell",
        "I think so",
    ],
    '"in" | "out" | "on" | "open"': [
        "I give up on that",
        "The ball is in the court",
        "I am open to either",
    ],
    '"yes" | "no"': [
        "There is no answer.",
        "There is no way to know",
        "I have no idea",
        "No, I cannot help with that.",
        "Yes. Scratch that.",
    ],
    '"bug" | "feature"': [
        "Many bugs.",
        "This is a bug report",
    ],
    "int": [
        "I cannot answer. Error 404.",
        "Sorry, I can only process 1 image",
        "HTTP 500",
        "Call 911",
        "I am version 4",
        "- 5",
        "It took 3 minutes to find nothing",
        "The answer lies in row 7",
        ">= 42",
        "<42",
        "at least 42",
        "5+",
        "5 or more",
        "5 at most",
        "minimum 5",
        "half of 10",
        "twice 5",
        "5 squared",
        "5 lakh",
        "1/2 sign of 5",
        "5 is false",
        "any number but 5",
        "instead of 5",
        "used to be 5",
        "5 is too low",
        "--5",
        "+-5",
        "5 km",
        "5 degrees",
        "5 cents",
        "42km",
        "-5 °C",
        "42%",
        "0.99999999999999999999",
        "The answer is 5. Sorry, that is wrong.",
        "It is 5 km.",
        "**5** km",
        "There are 5 lakh people.",
        "Error: 404",
        "The answer is 5 or more",
        "5, or more",
        "At most: 5?",
        "The answer may be 5",
        "There are at least 5 apples",
        "Step 5",
        "Page: 7",
        "12345.5000",
    ],
    "int?": [
        "There are 5 but null",
    ],
    "bool": [
        "The true cost is unknown.",
        "This is not true.",
        "I am your true friend.",
        "It is true that I cannot say.",
    ],
    "float": [
        "1e-400",
        "1e400",
        "1,5",
        "5 km",
    ],
}
"""Schema -> replies that give no clear answer."""


@pytest.mark.parametrize(
    ("schema", "reply", "value"),
    [(s, r, v) for s, found in FOUND.items() for r, v in found.items()],
)
def test_answer_is_found(schema: str, reply: str, value: object) -> None:
    """A clear answer is read, and with the type that was asked for."""
    made = check(schema, reply)
    assert made.ok, made.feedback
    assert made.value == value
    assert type(made.value) is type(value)


@pytest.mark.parametrize(
    ("schema", "reply"), [(s, r) for s, replies in REFUSED.items() for r in replies]
)
def test_other_words_are_no_answer(schema: str, reply: str) -> None:
    """A denial, a hedge, a refusal, or a word amid others gives no value."""
    made = check(schema, reply)
    assert not made.ok, made.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9007199254740993.0", 9007199254740993),
        ("12345678901234567890.0", 12345678901234567890),
        ("1e23", 1e23),
        ("42.0", 42.0),
        ("0e5", 0.0),
        ("0.1", 0.1),
    ],
)
def test_number_in_json_keeps_its_value(text: str, value: float) -> None:
    """A whole number never becomes another one."""
    made = check("{a: float}", f'{{"a": {text}}}')
    assert made.value == {"a": value}


@pytest.mark.parametrize(
    "text", ["1e-400", "-1e-400", "1e400", "0.99999999999999999999", "9007199254740993.5"]
)
def test_number_that_no_float_holds_is_refused(text: str) -> None:
    """Nothing becomes 0, infinite, or whole by rounding."""
    assert check("{a: float}", f'{{"a": {text}}}').reason == "unparsable"
