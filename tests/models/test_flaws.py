"""Replies that their providers say something against, and what is made of them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from models.conftest import Serve, remote
from models.hostile import GOOD, chat, good, respond
from models.hostile import stream as streaming
from models.scripted import VALUE, asked, says

import pdl
from pdl.models import AskError, Cache, Reply, Usage
from pdl.models.exchange import Finish, Flaw
from pdl.tools import ToolCall, ToolSet

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.models import Answer

SPENT = Usage(9, 100, None, 98)
TOOLS = ToolSet.parse("find(name: str)")


def failed(rendered: pdl.Rendered, *replies: str | Reply, **options: object) -> AskError:
    with pytest.raises(AskError) as caught:
        asked(rendered, says(*replies), **options)
    return caught.value


def complaint(answer: Answer) -> str:
    """What the model was told before the last attempt."""
    return answer.attempts[-1].request.messages[-1].text


def test_a_refusal_is_one_kind_of_fault(rendered: pdl.Rendered) -> None:
    """It keeps its words and its cost, and the model is not asked again."""
    refused = Reply("", finish="filter", usage=SPENT, flaw=Flaw("refusal", "I cannot help."))
    error = failed(rendered, refused)
    [attempt] = error.attempts
    assert attempt.fault is not None
    assert attempt.fault.kind == "refusal"
    assert attempt.reply == refused
    assert error.usage == SPENT
    assert not error.is_fault
    first, attempted, hint = str(error).splitlines()
    assert first.endswith("in 1 attempt, which the model refused; another try would not help")
    assert attempted.endswith("refusal: the model refused: I cannot help.")
    assert hint == "  hint: ask in other words, or another model"


def test_a_refusal_without_words(rendered: pdl.Rendered) -> None:
    error = failed(rendered, Reply("", finish="filter", flaw=Flaw("refusal")))
    assert "refusal: the model refused: it gives no reason" in str(error)


def test_the_text_of_a_refusal(rendered: pdl.Rendered) -> None:
    """Where nothing else gives a reason, the text does."""
    refused = Reply("I would rather\nnot.", finish="filter", flaw=Flaw("refusal"))
    assert "refusal: the model refused: I would rather not." in str(failed(rendered, refused))
    long = replace(refused, text="no " * 999)
    assert len(str(failed(rendered, long)).splitlines()[1]) < 600


@pytest.mark.parametrize("text", ["", " \n", "<think>Is that right?</think>"])
def test_an_empty_reply_that_a_filter_stopped_is_a_refusal(
    text: str, rendered: pdl.Rendered
) -> None:
    """The same would happen again."""
    error = failed(rendered, Reply(text, finish="filter", usage=SPENT))
    [attempt] = error.attempts
    assert attempt.reason == "refusal: a filter of the provider removed the whole reply"
    assert (error.is_fault, error.usage) == (False, SPENT)
    assert "hint: ask in other words, or another model" in str(error)


@pytest.mark.parametrize("stream", [False, True])
def test_the_reason_of_a_filter(
    stream: bool,  # noqa: FBT001 - a parameter of the test
    serve: Serve,
    rendered: pdl.Rendered,
) -> None:
    body = '{"candidates": [{"finishReason": "SAFETY", "index": 0}]}'
    script = streaming(f"data: {body}\n\n") if stream else respond("200 OK", body)
    with pytest.raises(AskError, match="removed the whole reply: SAFETY"):
        asked(rendered, remote(serve(script), "gemini"), stream=stream)


def test_a_refused_request(serve: Serve, rendered: pdl.Rendered) -> None:
    """A filter that refuses the prompt with a status refuses as well."""
    body = '{"error": {"message": "The prompt was filtered.", "code": "content_filter"}}'
    with pytest.raises(AskError) as caught:
        asked(rendered, remote(serve(respond("400 Bad Request", body))))
    assert not caught.value.is_fault
    assert len(caught.value.attempts) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_a_bad_call_is_a_bad_answer(
    stream: bool,  # noqa: FBT001 - a parameter of the test
    serve: Serve,
    rendered: pdl.Rendered,
) -> None:
    """The model is told, and asked again; what it cost is kept."""
    broken = [{"id": "1", "function": {"name": "find", "arguments": "{'name': 1}"}}]
    server = serve(respond("200 OK", chat("", "tool_calls", tool_calls=broken)), good())
    answer = asked(rendered, remote(server), tools=TOOLS, stream=stream)
    assert answer.value == VALUE
    assert answer.usage.output_tokens == 10
    told = server.received[1].body["messages"][-1]["content"]
    assert "A tool call is invalid: the arguments of `find` are not a JSON object" in told


def test_the_other_calls_are_answered(rendered: pdl.Rendered) -> None:
    """Each call that could be read is, with the same complaint."""
    calls = (ToolCall("find", {"name": "a"}, "1"),)
    answer = asked(rendered, says(Reply("", "", calls, flaw=Flaw("call", "no")), GOOD), tools=TOOLS)
    [result] = answer.attempts[-1].request.messages[-1].parts
    assert isinstance(result, pdl.tools.ToolResult)
    assert result.failed
    assert result.text.startswith("A tool call is invalid: no\n")


def test_what_is_wrong_with_a_call_that_was_read(rendered: pdl.Rendered) -> None:
    """The check says it better than the provider."""
    calls = (ToolCall("fnd", {"name": "a"}, "1"),)
    bad = Reply("", "", calls, flaw=Flaw("call", "Unexpected tool call"))
    answer = asked(rendered, says(bad, GOOD), tools=TOOLS)
    assert "`fnd`" in answer.attempts[0].reason
    assert "Unexpected" not in answer.attempts[0].reason


def test_a_call_that_only_the_provider_cannot_read(rendered: pdl.Rendered) -> None:
    """Groq gives back what the model wrote, in a format that is known here."""
    text = '<tool_call>{"name": "find", "arguments": {"name": "a"}}</tool_call>'
    answer = asked(rendered, says(Reply(text, flaw=Flaw("call", "Failed"))), tools=TOOLS)
    assert [(call.name, call.arguments) for call in answer.calls] == [("find", {"name": "a"})]


def test_a_call_without_tools(rendered: pdl.Rendered) -> None:
    answer = asked(rendered, says(Reply("", flaw=Flaw("call", "UNEXPECTED_TOOL_CALL")), GOOD))
    assert complaint(answer).endswith("There are no tools. Give the answer.")


def test_a_call_that_was_cut_off(rendered: pdl.Rendered) -> None:
    """That the limit was reached comes first: the arguments are broken only therefore."""
    bad = Reply("Hm", finish="length", flaw=Flaw("call", "the arguments"))
    answer = asked(rendered, says(bad, GOOD), tools=TOOLS)
    assert complaint(answer).startswith("Your output was cut off by its length limit")


@pytest.mark.parametrize("finish", ["length", "filter"])
def test_cut_calls_are_told_to_people(finish: Finish, rendered: pdl.Rendered) -> None:
    """What the model is to do is no advice for them."""
    cut = Reply("", calls=(ToolCall("find", {"name": "a"}),), finish=finish)
    error = failed(rendered, cut, tools=TOOLS, retries=0)
    assert error.attempts[0].reason.startswith("truncated: the reply is cut off by ")
    assert "Answer more shortly" not in str(error)
    assert "in other words" not in str(error)


def test_a_wrong_call_is_told_to_people(rendered: pdl.Rendered) -> None:
    error = failed(rendered, "<tool_call>", tools=TOOLS, retries=0)
    assert error.attempts[0].reason == "a tool call is cut off at its beginning"


@pytest.mark.parametrize("finish", ["length", "filter"])
def test_a_cut_answer_says_by_what(finish: Finish, rendered: pdl.Rendered) -> None:
    cut = Reply('{"name": "An', finish=finish, usage=SPENT)
    answer = asked(rendered, says(cut, GOOD))
    by = {"length": "its length limit, `max_tokens`", "filter": "a filter of the provider"}
    reason = answer.attempts[0].reason
    assert reason.startswith("truncated: the reply is cut off at")
    assert reason.endswith(f"; it is cut off by {by[finish]}")
    told = complaint(answer).splitlines()
    assert len(told) == 3
    assert ("max_tokens" in told[1]) is (finish == "length")


def test_what_to_raise(rendered: pdl.Rendered) -> None:
    """Where all was cut off, the user learns which setting to raise."""
    cut = Reply('{"name": "An', finish="length")
    config = {"max_completion_tokens": 7}
    assert str(failed(rendered, cut, retries=0, config=config)).endswith(
        "\n  hint: raise `max_completion_tokens`, which is 7"
    )
    assert str(failed(rendered, cut, retries=0)).endswith("\n  hint: set `max_tokens` higher")
    assert "hint" not in str(failed(rendered, cut, max_output_tokens=3))


@pytest.mark.parametrize(
    "reply",
    [
        Reply("", finish="length", usage=SPENT),
        Reply("", "Let me think", finish="length"),
        Reply("<think>Let me think", finish="length", usage=Usage(9, 100)),
    ],
)
def test_thoughts_that_left_no_room(reply: Reply, rendered: pdl.Rendered) -> None:
    """The same would happen again, so that nobody is told to be shorter."""
    error = failed(rendered, reply, config={"max_tokens": 100})
    assert (error.ending, len(error.attempts)) == ("length", 1)
    first, attempted, hint = str(error).splitlines()
    assert first.endswith("in 1 attempt; another try under the same limit would not help")
    assert attempted.endswith("its reasoning used up its length limit, `max_tokens`")
    assert hint == "  hint: raise `max_tokens`, which is 100, or lower `reasoning_effort`"
    assert pickle.loads(pickle.dumps(error)).ending == "length"  # noqa: S301 - our own


def test_an_empty_reply_that_did_not_think(rendered: pdl.Rendered) -> None:
    empty = Reply("", finish="length", usage=Usage(9, 100, None, 10))
    assert asked(rendered, says(empty, GOOD)).value == VALUE


def test_a_limit_that_nobody_asked_for_is_raised(serve: Serve, rendered: pdl.Rendered) -> None:
    """Anthropic wants one; it is raised once, and the model is not told to be shorter."""
    usage = '"usage": {"input_tokens": 5, "output_tokens": 8192}'
    body = f'{{"content": [], "stop_reason": "max_tokens", {usage[:-1]}, "output_tokens_details":'
    body += ' {"thinking_tokens": 8190}}}'
    server = serve(respond("200 OK", body))
    with pytest.raises(AskError) as caught:
        asked(rendered, remote(server, "anthropic"))
    assert [one.body["max_tokens"] for one in server.received] == [8_192, 32_000]
    assert server.received[0].body["messages"] == server.received[1].body["messages"]
    assert caught.value.ending == "length"
    assert "raise `max_tokens`, which is 32000, or" in str(caught.value)


def test_a_limit_that_was_asked_for_stays(serve: Serve, rendered: pdl.Rendered) -> None:
    body = '{"content": [{"type": "text", "text": "{"}], "stop_reason": "max_tokens"}'
    server = serve(respond("200 OK", body))
    with pytest.raises(AskError):
        asked(rendered, remote(server, "anthropic"), config={"max_tokens": 9}, retries=1)
    assert [one.body["max_tokens"] for one in server.received] == [9, 9]


@pytest.mark.parametrize("text", ["One, two", '["a"'])
def test_an_unfinished_reply_is_no_answer(text: str) -> None:
    """Of a text more may come; an object whose brackets are closed is whole."""
    rendered = pdl.loads("<|user|>\nCount.\n<|schema|>\nstr\n").render()
    paused = Reply(text, finish="other", flaw=Flaw("unfinished", "pause_turn"))
    answer = asked(rendered, says(paused, "One, two, three"))
    assert answer.value == "One, two, three"
    assert "stopped before its end: pause_turn" in answer.attempts[0].reason


def test_an_unfinished_reply_that_is_whole(rendered: pdl.Rendered) -> None:
    paused = Reply(GOOD, finish="other", flaw=Flaw("unfinished", "pause_turn"))
    assert asked(rendered, says(paused)).value == VALUE


def test_a_flaw_is_kept_with_the_reply(tmp_path: Path) -> None:
    cache, paused = Cache(tmp_path / "kept.db"), Reply(GOOD, flaw=Flaw("unfinished", "pause_turn"))
    cache.put("here", paused)
    assert cache.get("here") == paused


def test_an_unknown_finish_is_the_end() -> None:
    """Some servers have words of their own, or none."""
    request = pdl.loads("<|user|>\nCount.\n").render()
    assert asked(request, says(Reply("One", finish="other"))).value == "One"
