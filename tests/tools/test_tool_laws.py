"""What holds of all tools: texts and dicts mean the same, grammars and checks agree."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from effort import effort
from hypothesis import given, settings
from hypothesis import strategies as st
from llama import llama, needs_llama
from shares import share

from pdl.schema import Schema
from pdl.tools import FORMATS, Format, Tool, ToolCall, ToolSet

if TYPE_CHECKING:
    from pdl.gbnf import Grammar

TYPES = st.sampled_from(
    [
        *("str", "int", "bool", "float<0,1>", "date", "any", "Node", "[Node]<1,3>", "str<1,5>?"),
        *('"a" | "b"', "{ x: int, y?: str }", "[str]", "{ [str]: int }", "int | str"),
    ]
)
WORDS = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
NAMES = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)
LINES = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=20), max_size=3
).map("\n".join)
NODE = "Node = { v: int, kids: [Node] }"
TOOLS = ToolSet.parse(f"""
navigate(action: "list" | "tree", directory?: str)
ping()
add(node: Node, count?: int<1,> = 1)
write(content: str)
anything(x: any, [str]: any)
{NODE}
""")
REPLIES = {
    (form, calls): TOOLS.grammar(form, calls).grammar
    for form in FORMATS
    for calls in ("one", "several", "any")
}


def chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - not for secrets


@st.composite
def toolsets(draw: st.DrawFn) -> ToolSet:
    tools = []
    for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)):
        keys = draw(st.lists(WORDS, max_size=4, unique=True))
        fields = [f"{key}{draw(st.sampled_from(['', '?']))}: {draw(TYPES)}" for key in keys]
        uses = "Node" in "".join(fields)
        schema = Schema.parse(f"{{ {', '.join(fields)} }} {NODE if uses else ''}")
        tools.append(Tool(name, schema, draw(LINES).strip()))
    return ToolSet(tuple(tools))


@given(toolsets())
def test_texts_and_dicts_hold_all(tools: ToolSet) -> None:
    again = ToolSet.parse(tools.to_dsl())
    assert [tool.schema for tool in again] == [tool.schema for tool in tools]
    assert again.names == tools.names
    assert again.to_dsl() == tools.to_dsl()
    assert ToolSet.from_openai(tools.to_openai()) == tools
    assert ToolSet.from_mcp(tools.to_mcp()) == tools


@given(toolsets(), st.sampled_from(sorted(FORMATS)), st.integers(0, 1_000_000))
@settings(max_examples=share(40))
def test_what_a_grammar_makes_is_right(tools: ToolSet, form: str, seed: int) -> None:
    for calls in ("one", "several"):
        grammar = tools.grammar(form, calls).grammar
        reply = grammar.generate(chance(seed), size=300)
        for known in (form, None):
            check = tools.check(reply, known, calls=calls)
            # Names that come twice are the checker's business.
            assert all("twice" in error.message for error in check.errors)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("calls", ["one", "several", "any"])
def test_replies_of_all_kinds(form: str, calls: str) -> None:
    for seed in range(20):
        reply = REPLIES[form, calls].generate(chance(seed), size=200)
        check = TOOLS.check(reply, form)
        if calls == "any":  # a text may end where a call might have begun
            assert {error.reason for error in check.errors} <= {"truncated"}
        else:
            assert all("twice" in error.message for error in check.errors)
            assert check.calls or check.errors


PIECES = [
    *"ab {}[]\"'`<>\n:,\\/#~T_|", *("```", "<think>", '{"a": ', '"name"', "tool_call"),
    *("```python\n", "For example: ", "I will not ", "[ARGS]", "</tool_call>"),
]  # fmt: skip


@given(
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join),
    st.sampled_from(sorted(FORMATS)),
    st.integers(0, 50),
)
@settings(max_examples=share(300))
def test_calls_behind_any_text_are_found_or_refused(text: str, form: str, seed: int) -> None:
    """Never is a call taken for a part of the text in front of it, or half of them found."""
    calls = REPLIES[form, "several"].generate(chance(seed), size=60)
    if not REPLIES[form, "any"].match(text + calls):
        return  # the text holds what begins a call
    alone = TOOLS.check(calls, form)
    check = TOOLS.check(text + calls, form)
    assert alone.ok or all("twice" in error.message for error in alone.errors)
    assert not check.ok or check.calls == alone.calls


@given(st.lists(st.sampled_from([*PIECES, '{"tool": "ping", "args": {}}', "[TOOL_CALLS]"])))
@settings(max_examples=share(300))
def test_no_reply_raises(pieces: list[str]) -> None:
    reply = "".join(pieces)
    for form in (None, "pedro", "mistral-args"):
        check = TOOLS.check(reply, form)
        assert check.ok is not bool(check.feedback)
        assert all(call.name in TOOLS for call in check.calls)


@given(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.sampled_from(sorted(FORMATS))
)
def test_text_holds_no_call(text: str, form: str) -> None:
    """What the grammar takes as text alone has no call for the check; the end may be cut off."""
    if text and REPLIES[form, "any"].match(text) and not TOOLS.check(text, form).errors:
        assert not TOOLS.check(text, form).calls


def wire(form: Format, *calls: tuple[str, object]) -> str:
    """Calls as a format writes them."""
    if not form.name_key:
        told = [f"{name}{form.named}{json.dumps(value)}" for name, value in calls]
    else:
        objects = [{form.name_key: name, form.arguments_key: value} for name, value in calls]
        told = [json.dumps(one) for one in objects]
    return f"{form.opener}{form.between.join(told)}{form.closer}"


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_what_a_format_says_is_what_is_read(form: Format) -> None:
    calls: tuple[tuple[str, dict[str, str]], ...] = (
        ("navigate", {"action": "list"}),
        ("ping", {}),
        ("write", {"content": '"}]</tool_call>'}),
    )
    reply = wire(form, *calls)
    assert REPLIES[form.name, "several"].match(reply)
    assert REPLIES[form.name, "any"].match(f"I look around.\n{reply}")
    check = TOOLS.check(f"I look around.\n{reply}", form)
    assert check.calls == tuple(ToolCall(name, value) for name, value in calls)
    assert check.text == "I look around."


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_calls_without_marks_begin_a_line(form: Format) -> None:
    """What the grammar lets through in a sentence, the check would refuse."""
    call = wire(form, ("ping", {}))
    for front, is_right in (("", True), ("Look:\n", True), ("Look: ", bool(form.trigger))):
        assert bool(REPLIES[form.name, "any"].match(front + call)) is is_right
        assert TOOLS.check(front + call, form).ok is is_right


def test_brackets_without_end_hide_no_call() -> None:
    """However many there are: what nobody looked for any more is an error."""
    call = '[ is open <tool_call>{"name": "ping", "arguments": {}}</tool_call>\n'
    for number in (1, 5, 12, 16, 17, 40):
        check = TOOLS.check(call * number)
        assert not check.ok or len(check.calls) == number, number


def many(number: int) -> ToolSet:
    """Tools of many names, of which some begin alike."""
    words = [f"{verb}_{noun}" for noun in "abcdefghijklmnopqrst" for verb in ("get", "set", "list")]
    names = [f"{word}_{at}" for at in range(4) for word in words][:number]
    signatures = [
        f"{name}(id: int, kind?: 'x' | 'y', text{at}?: str)" for at, name in enumerate(names)
    ]
    return ToolSet.parse("\n".join(signatures))


def stacks(grammar: Grammar, text: str) -> int:
    with llama(str(grammar)) as judge:
        assert judge is not None
        taken, _, most = judge.match(text)
    assert taken
    return most


@needs_llama
@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_a_hundred_tools_cost_what_five_do(form: Format) -> None:
    """llama.cpp has as many stacks at once as names differ in one letter, however many they are."""
    few, lots = many(5), many(100)
    for calls in ("one", "any"):
        costs = []
        for tools in (few, lots):
            grammar = tools.grammar(form, calls).grammar
            name = tools.names[-1]
            at = len(tools) - 1
            text = wire(form, (name, {"id": 7, "kind": "x", f"text{at}": "t"}))
            costs.append(stacks(grammar, text))
        assert costs[1] <= 25, (calls, costs)
        assert costs[1] <= costs[0] + 20, (calls, costs)


def test_grammars_are_kept() -> None:
    lots = many(100)
    assert lots.grammar("hermes", "any") is lots.grammar("hermes", "any")


@pytest.mark.parametrize("beginning", ["{", '{"name": ', "<tool_call>", "[TOOL_CALLS]a[ARGS]{}"])
def test_work_is_linear(beginning: str) -> None:
    small, large = (effort(TOOLS.check, beginning * n) for n in (2_000, 4_000))
    assert large < max(small, 10_000) * 3
