"""Tools as texts, replies that call them, their grammars: each beside what becomes of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from llama import llama, needs_llama
from snapshots import CASES, Snapshot

from pdl.errors import PdlError
from pdl.gbnf import Options
from pdl.schema import Schema
from pdl.source import Source
from pdl.tools import FORMATS, ToolSet, functions

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.tools import CallsCheck

FOLDER = CASES / "tools"
VALID = sorted((FOLDER / "valid").glob("*.tools"))
INVALID = sorted((FOLDER / "invalid").glob("*.tools"))
REPLIES = sorted((FOLDER / "replies").glob("*.txt"))
GRAMMARS = sorted((FOLDER / "grammars").glob("*.json"))
DOCSTRINGS = sorted((FOLDER / "docstrings").glob("*.txt"))
QUOTED: list[tuple[str, bool]] = json.loads((FOLDER / "quoted.json").read_text("utf-8"))
CALL = '{"name": "ping", "arguments": {}}'
TOOLS = ToolSet.parse((FOLDER / "replies" / "all.tools").read_text("utf-8"))


def name(path: Path) -> str:
    return path.stem


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


@pytest.mark.parametrize("path", VALID, ids=name)
def test_valid(path: Path, snapshot: Snapshot) -> None:
    """The tools as dicts, and as the text that means the same."""
    tools = ToolSet.parse(text_of(path), name=path.name)
    written = tools.to_text()
    shown = [f"{tool.name}: {json.dumps(tool.description)}" for tool in tools]
    dicts = [json.dumps(one["function"]["parameters"]) for one in tools.to_openai()]
    snapshot.check(path.with_suffix(".out"), "\n".join([written, "", *shown, "", *dicts]))
    assert ToolSet.parse(written) == tools
    assert ToolSet.from_openai(tools.to_openai()) == tools
    assert ToolSet.from_mcp({"tools": tools.to_mcp()}) == tools


@pytest.mark.parametrize("path", INVALID, ids=name)
def test_invalid(path: Path, snapshot: Snapshot) -> None:
    with pytest.raises(PdlError) as caught:
        ToolSet.parse(Source(text_of(path), path.name))
    assert all(problem.location for problem in caught.value.problems)
    kind = type(caught.value).__name__
    snapshot.check(path.with_suffix(".err"), f"{kind}\n{caught.value}")


def told(check: CallsCheck) -> str:
    calls = [
        f"call {one.name} {json.dumps(one.arguments)} {one.id}".rstrip() for one in check.calls
    ]
    errors = [f"error {one.reason}: {one.message}" for one in check.errors]
    repairs = [f"repair {one.kind}" for one in check.repairs]
    text = [f"text {json.dumps(check.text)}"]
    feedback = ["feedback", check.feedback] if check.feedback else []
    return "\n".join([*calls, *errors, *repairs, *text, *feedback])


@pytest.mark.parametrize("path", REPLIES, ids=name)
def test_replies(path: Path, snapshot: Snapshot) -> None:
    reply = text_of(path)
    check = TOOLS.check(reply)
    assert check.ok is not bool(check.errors)
    for error in check.errors:
        assert error.span is None or 0 <= error.span[0] < error.span[1] <= len(reply)
    snapshot.check(path.with_suffix(".out"), told(check))


@needs_llama
@pytest.mark.parametrize("path", GRAMMARS, ids=name)
def test_grammars(path: Path, snapshot: Snapshot) -> None:
    """The whole text of a grammar, which llama.cpp takes."""
    case: dict[str, Any] = json.loads(text_of(path))
    schema = Schema.parse(case["schema"]) if case["schema"] else None
    options = Options(whitespace=case["whitespace"], escapes="canonical", numbers="canonical")
    tools = ToolSet.parse(case["tools"])
    made = tools.grammar(case["format"], case["calls"], schema=schema, options=options)
    snapshot.check(path.with_suffix(".gbnf"), str(made.grammar))
    with llama(str(made.grammar)) as judge:
        assert judge is not None


@pytest.mark.parametrize("form", FORMATS)
def test_descriptions(form: str, snapshot: Snapshot) -> None:
    snapshot.check(FOLDER / "described" / f"{form}.out", TOOLS.describe(form))


@pytest.mark.parametrize("path", DOCSTRINGS, ids=name)
def test_docstrings(path: Path, snapshot: Snapshot) -> None:
    found = functions.read_docstring(text_of(path))
    told = json.dumps({"text": found.text, **found.parameters}, indent=1)
    snapshot.check(path.with_suffix(".out"), told)


@pytest.mark.parametrize(
    "call", [CALL, f"<tool_call>\n{CALL}\n</tool_call>"], ids=["bare", "marked"]
)
@pytest.mark.parametrize(("words", "made"), QUOTED)
def test_a_call_that_is_only_quoted_is_not_made(words: str, made: bool, call: str) -> None:  # noqa: FBT001 - a column
    """A call in others' words, or one that the model asks about, is an error that says so."""
    found = TOOLS.check(words.replace("{call}", call))
    assert found.ok is made
    assert bool(found.calls) is made
    assert made or {error.reason for error in found.errors} == {"ambiguous"}
