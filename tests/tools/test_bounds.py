"""Replies with many calls: bounded errors, in time that grows as they do."""

from __future__ import annotations

import pytest
from effort import effort

from pdl.errors import LimitError
from pdl.gbnf import Options
from pdl.schema import Schema
from pdl.tools import ToolCall, ToolSet

TOOLS = ToolSet.parse("ping()\nnavigate(action: 'list' | 'tree')")
RIGHT = '{"tool": "ping", "args": {}}\n'
PIECES = [
    *("[TOOL_CALLS]ping", "[TOOL_CALLS]ping[ARGS]", "[TOOL_CALLS]", "[TOOL_CALLS]ping[ARGS]{}"),
    *("<tool_call>", "<tool_call>ping</tool_call>", "<function=ping>", "<tool_call> ", RIGHT),
    *(f"`{RIGHT.strip()}` ", f"> {RIGHT}", f"```json\n{RIGHT}```\n", RIGHT.strip()),
    *("&lt;tool_call&gt;", "<|channel|>commentary to=functions.ping", "<function ", "< "),
]


@pytest.mark.parametrize("piece", PIECES)
def test_work_is_linear(piece: str) -> None:
    small, large = (effort(TOOLS.check, piece * n) for n in (1_000, 4_000))
    assert large < max(small, 10_000) * 6


def test_one_fence_with_many_calls() -> None:
    check = TOOLS.check(f"```json\n{RIGHT * 1_000}```")
    assert len(check.calls) == 1_000
    assert check.ok


@pytest.mark.parametrize("piece", [RIGHT, "<function=ping>", '{"tool": "pong", "args": {}}\n'])
def test_too_many_calls(piece: str) -> None:
    before = TOOLS.check(piece * 1_000)
    assert "limit" not in {error.reason for error in before.errors}
    check = TOOLS.check(piece * 1_001)
    assert [error.reason for error in check.errors] == ["limit"]
    assert check.feedback == (
        "Your output contains more than 1,000 tool calls.\nCall fewer tools at a time."
    )
    assert not check.calls


def test_too_many_calls_of_a_provider() -> None:
    assert len(TOOLS.check_calls([ToolCall("ping")] * 1_000).calls) == 1_000
    check = TOOLS.check_calls([ToolCall("ping")] * 1_001)
    assert [error.reason for error in check.errors] == ["limit"]


def test_two_calls_of_a_provider_with_one_id() -> None:
    calls = [ToolCall("ping", {}, "a"), ToolCall("ping", {}, "b"), ToolCall("ping", {}, "a")]
    check = TOOLS.check_calls(calls)
    assert [error.message for error in check.errors] == ["two tool calls have the ID `a`"]
    assert TOOLS.check_calls([ToolCall("ping"), ToolCall("ping")]).ok


def test_feedback_is_bounded() -> None:
    """Equal sentences once, ten at most, and names as far as one has to see them."""
    wrong = [f'{{"tool": "{"x" * 600}{number}", "args": {{}}}}' for number in range(900)]
    check = TOOLS.check("\n".join(wrong))
    assert len(check.errors) == 900
    assert "(This applies to 900 calls.)" in check.feedback
    assert len(check.feedback) < 400
    differing = [ToolCall(f"tool{number}") for number in range(500)]
    check = TOOLS.check_calls(differing)
    assert check.feedback.endswith("Your tool calls have 490 more errors.")
    assert len(check.feedback) < 2_000


def test_errors_of_long_names_are_short() -> None:
    long = "x" * 100_000
    calls = [ToolCall(long), ToolCall("ping", [], long), ToolCall(long, [])]  # type: ignore[arg-type]
    twice = [ToolCall("ping", {}, long), ToolCall("ping", {}, long)]
    for check in (TOOLS.check_calls(calls), TOOLS.check_calls(twice)):
        assert all(len(str(error)) < 200 for error in check.errors)
        assert len(check.feedback) < 800


def test_the_names_of_too_many_calls_are_not_all_listed() -> None:
    check = TOOLS.check(RIGHT * 500, calls="one")
    assert check.feedback.splitlines()[0].endswith("`ping`, and 490 more.")


def test_the_rules_of_a_grammar_are_bounded() -> None:
    """Also those that come to it last, which are written by hand or an answer's."""
    names = [f"r{number}" for number in range(60)]
    byhand = "\n".join(f'{name} ::= "{name}"' for name in names)
    byhand = f'root ::= "\\"" ({" | ".join(names)}) "\\""\n{byhand}'
    tool = {"type": "object", "properties": {"a": {"type": "string", "x-gbnf": byhand}}}
    tools = ToolSet.from_openai(
        [{"type": "function", "function": {"name": "ping", "parameters": tool}}]
    )
    assert len(tools.grammar("hermes", "one").grammar.rules) > 60
    with pytest.raises(LimitError, match="more than 40 rules"):
        tools.grammar("hermes", "one", options=Options(max_rules=40))
    answer = Schema.parse("{ a: [int<0,70>], b: date }")
    most = len(TOOLS.grammar("hermes", "one", schema=answer).grammar.rules)
    with pytest.raises(LimitError, match=f"more than {most - 1} rules"):
        TOOLS.grammar("hermes", "one", schema=answer, options=Options(max_rules=most - 1))


def test_each_grammar_is_that_of_its_own_tools() -> None:
    texts = {str(ToolSet.parse(f"f(x: {x})").grammar().grammar) for x in ("1", "true")}
    assert len(texts) == 2
