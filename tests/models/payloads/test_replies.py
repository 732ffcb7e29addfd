"""Bodies and streams as providers document them, and as they should never be.

`tests/cases/payloads/PROVIDER/replies/NAME.json` is a body, `streams/NAME.jsonl` the data of a
stream's events, one a line; NAME.txt beside them says what is read, or what is wrong and where.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
from snapshots import CASES, Snapshot

from pdl.models.exchange import Delta, Reply, Usage
from pdl.models.payloads import DONE, FAMILIES, BadPayload

if TYPE_CHECKING:
    from pathlib import Path

BODIES = sorted((CASES / "payloads").glob("*/replies/*.json"))
STREAMS = sorted((CASES / "payloads").glob("*/streams/*.jsonl"))


def named(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", BODIES, ids=named)
def test_a_body_is_read_or_refused(path: Path, snapshot: Snapshot) -> None:
    body = json.loads(path.read_text(encoding="utf-8"))
    try:
        found = told(FAMILIES[path.parent.parent.name].read(body))
    except BadPayload as bad:
        found = refused(bad)
    snapshot.check(path.with_suffix(".txt"), found)


@pytest.mark.parametrize("path", STREAMS, ids=named)
def test_a_stream_is_read_or_refused(path: Path, snapshot: Snapshot) -> None:
    """What came before an error is given before it."""
    deltas = FAMILIES[path.parent.parent.name].deltas()
    lines = []
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            data = DONE if line == DONE else json.loads(line)
            lines += [f"- {told(delta)}" for delta in deltas.feed("", data)]
        lines += [f"- {told(delta)}" for delta in deltas.close()]
    except BadPayload as bad:
        lines.append(refused(bad))
    snapshot.check(path.with_suffix(".txt"), "\n".join(lines))


def told(found: Reply | Delta) -> str:
    """The fields that say something."""
    empty = type(found)(text="")
    said = {one.name: getattr(found, one.name) for one in fields(found)}
    parts = [
        f"{key}={counts(value) if isinstance(value, Usage) else repr(value)}"
        for key, value in said.items()
        if value != getattr(empty, key) or key == "finish"
    ]
    return " ".join(part for part in parts if part != "finish=None")


def counts(usage: Usage) -> str:
    said: dict[str, Any] = {key: getattr(usage, key) for key in Usage.__slots__}
    return "+".join("?" if count is None else str(count) for count in said.values())


def refused(bad: BadPayload) -> str:
    kinds = f" kinds={','.join(bad.kinds)}" if bad.kinds else ""
    again = " (transient)" if bad.is_transient else ""
    return f"BadPayload: {bad}{kinds}{again}"
