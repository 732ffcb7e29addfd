"""Chat messages as dicts, to a rendered prompt and back."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdl
from pdl.tools.tool import ToolCall, ToolResult

PNG = b"\x89PNG\r\n\x1a\n"
DATA = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
PDF = "data:application/pdf;base64,JVBERi0="
CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
PING = ToolCall("add", {"a": 1}, "c1")
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def message(role: str, content: Any, **others: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **others}


def part(kind: str, **inner: Any) -> dict[str, Any]:
    return {"type": kind, kind: inner}


def media(kind: str, data: bytes = b"", url: str = "") -> pdl.Message:
    return pdl.Message("user", pdl.Media(kind, data, url))


USER, RESULT = pdl.Message("user", "Hi"), ToolResult(PING, "3")

CASES: list[tuple[str, list[Any], list[pdl.Message]]] = [
    ("text", [message("user", "Hi")], [USER]),
    ("developer", [message("developer", "Hi")], [pdl.Message("system", "Hi")]),
    ("empty", [message("assistant", None, refusal=None)], [pdl.Message("assistant", ())]),
    (
        "parts",
        [message("user", [{"type": "text", "text": "Hi"}, part("image_url", url=DATA)])],
        [pdl.Message("user", ("Hi", pdl.Media("png", PNG)))],
    ),
    (
        "url",
        [message("user", [part("image_url", url="https://a.org/b.JPG?c", detail="auto")])],
        [media("jpeg", url="https://a.org/b.JPG?c")],
    ),
    (
        "unknown kind",
        [message("user", [part("image_url", url="http://a.org/b")])],
        [media("", url="http://a.org/b")],
    ),
    (
        "audio",
        [message("user", [part("input_audio", data="SUQz", format="mp3")])],
        [media("mp3", b"ID3")],
    ),
    (
        "audio url",
        [message("user", [part("audio_url", url="http://a.org/b.wav")])],
        [media("wav", url="http://a.org/b.wav")],
    ),
    (
        "file",
        [
            message(
                "user",
                [
                    part(
                        "file",
                        filename="file.pdf",
                        file_data="data:application/pdf;base64,JVBERi0=",
                    )
                ],
            )
        ],
        [media("pdf", b"%PDF-")],
    ),
    (
        "calls",
        [CALLED, message("tool", "3", tool_call_id="c1"), message("user", "Hi")],
        [pdl.Message("assistant", PING), pdl.Message("user", RESULT), USER],
    ),
    (
        "parallel results",
        [
            CALLED,
            message("tool", [{"type": "text", "text": "3"}], tool_call_id="c1", name="add"),
            message("tool", "3", tool_call_id="c1"),
        ],
        [pdl.Message("assistant", PING), pdl.Message("user", (RESULT, RESULT))],
    ),
    ("a Message", [USER, message("assistant", "Yes")], [USER, pdl.Message("assistant", "Yes")]),
    (
        "no arguments",
        [
            message(
                "assistant", "", tool_calls=[{**CALL, "function": {"name": "f", "arguments": ""}}]
            )
        ],
        [pdl.Message("assistant", ToolCall("f", {}, "c1"))],
    ),
]


@pytest.mark.parametrize(("given", "made"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_messages(given: list[Any], made: list[pdl.Message]) -> None:
    assert pdl.Rendered.from_messages(given).messages == tuple(made)


BAD: list[tuple[Any, str]] = [
    ("Hi", "messages must be a list of dicts, not str"),
    (["Hi"], r"messages\[0\] must be a dict or a pdl.Message, not str"),
    ([{"content": "Hi"}], r"messages\[0\].role: expected a string, found nothing"),
    (
        [message("robot", "Hi")],
        r"messages\[0\].role: role must be `system`, `user` or `assistant`, not 'robot'",
    ),
    ([USER, {"role": "bot"}], r"messages\[1\].role: role must be `system`, `user` or .* 'bot'"),
    ([{"role": "user"}], r"messages\[0\].content: expected a string or a list, found nothing"),
    ([message("developer", None)], r"messages\[0\].content: expected a string or a list, found"),
    (
        [CALLED, {"role": "tool", "tool_call_id": "c1"}],
        r"messages\[1\].content: expected a string or a list, found nothing",
    ),
    (
        [message("user", [part("file", filename="a-1.pdf", file_data=PDF)])],
        r"content\[0\].file.filename: a pdl.Message has no such field: .* drop=\['filename'\]",
    ),
    ([message("function", "Hi")], "not 'function': tool results are parts"),
    ([message("user", 1)], r"messages\[0\].content: expected a string or a list, found int"),
    ([message("user", "Hi", name="Ann")], r"\[0\].name: a pdl.Message has no such field"),
    ([message("user", "Hi", tool_calls=[CALL])], r"\[0\].tool_calls: a pdl.Message has no such"),
    ([message("assistant", None, refusal="No")], r"\[0\].refusal: a pdl.Message has no such field"),
    ([message("user", [part("video_url", url="x")])], r"content\[0\].type: expected one of text, "),
    (
        [message("user", [part("image_url", url=DATA, detail="low")])],
        "detail: a pdl.Message has no",
    ),
    ([message("user", [part("image_url", url="data:text/plain,a")])], "or a data URL in base64"),
    ([message("user", [part("image_url", url="file:///a.png")])], "expected an http or https URL"),
    ([message("user", [part("image_url", url=DATA.replace("png", "gif"))])], "like a png file"),
    ([message("user", [part("image_url", url="data:image/bmp;base64,AAAA")])], "found image/bmp"),
    ([message("user", [part("image_url", url="data:image/png;base64,A")])], "it is not base64"),
    (
        [message("user", [part("file", file_id="f1")])],
        "file.file_data: expected a string, found no",
    ),
    ([message("tool", "3", tool_call_id="c9")], "no earlier message has a tool call .* 'c9'"),
    (
        [CALLED, message("tool", [part("image_url", url=DATA)], tool_call_id="c1")],
        "the result of a tool must be text",
    ),
    (
        [
            message(
                "assistant", "", tool_calls=[{**CALL, "function": {"name": "f", "arguments": "["}}]
            )
        ],
        r"tool_calls\[0\].function.arguments: they are not JSON",
    ),
    (
        [
            message(
                "assistant", "", tool_calls=[{**CALL, "function": {"name": "f", "arguments": "1"}}]
            )
        ],
        "they are not a JSON object",
    ),
    ([message("assistant", "", tool_calls=[{**CALL, "type": "custom"}])], "expected `function`"),
]


@pytest.mark.parametrize(("given", "words"), BAD, ids=[words[:30] for _, words in BAD])
def test_what_would_be_lost_is_refused(given: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        pdl.Rendered.from_messages(given)


def test_what_may_be_left_out() -> None:
    """It is listed in the order of the messages; other fields are refused as ever."""
    cached = {"cache_control": {"type": "ephemeral"}}
    given = [
        message("system", [{"type": "text", "text": "Hi", **cached}], **cached),
        message(
            "user",
            [
                part("image_url", url=DATA, detail="low"),
                part("file", filename="a-1.pdf", file_data=PDF),
            ],
        ),
        message("assistant", None, reasoning_content="Hm", tool_calls=[{**CALL, **cached}]),
        message("tool", "3", tool_call_id="c1"),
    ]
    drop = ["cache_control", "detail", "filename", "reasoning_content", "content"]
    found = pdl.Rendered.from_messages(given, drop=iter(drop))
    assert [(one.code, one.message) for one in found.warnings] == [
        ("turn/left-out", f"messages{where}: it was left out")
        for where in (
            "[0].content[0].cache_control",
            "[0].cache_control",
            "[1].content[0].image_url.detail",
            "[1].content[1].file.filename",
            "[2].tool_calls[0].cache_control",
            "[2].reasoning_content",
        )
    ]
    assert found.messages == (
        pdl.Message("system", "Hi"),
        pdl.Message("user", (pdl.Media("png", PNG), pdl.Media("pdf", b"%PDF-"))),
        pdl.Message("assistant", PING),
        pdl.Message("user", RESULT),
    )
    with pytest.raises(ValueError, match=r"messages\[2\].reasoning_content: .* no such field"):
        pdl.Rendered.from_messages(given, drop=drop[:3])
    assert pdl.Rendered.from_messages([USER], drop=drop).warnings == ()


@pytest.mark.parametrize("drop", ["detail", None, 3])
def test_drop_is_several_names(drop: Any) -> None:
    with pytest.raises(TypeError, match=r"drop must be names of fields: write \[name\]"):
        pdl.Rendered.from_messages([USER], drop=drop)


def test_objects_of_an_sdk() -> None:
    """Programs append what the SDK returned to their list of dicts."""
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    said = pydantic.create_model("Said", role=str, content=str, audio=(Any, None))
    found = pdl.Rendered.from_messages([said(role="assistant", content="Yes")])
    assert found.messages == (pdl.Message("assistant", "Yes"),)


@dataclass
class Order:
    name: str


def test_the_rest_of_a_prompt() -> None:
    tools = [{"type": "function", "function": {"name": "ping", "parameters": {"type": "object"}}}]
    made = pdl.Rendered.from_messages(
        [message("user", "Hi")], schema=Order, tools=tools, config={"temperature": 0}
    )
    assert made.check('{"name": "Ann"}').value == Order("Ann")
    assert made.tools is not None
    assert made.tools.names == ("ping",)
    body = made.to("openai", "MODEL")
    assert list(body) == ["model", "messages", "response_format", "tools", "temperature"]
    with pytest.raises(ValueError, match="unknown family 'mars'"):
        made.to("mars")
    with pytest.raises(pdl.ConfigError, match="`api_key` must not be in a config turn"):
        pdl.Rendered(made.messages, config={"api_key": "x"}).to("openai")


TEXTS = st.text(min_size=1)
CALLS = st.builds(
    lambda number, arguments: ToolCall(f"f{number}", arguments, f"call_{number}"),
    st.integers(0, 99),
    st.dictionaries(TEXTS, st.one_of(st.integers(), TEXTS, st.none(), st.lists(st.booleans()))),
)
PICTURE = pdl.Media("png", PNG)


@st.composite
def conversations(draw: st.DrawFn) -> list[pdl.Message]:
    messages = [pdl.Message("system", draw(TEXTS))] if draw(st.booleans()) else []
    for _ in range(draw(st.integers(1, 3))):
        said: list[Any] = [draw(TEXTS), *([PICTURE, draw(TEXTS)] if draw(st.booleans()) else [])]
        messages.append(pdl.Message("user", said))
        calls = draw(st.lists(CALLS, max_size=3, unique_by=lambda call: call.id))
        before = [draw(TEXTS)] if not calls or draw(st.booleans()) else []
        messages.append(pdl.Message("assistant", [*before, *calls]))
        if calls:
            results = [ToolResult(call, draw(st.text())) for call in calls]
            messages.append(pdl.Message("user", results))
    return [*messages, pdl.Message("user", draw(TEXTS))]


@given(conversations())
def test_there_and_back(messages: list[pdl.Message]) -> None:
    """What is written for OpenAI is read as the same messages."""
    body = pdl.Rendered(tuple(messages)).to("openai")
    again = pdl.Rendered.from_messages(body["messages"])
    assert again.messages == tuple(messages)
    assert again.to("openai") == body
