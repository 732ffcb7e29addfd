"""What is sent to models of which one generation takes what another refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from models.payloads.requests import requests

import pdl
from pdl.models.payloads import FAMILIES
from pdl.models.payloads.effort import is_gemini_3, thinks_by_itself
from pdl.models.payloads.schema_dialect import is_plain, is_simple
from pdl.models.request import Request
from pdl.prompt.messages import Message, Text
from pdl.tools import ToolCall, ToolResult, ToolSet

if TYPE_CHECKING:
    from pdl.models.payloads.provider_api import Payload

REQUESTS = requests()
ASKED = Message("user", (Text("?"),))
NEW, OLD = "gemini-3.8-flash", "gemini-2.5-flash"


def gemini(request: Request, model: str) -> Payload:
    return FAMILIES["gemini"].payload(request, model)


@pytest.mark.parametrize(
    ("model", "is_new"),
    [
        ("gemini-3-pro-preview", True),
        ("gemini-3.8-flash", True),
        ("models/gemini-4-argon", True),
        ("gemini-10.2", True),
        ("publishers/google/models/gemini-3.1-flash-lite", True),
        ("gemini-2.5-pro", False),
        ("gemini-2.0-flash-001", False),
        ("gemini-1.5-pro", False),
        ("gemini-pro", False),
        ("gemini-flash-latest", False),
        ("gemma-3-27b-it", False),
        ("tiny-1", False),
    ],
)
def test_gemini_3(model: str, is_new: bool) -> None:  # noqa: FBT001
    assert is_gemini_3(model) == is_new


@pytest.mark.parametrize(
    ("model", "thinks"),
    [
        ("claude-sonnet-5-5", True),
        ("claude-opus-5", True),
        ("claude-haiku-5-5", True),
        ("claude-fable-5-1", True),
        ("claude-mythos-preview", True),
        ("claude-opus-4-7", True),
        ("claude-opus-4-8-20260401", True),
        ("anthropic.claude-opus-4-7-v1:0", True),
        ("anthropic/claude-opus-4.7", True),
        ("claude-next", True),
        ("claude-opus-4-6", False),
        ("claude-sonnet-4-6", False),
        ("claude-haiku-4-5-20251001", False),
        ("claude-haiku-4-5@20251001", False),
        ("claude-opus-4-20250514", False),
        ("claude-3-7-sonnet-latest", False),
        ("claude-2.1", False),
        ("claude-instant-1.2", False),
        ("tiny-1", False),
    ],
)
def test_claude_that_decides_how_long_it_thinks(model: str, thinks: bool) -> None:  # noqa: FBT001
    assert thinks_by_itself(model) == thinks


def test_gemini_3_takes_tools_and_a_schema_together() -> None:
    request = REQUESTS["tools_and_schema"]
    new, old = gemini(request, NEW), gemini(request, OLD)
    alone = gemini(Request((ASKED,), request.schema), NEW)
    assert new.body["generationConfig"] == alone.body["generationConfig"]
    assert new.body["tools"] == old.body["tools"]
    assert not new.dropped
    [dropped] = old.dropped
    assert dropped.why == "Gemini before 3 supports either a schema or tools, not both"


MANY = ToolSet.parse("\n".join(f"tool{n}(a: str, b: str, c: str)" for n in range(34)))


@pytest.mark.parametrize(
    ("tools", "config", "model", "found"),
    [
        (REQUESTS["tools"].tools, {}, NEW, {"functionCallingConfig": {"mode": "VALIDATED"}}),
        (
            REQUESTS["tools"].tools,
            {"toolConfig": {"retrievalConfig": {"languageCode": "de"}}},
            NEW,
            {
                "retrievalConfig": {"languageCode": "de"},
                "functionCallingConfig": {"mode": "VALIDATED"},
            },
        ),
        (
            REQUESTS["tools"].tools,
            {"tool_choice": "auto"},
            NEW,
            {"functionCallingConfig": {"mode": "AUTO"}},
        ),
        (REQUESTS["tools"].tools, {}, OLD, None),
        (MANY, {}, NEW, None),
        (ToolSet.parse("send(to: [str]<,200>)"), {}, NEW, None),
        (None, {}, NEW, None),
    ],
)
def test_calls_of_gemini_3_are_held_to_their_schemas(
    tools: ToolSet | None, config: dict[str, Any], model: str, found: dict[str, Any] | None
) -> None:
    """Unless the settings say how tools are called, or their schemas are large."""
    body = gemini(Request((ASKED,), tools=tools, config=config), model).body
    assert body.get("toolConfig") == found


def test_calls_that_gemini_3_did_not_make_have_a_signature() -> None:
    """The first of each turn; its own have their own."""
    calls = [ToolCall("now", id="call_1"), ToolCall("now", id="call_2")]
    own = ToolCall("now", id="call_3\nc2lnbmVk")
    messages = (
        ASKED,
        Message("assistant", tuple(calls)),
        Message("user", tuple(ToolResult(call, "12:00") for call in calls)),
        Message("assistant", (own,)),
        Message("user", (ToolResult(own, "12:01"),)),
    )
    request = Request(messages, tools=REQUESTS["tools"].tools)
    skip = "skip_thought_signature_validator"
    for model, signatures in ((NEW, [skip, None, "c2lnbmVk"]), (OLD, [None, None, "c2lnbmVk"])):
        body: dict[str, Any] = gemini(request, model).body
        parts = [part for turn in body["contents"] for part in turn["parts"]]
        found = [part.get("thoughtSignature") for part in parts if "functionCall" in part]
        assert found == signatures


BUDGET = {"type": "enabled", "budget_tokens": 10_000, "display": "omitted"}


@pytest.mark.parametrize(
    ("model", "config", "sent"),
    [
        (
            "claude-sonnet-5-5",
            {"thinking": BUDGET},
            {
                "thinking": {"type": "adaptive", "display": "omitted"},
                "output_config": {"effort": "medium"},
                "max_tokens": 18_192,
            },
        ),
        (
            "claude-opus-4-7",
            {"thinking": {**BUDGET, "budget_tokens": 2000}, "output_config": {"effort": "max"}},
            {
                "thinking": {"type": "adaptive", "display": "omitted"},
                "output_config": {"effort": "max"},
                "max_tokens": 10_192,
            },
        ),
        (
            "claude-opus-5",
            {"thinking": {**BUDGET, "budget_tokens": 32_000}, "max_tokens": 64_000},
            {
                "thinking": {"type": "adaptive", "display": "omitted"},
                "output_config": {"effort": "high"},
                "max_tokens": 64_000,
            },
        ),
        ("claude-haiku-4-5", {"thinking": BUDGET}, {"thinking": BUDGET, "max_tokens": 18_192}),
        (
            "claude-opus-5",
            {"thinking": {"type": "adaptive"}},
            {"thinking": {"type": "adaptive"}, "max_tokens": 8_192},
        ),
        (
            "claude-opus-5",
            {"thinking": {"type": "disabled"}},
            {"thinking": {"type": "disabled"}, "max_tokens": 8_192},
        ),
    ],
)
def test_a_budget_for_thoughts_is_an_effort_where_the_model_decides(
    model: str, config: dict[str, Any], sent: dict[str, Any]
) -> None:
    payload = FAMILIES["anthropic"].payload(Request((ASKED,), config=config), model)
    body = {key: one for key, one in payload.body.items() if key not in ("model", "messages")}
    assert body == sent
    is_changed = body["thinking"] != config["thinking"]
    assert [one.key for one in payload.ignored] == ["thinking"] * is_changed


def test_an_effort_stands_beside_a_schema() -> None:
    schema = pdl.Schema.parse("{ a: int }")
    request = Request((ASKED,), schema, config={"thinking": BUDGET})
    body: dict[str, Any] = FAMILIES["anthropic"].payload(request, "claude-sonnet-5-5").body
    assert body["output_config"].keys() == {"effort", "format"}


@pytest.mark.parametrize(
    ("pattern", "is_held"),
    [
        ("^[A-Z]{3}$", True),
        (r"^\d{4}-\d{2}-\d{2}$", True),
        ("^(a|b)+$", True),
        (r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", True),
        ("^(([a-z]{20}){5}){3}$", False),
        (r"^a\|b$", True),
        ("^[|]$", True),
        ("^$", True),
        ("[A-Z]{3}", False),
        ("^a", False),
        ("a$", False),
        (r"^a\$", False),
        ("^a$|^b$", False),
        ("^[a-z]{1,255}$", False),
        ("^[a-z]{64,}$", True),
        ("^(?=a)b$", False),
        (r"^(a)\1$", False),
        (r"^\bword\b$", False),
        ("^a*?$", False),
    ],
)
def test_patterns_at_anthropic(pattern: str, is_held: bool) -> None:  # noqa: FBT001
    """Of a whole text, without what its guide excludes, and without large counts."""
    assert (is_plain(pattern) and is_simple(pattern)) == is_held
    document = {"type": "object", "properties": {"x": {"type": "string", "pattern": pattern}}}
    schema = pdl.Schema.from_json_schema({**document, "required": ["x"]})
    payload = FAMILIES["anthropic"].payload(Request((ASKED,), schema), "claude-sonnet-5-5")
    assert (pattern in str(payload.body).replace("\\\\", "\\")) == is_held
    assert bool(payload.dropped) != is_held
