"""What readers can do with the examples of a page: open a prompt in the playground, run code."""

from __future__ import annotations

import ast
import base64
import json
import shlex
import sys
import zlib
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from website.sources import ADDRESS, PLAYGROUND, Block, blocks

from pdl.errors import PdlError
from pdl.prompt.template import source_of
from pdl.testing import parse_cases, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ABSENT = {
    *("_thread", "asyncio", "concurrent", "ctypes", "http", "multiprocessing", "socket", "sqlite3"),
    *("ssl", "subprocess", "threading", "urllib"),
}
"""Modules of the standard library that a browser doesn't have, or has in another form."""
_PRESENT = (sys.stdlib_module_names - _ABSENT) | {"pdl"}
_NOT_IN_BROWSERS = {
    *("ask_async", "run_tools_async", "evaluate", "evaluate_async"),  # an event loop of their own
    *("run_tools", "Asker"),  # threads
    *("Stream", "stream"),  # partial matches of the package `regex`
    *("masks", "mcp_tools"),  # numpy; the network
    *("pin", "read_cases"),  # what commands of the page wrote before
}
"""Parts of pdl that don't work there, or need more than there is."""


class Page:
    """The examples of a page."""

    def __init__(self, name: str, text: str, *, play: bool) -> None:
        self.name = name
        self.blocks = blocks(text)
        self.play = play
        self.runnable = _runnable(self.blocks) if play else set()

    def after(self, number: int, block: Block) -> str:
        """Return the HTML that comes after the block of a number: a link, a place for a button."""
        if not self.play:
            return ""
        if number in self.runnable:
            return f'\n\n<div class="pdl-run" data-page="{self._key}" data-block="{number}"></div>'
        if block.is_prompt and not _reads_files(block.text):
            address = f"{ADDRESS}{PLAYGROUND}#s={packed(self._state(block))}"
            return f'\n\n<p class="pdl-try"><a href="{address}">Open in the playground</a></p>'
        return ""

    def write_steps(self, docs: Path) -> None:
        """Write the blocks of a page that has something to run, for assets/run.js."""
        if self.runnable:
            steps = [
                {"language": one.language, "file": one.file, "text": one.text}
                if number in self.runnable or one.file
                else {}
                for number, one in enumerate(self.blocks)
            ]
            path = docs / "assets" / "examples" / f"{self._key}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(steps, ensure_ascii=False), encoding="utf-8")

    @property
    def _key(self) -> str:
        return self.name.removesuffix(".md").replace("/", "-")

    def _state(self, block: Block) -> dict[str, str]:
        """The prompt, with the data and the reply that the page uses it with."""
        state = {"prompt": block.text, "data": "", "reply": ""}
        for data, reply in self._uses(block):
            state["data"] = state["data"] or data
            state["reply"] = state["reply"] or reply
        return state

    def _uses(self, prompt: Block) -> Iterator[tuple[str, str]]:
        """The data and replies of cases and commands of the page."""
        assert prompt.file
        files = {one.file: one.text for one in self.blocks if one.file}
        for one in self.blocks:
            if one.file == f"{prompt.file.removesuffix('.pdl')}.tests.pdl":
                yield _of_cases(one)
        for one in self.blocks:
            if one.language == "console":
                for line in one.text.splitlines():
                    if line.startswith("$ ") and f" {prompt.file}" in line:
                        yield _of_command(line[2:], files)


def packed(state: dict[str, str]) -> str:
    """The state as the playground reads it from its address, after `#s=`.

    >>> packed({"prompt": "", "data": "", "reply": ""})
    'q1YqKMrPLShRslJQ0lFKSSxJBDGUilILciqVagE'
    """
    text = json.dumps(state, ensure_ascii=False, separators=(",", ":")).encode()
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(text) + deflate.flush()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _of_cases(block: Block) -> tuple[str, str]:
    """The data and the reply of the first case."""
    path = Path(block.file or "")
    try:
        first = parts_of(parse_cases(source_of(block.text, str(path)), path, root=Path()).cases[0])
    except (PdlError, IndexError):
        return "", ""
    replies = [one.reply.text for one in first.recordings if one.reply]
    return _json(first.data), "".join(replies[:1])


def _json(data: Mapping[str, Any] | None) -> str:
    """Data as one edits it; nothing for none."""
    return json.dumps(data, ensure_ascii=False, indent=2) if data else ""


def _of_command(line: str, files: dict[str, str]) -> tuple[str, str]:
    """The data and the reply that a command names, by value or by a file of the page."""
    words, given, reply = shlex.split(line), "", ""
    if words[0] == "echo" and "|" in words:
        given = " ".join(words[1 : words.index("|")])
    data: dict[str, Any] = {}
    for option, value in pairwise(words):
        if option == "--context" and value in files and value.endswith(".json"):
            data |= json.loads(files[value])
        elif option == "--set":
            name, _, text = value.partition("=")
            data[name] = _value(text)
        elif option == "--reply":
            reply = given if value == "-" else files.get(value, "")
    return _json(data), reply


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _reads_files(text: str) -> bool:
    """Whether a prompt needs other files, which the playground of the site doesn't have."""
    marks = ("{% include", "{% import", "{% from", "{% extends", "<|media(", "\n@")
    return any(mark in text for mark in marks)


def _runnable(given: list[Block]) -> set[int]:
    """The numbers of the blocks of Python that run in a browser, after those above them."""
    found: set[int] = set()
    missing: set[str] = set()
    for number, block in enumerate(given):
        if block.language == "python" and not block.file:
            tree = ast.parse(block.text)
            stored, loaded = _names(tree)
            if _is_for_browsers(tree) and not loaded & missing:
                found.add(number)
                missing -= stored
            else:
                missing |= stored
    return found


def _is_for_browsers(tree: ast.Module) -> bool:
    return all(_is_there(node) for node in ast.walk(tree))


def _is_there(node: ast.AST) -> bool:
    """Whether a browser has what a part of the code names."""
    match node:
        case ast.Import(names=names):
            return all(one.name.split(".")[0] in _PRESENT for one in names)
        case ast.ImportFrom(module=str(module), names=names):
            parts = {*module.split("."), *(one.name for one in names)}
            return module.split(".")[0] in _PRESENT and not parts & _NOT_IN_BROWSERS
        case ast.Attribute(attr=name) | ast.keyword(arg=name):
            return name not in _NOT_IN_BROWSERS
    return True


def _names(tree: ast.Module) -> tuple[set[str], set[str]]:
    """The names that code binds, and those that it reads."""
    stored, loaded = set(), set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                stored.add(name)
            case ast.Name(id=name):
                loaded.add(name)
            case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
                stored.add(node.name)
            case ast.alias(name=name, asname=other):
                stored.add(other or name.split(".")[0])
    return stored, loaded
