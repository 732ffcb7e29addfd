"""Errors that providers tell, and what a fault says of them.

`tests/cases/payloads/PROVIDER/errors/NAME.json` is a response (`status`, `headers`, `body`, where
`events` are the body of a stream) to a request with the settings `config`; NAME.txt beside it says
what is read.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from models.conftest import KEY, Serve
from models.hostile import respond
from models.payloads.test_replies import named, told
from snapshots import CASES, Snapshot

from pdl.models import Fault, Request
from pdl.models.accumulator import StreamAccumulator
from pdl.models.options import AskOptions
from pdl.models.payloads import FAMILIES
from pdl.models.remote import RemoteModel
from pdl.models.secret import Secret

if TYPE_CHECKING:
    from pathlib import Path

    import pdl


@pytest.fixture
def request_of(rendered: pdl.Rendered) -> Request:
    return Request(rendered.messages, rendered.schema)


ERRORS = sorted((CASES / "payloads").glob("*/errors/*.json"))


@pytest.mark.parametrize("path", ERRORS, ids=named)
def test_an_error_is_told_as_what_it_is(
    path: Path, serve: Serve, request_of: Request, snapshot: Snapshot
) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    api = FAMILIES[path.parent.parent.name]
    asked = replace(request_of, config=case.get("config", {}), stream="events" in case)
    with_events = {"kind": "text/event-stream"} if asked.stream else {}
    body = "".join(case["events"]) if asked.stream else json.dumps(case["body"])
    server = serve(respond(f"{case.get('status', 200)} So", body, **with_events))
    model = RemoteModel(api, "tiny", server.url, Secret(KEY))
    try:
        found = read(model, asked)
    except Fault as fault:
        found = described(fault)
    snapshot.check(path.with_suffix(".txt"), found)


def read(model: RemoteModel, request: Request) -> str:
    if not request.stream:
        return told(model.reply(request, timeout=20))
    accumulator = StreamAccumulator(Request(()), AskOptions())
    for delta in model.stream(request, timeout=20):
        accumulator.feed(delta)
    return told(accumulator.reply)


def described(fault: Fault) -> str:
    said: dict[str, Any] = {"setting": fault.setting, "retry_after": fault.retry_after}
    said["form"] = fault.is_of_form
    more = "".join(f" {key}={value}" for key, value in said.items() if value)
    return f"{fault.kind}{more}: {fault.problem.message}"
