"""Replies that come character by character: `NAME.case` holds a schema and a reply.

The file beside it has a line for each character with which the partial changes: what came since
the line before, the value then, and the path that is open, or that the value is complete; below it
which parts are certain, and what was found wrong.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pdl
from pdl._types import format_path
from pdl.reply import Partial, Stream

if TYPE_CHECKING:
    from snapshots import Snapshot

CASES = Path(__file__).parent.parent / "cases" / "stream"
SEPARATOR = "\n=== reply ===\n"


def read(path: Path) -> tuple[pdl.Schema, str]:
    """The schema and the reply of a case, without the line end of the file."""
    notation, _, reply = path.read_text(encoding="utf-8").partition(SEPARATOR)
    reply = reply.removesuffix("\n")
    if notation.startswith('{"'):
        return pdl.Schema.from_json_schema(json.loads(notation)), reply
    return pdl.Schema.parse(notation), reply


def state(partial: Partial) -> str:
    if not partial.started:
        return "nothing"
    value = json.dumps(partial.value, ensure_ascii=False)
    return f"{value}  {'complete' if partial.growing is None else format_path(partial.growing)}"


def trace(schema: pdl.Schema, reply: str) -> str:
    stream = Stream(schema)
    lines: list[str] = []
    since, last, told = "", "nothing", 0
    sure: list[str] = []
    for char in reply:
        partial = stream.feed(char)
        since += char
        certain = [format_path(path) for path in partial.complete_paths()]
        if (state(partial), certain, len(partial.errors)) != (last, sure, told):
            lines.append(f"{json.dumps(since, ensure_ascii=False)}\n    {state(partial)}")
            new = [path for path in certain if path not in sure]
            lines += [f"    certain: {', '.join(new)}"] if new else []
            lines += [f"    ! {error} at {error.span}" for error in partial.errors[told:]]
            since, last, sure, told = "", state(partial), certain, len(partial.errors)
    if since:
        lines.append(f"{json.dumps(since, ensure_ascii=False)}\n    (as before)")
    check = stream.close()
    return "\n".join([*lines, f"= {json.dumps(check.value, ensure_ascii=False)} {check.summary}"])


@pytest.mark.parametrize("path", sorted(CASES.glob("*.case")), ids=lambda path: path.stem)
def test_stream(path: Path, snapshot: Snapshot) -> None:
    """What is shown, and what is found wrong, character by character."""
    schema, reply = read(path)
    snapshot.check(path.with_suffix(".txt"), trace(schema, reply))
