"""`mcp_tools` against real servers: over standard input and output, and over HTTP."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doc_blocks import ROOT, blocks

import pdl
from pdl.models import Reply, mcp_tools
from pdl.tools import ToolCall, ToolSet

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.prompt import Message

SERVER = str(Path(__file__).with_name("mcp_server.py"))
COMMAND = [sys.executable, SERVER]
RENDERED = pdl.loads("<|user|>\nAdd up.\n<|schema|>\n{ sum: int }\n").render()


@contextmanager
def served() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The URL of a server on a free port, and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [*COMMAND, str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - our own
        try:
            until = time.monotonic() + 60
            while not answers(port):
                assert time.monotonic() < until
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/mcp", process
        finally:
            process.kill()


def answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served() as (url, _):
        yield url


@pytest.fixture(scope="module")
def started() -> Iterator[ToolSet]:
    with mcp_tools(command=COMMAND) as kit:
        yield kit


@pytest.fixture(scope="module")
def reached(url: str) -> Iterator[ToolSet]:
    with mcp_tools(url=url) as kit:
        yield kit


@pytest.fixture(params=["started", "reached"])
def kit(request: pytest.FixtureRequest) -> ToolSet:
    found: ToolSet = request.getfixturevalue(request.param)
    return found


def test_the_tools_of_a_server(kit: ToolSet) -> None:
    """Characters that no provider accepts in names are replaced."""
    assert kit.names[:2] == ("add", "files_read")
    assert kit["add"].description == "Add two numbers."
    assert kit["add"].schema.document["required"] == ["a", "b"]


@pytest.mark.parametrize(
    ("call", "text", "failed"),
    [
        (ToolCall("add", {"a": 1, "b": 2}), "3", False),
        (ToolCall("files_read", {"path": "x"}), "there is no x\nat all", True),
        (ToolCall("add", {"a": 1}), "missing the required field `b`", True),
        (
            ToolCall("media"),
            "[image, image/png, 3 bytes]\n[audio, audio/wav, 2 bytes]\nof a file\ntext",
            False,
        ),
    ],
)
def test_calls(kit: ToolSet, call: ToolCall, text: str, *, failed: bool) -> None:
    result = kit.dispatch(call)
    assert text in result.text
    assert (result.failed, result.call) == (failed, call)


def says(*replies: Reply | str) -> Any:
    left = iter(replies)

    def model(messages: tuple[Message, ...]) -> Reply | str:  # noqa: ARG001 - whatever it is told
        return next(left)

    return model


ADDS = Reply("", calls=(ToolCall("add", {"a": 1, "b": 2}, "c0"),))


def test_a_run(kit: ToolSet) -> None:
    done = pdl.run_tools(RENDERED, says(ADDS, '{"sum": 3}'), kit)
    assert (done.value, done.steps[0].results[0].text) == ({"sum": 3}, "3")


@pytest.mark.parametrize("over", ["command", "url"])
def test_an_async_block_calls_concurrently(over: str, url: str) -> None:
    """Each call waits for the others, so one at a time they would never end."""
    where: Any = {"command": COMMAND} if over == "command" else {"url": url}
    meets = tuple(ToolCall("meet", {"number": n}, f"c{n}") for n in range(3))

    async def main() -> pdl.models.ToolRun[Any]:
        async with mcp_tools(**where) as kit:
            return await pdl.run_tools_async(
                RENDERED, says(Reply("", calls=meets), '{"sum": 3}'), kit, timeout=60
            )

    done = asyncio.run(main())
    assert [result.text for result in done.steps[0].results] == ["0", "1", "2"]


def test_a_run_of_an_async_kit_without_its_event_loop() -> None:
    """A connection has an event loop of its own."""

    async def main() -> pdl.models.ToolRun[Any]:
        async with mcp_tools(command=COMMAND, only=["add"]) as kit:
            return await asyncio.to_thread(
                pdl.run_tools, RENDERED, says(ADDS, '{"sum": 3}'), kit, timeout=60
            )

    assert asyncio.run(main()).steps[0].results[0].text == "3"


def test_several_servers(url: str) -> None:
    with (
        mcp_tools(command=COMMAND, prefix="here_", only=["add"]) as first,
        mcp_tools(url=url, prefix="there_", only=["files.read", "add"]) as second,
    ):
        kit = ToolSet((*first, *second))
        assert kit.names == ("here_add", "there_add", "there_files_read")
        assert kit.dispatch(ToolCall("there_add", {"a": 1, "b": 2})).text == "3"


def test_only_some_variables_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with mcp_tools(command=COMMAND, env={"OWN": "1"}, only=["environment"]) as kit:
        names = kit.dispatch(ToolCall("environment")).text.split("\n")
    assert {"OWN", "PATH"} <= set(names)
    assert "OPENAI_API_KEY" not in names


def test_a_call_that_hangs() -> None:
    began = time.monotonic()
    with mcp_tools(command=COMMAND, call_timeout=0.5) as kit:
        result = kit.dispatch(ToolCall("hang"))
        again = kit.dispatch(ToolCall("add", {"a": 1, "b": 2}))
    assert result.failed
    assert result.text.endswith("mcp_server.py` did not answer within 0.5 s")
    assert again.text == "3"
    assert time.monotonic() - began < 30


def test_a_server_that_dies() -> None:
    """The model sees it; `raise_errors` raises it."""
    with mcp_tools(command=COMMAND) as kit:
        first, second = kit.dispatch([ToolCall("die"), ToolCall("add", {"a": 1, "b": 2})])
        assert first.failed
        assert second.failed
        assert "mcp_server.py` failed: Connection closed" in second.text
        with pytest.raises(ConnectionError):
            kit.dispatch(ToolCall("die"), raise_errors=True)


RAW = """
import json, sys

tool = {"name": "sad", "inputSchema": json.loads(sys.argv[1])}
version = {"serverInfo": {"name": "raw", "version": "1"}, "capabilities": {"tools": {}}}
for line in sys.stdin:
    asked = json.loads(line)
    method, reply = asked["method"], {"jsonrpc": "2.0", "id": asked.get("id")}
    if method == "initialize":
        reply["result"] = {**version, "protocolVersion": asked["params"]["protocolVersion"]}
    elif method == "tools/list":
        reply["result"] = {"tools": [tool]}
    else:
        code = int(sys.argv[2]) if method == "tools/call" else -32601
        reply["error"] = {"code": code, "message": "server sad"}
    if reply["id"] is not None:
        print(json.dumps(reply), flush=True)
"""
"""A server without the package, so that it can say anything."""


@pytest.mark.parametrize("code", [-32000, -32001, -32603, 7])
def test_an_error_of_the_server_is_not_one_of_the_connection(code: int) -> None:
    """The code -32000, which the package gives to lost connections, is any server's own, too."""
    command = [sys.executable, "-c", RAW, '{"type": "object"}', str(code)]
    with mcp_tools(command=command) as kit:
        result = kit.dispatch(ToolCall("sad"), raise_errors=True)
    assert result.failed
    assert result.text.startswith("the MCP server `python")
    assert result.text.endswith("` reports an error: server sad")


@pytest.mark.parametrize(
    ("schema", "where"),
    [('{"type": "objekt"}', "$.tools[0].inputSchema.type: "), ("[]", "$.tools[0].inputSchema: ")],
)
def test_a_schema_that_the_protocol_refuses(schema: str, where: str) -> None:
    command = [sys.executable, "-c", RAW, schema, "0"]
    with pytest.raises(pdl.ToolError) as caught, mcp_tools(command=command):
        pass
    told = str(caught.value)
    assert f"cannot be used: its answer is invalid: {where}Input should be" in told
    assert told.endswith("hint: the server must follow the protocol")
    assert "http" not in told


def test_a_server_that_dies_over_http() -> None:
    with served() as (url, process), mcp_tools(url=url, call_timeout=5) as kit:
        assert kit.dispatch(ToolCall("add", {"a": 1, "b": 2})).text == "3"
        process.kill()
        process.wait()
        result = kit.dispatch(ToolCall("add", {"a": 1, "b": 2}))
        assert result.failed
        assert result.text


def test_after_the_block() -> None:
    """An error of the program, so the model is not told."""
    tools = mcp_tools(command=COMMAND)
    with tools as kit, pytest.raises(RuntimeError, match="has begun already"), tools:
        pass
    with pytest.raises(pdl.ToolError, match=r"is closed\n  hint: call its tools inside the block"):
        kit.dispatch(ToolCall("add", {"a": 1, "b": 2}))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"command": ["no-such-command"]}, "`no-such-command` cannot be used: FileNotFoundError"),
        ({"command": [sys.executable, "-c", "pass"]}, "cannot be used: Connection closed"),
        (
            {"command": [sys.executable, "-c", "input(); input()"], "timeout": 0.5},
            "did not answer within 0.5 s",
        ),
        ({"url": "http://127.0.0.1:9/mcp?key=abc"}, "`http://127.0.0.1:9/mcp` cannot be used"),
        ({"command": COMMAND, "only": ["ad"]}, "has no tool `ad`\n  hint: did you mean `add`"),
        ({"command": COMMAND, "prefix": "a b"}, "invalid tool name `a badd`"),
    ],
)
def test_servers_that_cannot_be_used(given: dict[str, Any], told: str) -> None:
    with pytest.raises(pdl.ToolError) as caught, mcp_tools(**given):
        pass
    assert told in str(caught.value)
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        ({}, TypeError, "a command or a url, and not both"),
        ({"command": ["x"], "url": "http://a"}, TypeError, "and not both"),
        ({"command": "python server.py"}, TypeError, "command must be a list of str"),
        ({"command": []}, TypeError, "command must be a list of str"),
        ({"url": "file:///etc"}, ValueError, "url must begin with http"),
        ({"url": 3}, TypeError, "url must be a str"),
        ({"url": "http://a", "env": {}}, TypeError, "env is for a command"),
        ({"command": ["x"], "headers": {}}, TypeError, "headers are for a url"),
        ({"command": ["x"], "only": "add"}, TypeError, "write \\[name\\]"),
        ({"command": ["x"], "timeout": 0}, ValueError, "timeout must be a number"),
    ],
)
def test_bad_arguments(given: dict[str, Any], kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=told):
        mcp_tools(**given)


def test_secrets_are_not_shown() -> None:
    shown = repr(mcp_tools(url="https://ann:word@host/mcp?key=abc", headers={"x-key": "k"}))
    assert shown == "<tools of the MCP server https://host/mcp>"


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What docs/tools.md shows of servers."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    file, code, printed = blocks(page.split("## MCP servers")[1].split("\n## ")[0])
    assert file.file is not None
    Path(file.file).write_text(file.text, encoding="utf-8")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    exec(compile(code.text, "tools.md", "exec", dont_inherit=True), {})  # noqa: S102 - our own
    assert capsys.readouterr().out == printed.text
