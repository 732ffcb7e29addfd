"""The server starts, ends and survives what it cannot read, as a process over pipes."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from lsp_client import Client, ResponseError, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROMPT = "<|input|>\n{ text: str }\n<|user|>\n{{ text }}\n"
PULL: dict[str, Any] = {"textDocument": {"diagnostic": {}}}
URI = "untitled:a"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with running(tmp_path) as started:
        yield started


def test_it_ends_with_0_after_shutdown_and_with_1_without(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.initialize({})
        assert client.shut_down() == 0
    with running(tmp_path) as client:
        client.initialize({})
        client.notify("exit", None)
        assert client.process.wait(60) == 1
    with running(tmp_path) as client:
        client.initialize({})
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(60) == 1


def test_requests_before_initialize_and_after_shutdown_are_refused(client: Client) -> None:
    with pytest.raises(ResponseError) as refused:
        client.request("textDocument/foldingRange", {"textDocument": {"uri": URI}})
    assert refused.value.code == -32002
    client.initialize({})
    client.request("shutdown")
    with pytest.raises(ResponseError) as refused:
        client.request("textDocument/foldingRange", {"textDocument": {"uri": URI}})
    assert refused.value.code == -32600


BAD: list[Any] = [
    b"{",
    b"[]",
    b"3",
    {"jsonrpc": "2.0", "id": 90, "method": "textDocument/hover", "params": {"textDocument": 3}},
    {"jsonrpc": "2.0", "id": 91, "method": "textDocument/foldingRange", "params": None},
    {"jsonrpc": "2.0", "id": 92, "method": "no/such"},
    {"jsonrpc": "2.0", "id": 93, "result": 3},
    {
        "jsonrpc": "2.0",
        "method": "textDocument/didChange",
        "params": {"textDocument": {"uri": "file:///x"}},
    },
    {
        "jsonrpc": "2.0",
        "method": "textDocument/didClose",
        "params": {"textDocument": {"uri": "file:///x"}},
    },
    {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 77}},
    {"jsonrpc": "2.0", "method": "no/such"},
    {"jsonrpc": "2.0", "method": "$/setTrace", "params": {"value": "loud"}},
]


def test_no_message_ends_it(client: Client) -> None:
    """A request that it cannot read is answered with an error; another is ignored."""
    client.initialize(PULL)
    client.open(URI, PROMPT)
    for message in BAD:
        client.send_bytes(message if isinstance(message, bytes) else json.dumps(message).encode())
        if isinstance(message, dict) and "id" in message and "method" in message:
            with pytest.raises(ResponseError):
                client.answer(message["id"])
        assert client.diagnostics(URI) == []


def test_any_uri_names_a_text_once_it_is_open(client: Client) -> None:
    client.initialize(PULL)
    for uri in ("file:///no/such.pdl", "untitled:b", "", "%%%", "file:", "http://["):
        for method in ("documentSymbol", "foldingRange"):
            assert not client.request(f"textDocument/{method}", {"textDocument": {"uri": uri}})
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        client.open(uri, PROMPT.replace("text }}", "txt }}"))
        assert client.diagnostics(uri)
        assert client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert not client.logged()


@pytest.mark.parametrize("pulls", [True, False])
def test_diagnostics_are_pulled_or_pushed_never_both(client: Client, pulls: bool) -> None:  # noqa: FBT001
    client.initialize(PULL if pulls else {})
    client.open(URI, PROMPT.replace("user", "usr"))
    assert client.diagnostics(URI)
    client.change(URI, {"text": PROMPT})
    assert client.diagnostics(URI) == []
    if pulls:
        with contextlib.suppress(TimeoutError):
            client.wait(lambda: False, 0.4)
        assert not [name for name, _ in client.notifications if "publish" in name]
    else:
        with pytest.raises(ResponseError):
            client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})
        client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        cleared = ("textDocument/publishDiagnostics", {"uri": URI, "diagnostics": []})
        client.wait(lambda: cleared in client.notifications)


@pytest.mark.parametrize(("augments", "words"), [(False, 5), (True, 1)])
def test_an_editor_with_a_grammar_gets_only_names(
    client: Client,
    augments: bool,  # noqa: FBT001
    words: int,
) -> None:
    lists: dict[str, list[str]] = {"tokenTypes": [], "tokenModifiers": [], "formats": []}
    tokens = {"requests": {"full": True}, **lists, "augmentsSyntaxTokens": augments}
    client.initialize({"textDocument": {"semanticTokens": tokens}})
    client.open(URI, "<|user|>\n{{ word ~ 'a' }}\n\n<|assistant|>\n{# why #}")
    found = client.request("textDocument/semanticTokens/full", {"textDocument": {"uri": URI}})
    assert len(found["data"]) == 5 * words
