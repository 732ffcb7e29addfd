"""Models that want tools called."""

from __future__ import annotations

import json

import pytest
from models import hostile
from models.conftest import KEY, QUICK, Serve, remote
from models.scripted import says

import pdl
from pdl.models import AskError, Reply, Request, ask
from pdl.models.payloads import FAMILIES
from pdl.models.remote import RemoteModel
from pdl.models.secret import Secret
from pdl.prompt.messages import Media, Message, Text
from pdl.tools import ToolSet
from pdl.tools.tool import ToolCall, ToolResult

TOOLS = ToolSet.parse("weather(city: str, days?: int<1,7>) // The weather")
GOOD = ToolCall("weather", {"city": "Oslo", "days": 2}, "call_1")
BAD = ToolCall("weather", {"city": "Oslo", "days": 99}, "call_1")


@pytest.fixture
def rendered() -> pdl.Rendered:
    return pdl.loads("<|user|>\nHow is Oslo?\n<|schema|>\n{ answer: str }\n").render()


def calling(*calls: ToolCall, text: str = "") -> Reply:
    return Reply(text, calls=calls, finish="tool")


def test_a_call(rendered: pdl.Rendered) -> None:
    answer = ask(rendered, says(calling(GOOD, text="Let me look.")), tools=TOOLS)
    assert answer.calls == (GOOD,)
    assert answer.value is None
    assert answer.messages[-1].parts[1:] == (GOOD,)
    assert answer.messages[-1].text == "Let me look."


def test_an_answer_all_the_same(rendered: pdl.Rendered) -> None:
    answer = ask(rendered, says(Reply('{"answer": "cold"}')), tools=TOOLS)
    assert (answer.calls, answer.value) == ((), {"answer": "cold"})


def test_a_wrong_call(rendered: pdl.Rendered) -> None:
    """What is wrong with a call goes back as its result, as providers want it."""
    answer = ask(rendered, says(calling(BAD), calling(GOOD)), tools=TOOLS)
    assert answer.calls == (GOOD,)
    _, said, told = answer.attempts[1].request.messages
    assert said.parts == (BAD,)
    [result] = told.parts
    assert isinstance(result, ToolResult)
    assert result.call == BAD
    assert result.failed
    assert "days" in result.text
    assert "days" in answer.attempts[0].reason


def test_an_unknown_tool(rendered: pdl.Rendered) -> None:
    with pytest.raises(AskError, match="wether"):
        ask(rendered, says(calling(ToolCall("wether", {}))), tools=TOOLS, retries=0)


def test_a_call_in_the_text(rendered: pdl.Rendered) -> None:
    """A model without an interface for tools writes its calls."""
    written = json.dumps({"name": "weather", "arguments": {"city": "Oslo"}})
    answer = ask(rendered, says(Reply(f"<tool_call>\n{written}\n</tool_call>")), tools=TOOLS)
    assert answer.calls == (ToolCall("weather", {"city": "Oslo"}),)
    assert answer.messages[-1].text == f"<tool_call>\n{written}\n</tool_call>"


def test_a_call_that_was_cut_off(rendered: pdl.Rendered) -> None:
    """Behind the limit there may have been more calls."""
    cut = Reply("", calls=(GOOD,), finish="length")
    with pytest.raises(AskError, match="cut off"):
        ask(rendered, says(cut), tools=TOOLS, retries=0)


@pytest.mark.parametrize("stream", [False, True])
def test_over_http(stream: bool, serve: Serve, rendered: pdl.Rendered) -> None:  # noqa: FBT001
    call = {
        "index": 0, "id": "call_1", "type": "function",
        "function": {"name": "weather", "arguments": '{"city": "Oslo", "days": 2}'},
    }  # fmt: skip
    choice = {"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}
    event = f"data: {json.dumps({'choices': [choice]})}\n\n"
    script = (
        hostile.stream(event, "data: [DONE]\n\n")
        if stream
        else hostile.respond("200 OK", hostile.chat("", "tool_calls", tool_calls=[call]))
    )
    server = serve(script)
    answer = ask(rendered, remote(server), tools=TOOLS, stream=stream, backoff=QUICK)
    assert answer.calls == (GOOD,)
    assert server.received[0].body["tools"][0]["function"]["name"] == "weather"


@pytest.mark.parametrize("stream", [False, True])
def test_openai_itself_is_given_tools_by_responses(
    stream: bool,  # noqa: FBT001
    serve: Serve,
    rendered: pdl.Rendered,
) -> None:
    """Its newest models take them nowhere else; what has no tools goes by chat."""
    item = {"type": "function_call", "call_id": "call_1", "name": "weather",
            "arguments": '{"city": "Oslo", "days": 2}'}  # fmt: skip
    body = {"status": "completed", "model": "tiny-1", "output": [item]}
    events = [
        {"type": "response.output_item.done", "item": item},
        {"type": "response.completed", "response": body},
    ]
    script = (
        hostile.stream(*(f"data: {json.dumps(one)}\n\n" for one in events))
        if stream
        else hostile.respond("200 OK", json.dumps(body))
    )
    server = serve(script, hostile.good())
    model = RemoteModel(FAMILIES["openai"], "tiny", server.url, Secret(KEY))
    answer = ask(rendered, model, tools=TOOLS, stream=stream, backoff=QUICK)
    assert answer.calls == (GOOD,)
    with pytest.raises(AskError):  # another answer than the prompt asks for
        ask(rendered, model, config={"stop": "x"}, retries=0)
    first, second = server.received
    assert (first.path, second.path) == ("/v1/responses", "/v1/chat/completions")
    assert first.body["tools"][0]["name"] == "weather"
    assert second.body["stop"] == "x"


def test_what_responses_do_not_hear_is_sent_by_chat() -> None:
    """As are tools that are not declared to the model."""
    wav = Message("user", (Media("wav", b"RIFF"),))
    words = Message("user", (Text("?"),))
    api = FAMILIES["openai"]
    assert api.for_request(Request((wav,), tools=TOOLS)) is api
    assert api.for_request(Request((words,), tools=TOOLS, constrain=False)) is api
    assert api.for_request(Request((words,), tools=TOOLS)).name == "openai-responses"
    assert FAMILIES["litellm"].for_request(Request((words,), tools=TOOLS)).name == "litellm"


@pytest.mark.parametrize("stream", [False, True])
def test_arguments_that_are_said_twice(
    stream: bool,  # noqa: FBT001
    serve: Serve,
    rendered: pdl.Rendered,
) -> None:
    """Which of two values is meant, nobody can say; twice the same one is fine."""

    def reply(arguments: str) -> str:
        function = {"name": "weather", "arguments": arguments}
        return hostile.chat("", "tool_calls", tool_calls=[{"id": "a", "function": function}])

    twice, same = '{"city": "Oslo", "city": "Rome"}', '{"city": "Oslo", "city": "Oslo"}'
    model = remote(serve(*(hostile.respond("200 OK", reply(one)) for one in (twice, same))))
    answer = ask(rendered, model, tools=TOOLS, backoff=QUICK, stream=stream)
    assert "`city` has two values" in answer.attempts[0].reason
    assert [call.arguments for call in answer.calls] == [{"city": "Oslo"}]
