"""Runs of evaluations as no model made them, the same for the same seed: what reports are tried on.

Their prompts read a review; their columns differ in how often they are right, so that some pairs
can be told apart and others can't.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from pdl.evaluation.records import (
    AttemptRecord,
    CaseRecord,
    Cell,
    Column,
    ErrorRecord,
    FailureRecord,
    RepairRecord,
    Run,
    Trial,
)

TOPICS = ("bug", "invoice", "praise", "other")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "topic": {"enum": list(TOPICS)},
        "stars": {"type": "integer", "minimum": 1, "maximum": 5},
        "refund": {"type": "boolean"},
        "words": {"type": "array", "items": {"type": "string"}},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
            },
        },
    },
    "required": ["topic", "stars", "refund", "words", "items"],
}
"""The schema of every answer: with an enum, a bool, numbers, and two kinds of lists."""

JUDGES = ("kind",)
WORDS = ("late", "broken", "kind", "cheap", "loud", "small", "again", "thanks")
NAMES = ("lamp", "chair", "desk", "cable")
TEXTS = ("It broke after a week.", "Where is my money?", "Great, and cheap!", "It is <b>loud</b>.")


@dataclass(frozen=True)
class Skill:
    """How often a column answers rightly, and how: shares, seconds for a call, and its price."""

    right: float = 0.8
    valid: float = 0.9
    repaired: float = 0.3
    refusing: float = 0.02
    failing: float = 0.02
    seconds: float = 1.2
    price: float = 2e-6


SKILLS = {
    Column("review.pdl", "replay:small"): Skill(0.7, 0.75, 0.5, 0.04, 0.03, 0.6, 3e-7),
    Column("review.pdl", "replay:large"): Skill(0.92, 0.97, 0.1, 0.01, 0.01, 2.5, 5e-6),
    Column("short.pdl", "replay:small"): Skill(0.68, 0.75, 0.5, 0.04, 0.03, 0.5, 3e-7),
}
"""Three columns: two models and two prompts; the small model is much the same with both."""


def made_run(  # noqa: PLR0913 - each is a size or a choice
    *,
    seed: int = 0,
    cases: int = 30,
    repeats: int = 1,
    skills: dict[Column, Skill] | None = None,
    expecting: float = 0.9,
    name: str = "run",
) -> Run:
    """A finished run; `expecting` is the share of the cases that expect something."""
    chosen = SKILLS if skills is None else skills
    random = Random(seed)  # noqa: S311 - the same each time
    records = tuple(_case(random, number, expecting) for number in range(1, cases + 1))
    answers = [_answer(random) if one.exact is None else one.exact[0] for one in records]
    hard = [random.random() for _ in records]
    trials = []
    for column, skill in chosen.items():
        for index, case in enumerate(records):
            for repeat in range(1, repeats + 1):
                cell = Cell(*column, case.name, repeat)
                trials.append(_trial(random, cell, case, answers[index], skill, hard[index]))
    prompts = dict.fromkeys(column.prompt for column in chosen)
    return Run(
        name,
        tuple(chosen),
        records,
        tuple(trials),
        planned=len(trials),
        repeats=repeats,
        started="2026-11-23T20:00:00Z",
        fingerprints={one: f"{index:064x}" for index, one in enumerate(prompts, 1)},
        schemas=dict.fromkeys(prompts, SCHEMA),
    )


def _case(random: Random, number: int, expecting: float) -> CaseRecord:
    data = {"review": random.choice(TEXTS), "number": number}
    place = f"review.tests.pdl:{7 * number}:1"
    name = f"review {number}"
    if random.random() >= expecting:
        return CaseRecord(name, place, data, judges=JUDGES)
    if number % 5 == 0:
        return CaseRecord(name, place, data, "{ stars: 1 | 2, [str]: any }", None, JUDGES)
    answer = _answer(random)
    return CaseRecord(name, place, data, json.dumps(answer), (answer,), JUDGES)


def _answer(random: Random) -> dict[str, Any]:
    items = [
        {"name": random.choice(NAMES), "price": random.randint(1, 40) / 2}
        for _ in range(random.randint(0, 3))
    ]
    return {
        "topic": random.choices(TOPICS, (4, 3, 2, 1))[0],
        "stars": random.randint(1, 5),
        "refund": random.random() < 0.3,
        "words": random.sample(WORDS, random.randint(0, 3)),
        "items": items,
    }


def _wrong(random: Random, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer with one or two of its fields changed; all of it stays valid."""
    other = _answer(random)
    names = random.sample(sorted(answer), random.randint(1, 2))
    return {**answer, **{name: other[name] for name in names}}


def _trial(  # noqa: PLR0913, PLR0917 - what a trial is made of
    random: Random,
    cell: Cell,
    case: CaseRecord,
    answer: dict[str, Any],
    skill: Skill,
    hard: float,
) -> Trial:
    attempts: list[AttemptRecord] = []
    status = _ending(random, skill)
    value = None
    if status in {"fault", "refusal"}:
        kind = "refusal" if status == "refusal" else random.choice(("timeout", "server"))
        attempts.append(AttemptRecord(1, fault=kind, seconds=30.0 if kind == "timeout" else 0.2))
    else:
        share = skill.valid + (0.5 - hard) * 0.2
        while len(attempts) < 4 and not value:
            is_valid = random.random() < share
            right = random.random() < skill.right + (0.5 - hard) * 0.4
            value = (answer if right else _wrong(random, answer)) if is_valid else None
            attempts.append(
                _attempt(random, len(attempts) + 1, value or answer, skill, is_valid=is_valid)
            )
        status = "valid" if value else "invalid"
    costs = [one.cost for one in attempts if one.cost is not None]
    trial = Trial(
        cell,
        status,  # type: ignore[arg-type]  # one of its words
        tuple(attempts),
        value,
        seconds=sum(one.seconds for one in attempts),
        cost=sum(costs) if costs else None,
    )
    return _judged(random, trial, case)


def _ending(random: Random, skill: Skill) -> str:
    drawn = random.random()
    if drawn < skill.failing:
        return "fault"
    return "refusal" if drawn < skill.failing + skill.refusing else "valid"


def _attempt(
    random: Random, number: int, value: dict[str, Any], skill: Skill, *, is_valid: bool
) -> AttemptRecord:
    text = "Sure! Here it is:\n" + json.dumps(value)
    start = text.index("{")
    errors: tuple[ErrorRecord, ...] = ()
    repairs: tuple[RepairRecord, ...] = ()
    reason = ""
    if not is_valid:
        text = text.replace(f'"stars": {value["stars"]}', '"stars": 7')
        place = text.index('"stars": 7') + len('"stars": ')
        errors = (ErrorRecord(("stars",), (place, place + 1), "must be at most 5, not 7"),)
        reason = "wrong-schema"
    elif random.random() < skill.repaired:
        text = text.replace('"topic"', "topic")
        place = text.index("topic")
        repairs = (RepairRecord("bare-key", (place, place + 5), "topic", '"topic"'),)
    read, written = 180 + 90 * (number - 1), len(text) // 4
    return AttemptRecord(
        number,
        text,
        reason,
        span=(start, len(text)),
        errors=errors,
        repairs=repairs,
        input_tokens=read,
        output_tokens=written,
        seconds=random.lognormvariate(0, 0.4) * skill.seconds,
        cost=(read + 4 * written) * skill.price,
    )


def _judged(random: Random, trial: Trial, case: CaseRecord) -> Trial:
    """The trial with what became of the case's expectation and of its judge."""
    value = trial.value
    exact = expected = None
    if case.exact is not None:
        exact = expected = value == case.exact[0]
    elif case.expect:
        expected = value is not None and value["stars"] <= 2
    failures: list[FailureRecord] = []
    accepted: tuple[bool, ...] = ()
    if expected is False:
        what = "there is no answer" if value is None else "`$` is not as expected"
        failures.append(FailureRecord("expect", case.place, what))
    if value is not None:
        accepted = (random.random() < (0.95 if expected is not False else 0.5),)
        if not accepted[0]:
            failures.append(FailureRecord("judge", case.place, "must be true, not false"))
    return replace(
        trial,
        exact=exact,
        expected=expected,
        judged=accepted,
        accepted=accepted,
        failures=tuple(failures),
    )
