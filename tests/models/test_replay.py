"""Recorded replies, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from models.hostile import GOOD

import pdl
from pdl.errors import FileError
from pdl.models import AskError, Fault, Request, Usage, ask, connect
from pdl.tools.tool import ToolCall

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.models import Model


def recorded(folder: Path, text: str) -> Model:
    path = folder / "replies"
    path.write_text(text, encoding="utf-8", newline="")
    return connect(f"replay:{path}")


def request(text: str = "hi") -> Request:
    return Request(pdl.loads(f"<|user|>\n{text}\n").render().messages)


def test_lines(tmp_path: Path) -> None:
    """Everything that a reply has can be recorded."""
    model = recorded(
        tmp_path,
        '\ufeff{"text": "one", "usage": {"output_tokens": 3}, "finish": "length", "model": "m"}\r\n'
        "\n"
        '{"text": "", "reasoning": "hm", "calls": [{"name": "f", "arguments": {"a": 1}}]}\n',
    )
    first, second = (model.reply(request(), timeout=1) for _ in range(2))
    assert (first.text, first.finish, first.model) == ("one", "length", "m")
    assert first.usage == Usage(output_tokens=3)
    assert (second.reasoning, second.calls) == ("hm", (ToolCall("f", {"a": 1}),))
    with pytest.raises(Fault, match="no reply left for this request, of 2") as caught:
        model.reply(request(), timeout=1)
    assert caught.value.kind == "exhausted"


def test_match(tmp_path: Path) -> None:
    """A reply may wait for the request that it is for."""
    model = recorded(tmp_path, '{"text": "b", "match": "two"}\n{"text": "a"}\n{"text": "c"}')
    texts = [model.reply(request(text), timeout=1).text for text in ("one", "two", "two")]
    assert texts == ["a", "b", "c"]


@pytest.mark.parametrize("text", ["Hello,\nworld\n", GOOD, "{", '{\n"text": 1}', "[1]\n"])
def test_plain_text(text: str, tmp_path: Path) -> None:
    """Any other file is one reply, also one that is JSON."""
    assert recorded(tmp_path, text).reply(request(), timeout=1).text == text


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_file(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="contains no reply"):
        recorded(tmp_path, text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", ":2:1: expected a recorded reply in this line"),
        ("[]", "each line is a JSON object"),
        ('{"txt": "a"}', "unknown key `txt`; expected one of "),
        ('{"text": 1}', "`text` is a string"),
        ('{"text": "a", "finish": "done"}', "`finish` is one of "),
        ('{"text": "a", "usage": {"tokens": 1}}', "`usage` is an object of "),
        ('{"text": "a", "usage": {"input_tokens": "1"}}', "`usage` contains integers"),
        ('{"text": "a", "calls": [1]}', "a call has a `name`"),
        ('{"text": "a", "calls": [{"name": "f", "arguments": 1}]}', "`arguments` is an object"),
        ("[" * 100_000, "expected a recorded reply"),
    ],
)
def test_bad_lines(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        recorded(tmp_path, '{"text": "a"}\n' + line)
    assert message in str(caught.value)


def test_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "replies"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="is not UTF-8"):
        connect(f"replay:{path}")


def test_asked(tmp_path: Path, rendered: pdl.Rendered) -> None:
    """As a stream, word by word; and when none is left, that is the end of it."""
    pieces: list[str] = []
    lines = '{"text": "Here it is."}\n{"text": "{\\"name\\": \\"Ann\\", \\"age\\": 30}"}\n'
    model = recorded(tmp_path, lines)
    answer = ask(rendered, model, on_delta=lambda delta: pieces.append(delta.text))
    assert answer.value == {"name": "Ann", "age": 30}
    assert pieces[:4] == ["Here", " it", " is.", ""]
    with pytest.raises(AskError, match="exhausted"):
        ask(rendered, model)
