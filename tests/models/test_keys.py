"""A key is in the header that it is for, and nowhere else."""

from __future__ import annotations

import base64
import io
import json
import logging
import pickle
import traceback
from typing import TYPE_CHECKING, Any

import pytest
from models import hostile
from models.conftest import KEY, QUICK, Serve
from models.hostile import respond

from pdl.models import AskError, Cache, ask, connect
from pdl.models.payloads import FAMILIES

if TYPE_CHECKING:
    from pathlib import Path

    import pdl

SCRIPTS = (
    hostile.reset,
    respond("429 Too Many Requests", json.dumps({"error": {"message": KEY}}), retry_after_ms="1"),
    respond("500 Internal Server Error", f"your headers: {KEY}"),
    respond("200 OK", f"<html>{KEY}</html>", "text/html"),
    respond("200 OK", f'{{"error": "{KEY}"}}'),
    respond("200 OK", f"{{{KEY}"),
    respond("307 Temporary Redirect", "", location="http://elsewhere/"),
)


@pytest.mark.parametrize("scheme", FAMILIES)
@pytest.mark.parametrize("stream", [False, True])
def test_everywhere(
    scheme: str,
    stream: bool,  # noqa: FBT001
    serve: Serve,
    rendered: pdl.Rendered,
    tmp_path: Path,
) -> None:
    """Neither errors, tracebacks with their causes, logs nor files tell it, whatever happens."""
    server = serve(*SCRIPTS)
    model = connect(f"{scheme}:tiny", base_url=server.url, key=KEY)
    logged = io.StringIO()
    handler = logging.StreamHandler(logged)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with pytest.raises(AskError) as caught:
            ask(
                rendered, model, retries=len(SCRIPTS), call_timeout=9.0, backoff=QUICK,
                stream=stream, cache=Cache(tmp_path / "cache.db"),
            )  # fmt: skip
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    assert caught.value.ending == "fault"
    assert len(server.received) == len(caught.value.attempts) == len(SCRIPTS)
    told = "".join(traceback.format_exception(caught.value))
    assert KEY not in told
    assert KEY not in repr(caught.value.attempts)
    assert KEY not in logged.getvalue()
    assert not any(KEY in text for text in _texts(caught.value))
    assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.iterdir())
    for received in server.received:
        assert KEY not in received.path
        assert KEY not in json.dumps(received.body)
        assert [KEY in value for value in received.headers.values()].count(True) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_faults_have_no_past(
    stream: bool,  # noqa: FBT001
    serve: Serve,
    rendered: pdl.Rendered,
) -> None:
    """What a server said stands in no context; a pickle tells no more than the text."""
    long = "x" * 290 + f"{KEY}{KEY}"  # what is shown ends within it
    folded = f"{KEY[:9]}\n  {KEY[9:]}".upper()
    code = base64.b64encode(f"Bearer {KEY}".encode()).decode()
    scripts = (
        respond("400 Bad Request", json.dumps({"error": {"message": f"\x1b[2J{long}"}})),
        respond("400 Bad Request", long),
        respond("400 Bad Request", f"{folded} {code} {KEY[:14]}"),
        respond("200 OK", f"{long[250:]} is no JSON"),
        respond("200 OK", json.dumps({"choices": [{"message": {"content": [KEY]}}]})),
    )
    model = connect("openai:tiny", base_url=serve(*scripts).url, key=KEY)
    for _ in scripts:
        with pytest.raises(AskError) as caught:
            ask(rendered, model, retries=0, stream=stream)
        [attempt] = caught.value.attempts
        fault = attempt.fault
        assert fault is not None
        assert (fault.__context__, fault.__cause__) == (None, None)
        told = f"{caught.value} {fault!r} {pickle.dumps(caught.value)!r}"
        for secret in (KEY[:6], KEY[-8:], folded[:12], code[12:24], "\x1b"):
            assert secret not in told.replace(KEY[:3] + "***", "")
        assert "***" in str(caught.value)


def _texts(error: BaseException) -> list[str]:
    """All that can be read in an error, its causes and what their fields hold."""
    found: list[str] = []
    pending: list[Any] = [error]
    seen: set[int] = set()
    while pending:
        one = pending.pop()
        if id(one) in seen or isinstance(one, type):
            continue
        seen.add(id(one))
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            pending += [*one, *one.values()]
        elif isinstance(one, list | tuple | set):
            pending += one
        elif isinstance(one, BaseException):
            pending += [one.args, one.__cause__, vars(one)]
            pending += [one.__context__]
        elif type(one).__module__.startswith("pdl."):
            pending += [getattr(one, "__dict__", {})]
            pending += [getattr(one, name, None) for name in getattr(one, "__slots__", ())]
    return found
