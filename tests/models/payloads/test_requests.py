"""Bodies of requests: `tests/cases/payloads/PROVIDER/requests/NAME.json` holds each as a whole.

The prompts stand in `tests/cases/payloads/prompts`; what no file can say (tools, a conversation
that went on) in `requests.py`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from models.payloads.requests import requests
from snapshots import CASES, Snapshot

import pdl
from pdl.errors import PdlError
from pdl.models.payloads import FAMILIES

if TYPE_CHECKING:
    from pdl.models.payloads import ProviderApi
    from pdl.models.payloads.response_decoder import ResponseDecoder
    from pdl.models.request import Request

REQUESTS = requests()


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("provider", FAMILIES)
def test_the_body_is_the_one_that_the_provider_documents(
    provider: str, name: str, snapshot: Snapshot
) -> None:
    path = CASES / "payloads" / provider / "requests" / f"{name}.json"
    found = told(FAMILIES[provider], REQUESTS[name])
    snapshot.check(path, json.dumps(found, indent=2, ensure_ascii=False))


def told(api: ProviderApi, request: Request) -> dict[str, Any]:
    """All that a provider is sent and what it is not, or why nothing is."""
    try:
        payload = api.payload(request, "tiny-1")
    except PdlError as error:
        return {"error": f"{type(error).__name__}: {error}".split("\n")}
    more = {
        "dropped": [f"{one.pointer} {one.keyword}: {one.why}" for one in payload.dropped],
        "ignored": [f"{one.key}: {one.why}" for one in payload.ignored],
        "begun": payload.prefill,
        "undo": undone(payload.decoder),
    }
    where = {"path": api.path("tiny-1", request.stream), "body": payload.body}
    return {**where, **{key: value for key, value in more.items() if value}}


def undone(decoder: ResponseDecoder | None) -> dict[str, Any] | None:
    """What is to be undone: the wrapper's key, and the keys whose null says they are absent."""
    if decoder is None:
        return None
    return {"wrapper": decoder.key, "nulls": sorted(decoder.nulls)}


@pytest.mark.parametrize(("family", "path"), [("llama-server", 1), ("vllm", 2)])
def test_schemas_that_python_finds_equal_have_grammars_of_their_own(family: str, path: int) -> None:
    """`1 == True` in Python, and one grammar is kept for the next request."""
    grammars = []
    for value in (1, True):
        schema = pdl.Schema.from_json_schema({"enum": [value, "x"]})
        body = pdl.Request((pdl.Message("user", "Which?"),), schema).body(family)
        grammars.append(str(body["grammar" if path == 1 else "structured_outputs"]))
    assert "true" in grammars[1]
    assert "true" not in grammars[0]
