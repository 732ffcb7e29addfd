"""Replies of Gemini's generateContent, whole and as streams of such bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.models.exchange import Delta, Finish, Flaw, Reply, Usage
from pdl.models.payloads.bad import BadPayload
from pdl.models.payloads.reading import Found, opened, readable
from pdl.tools.calls import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json

_FINISH: dict[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        (
            *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
            *("MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
        ),
        "filter",
    ),
}
_BROKEN = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS")

_MARK = "\n"


def signed(call_id: str) -> tuple[str, str]:
    """The id of a call and the signature of the thoughts behind it, which goes back with it.

    Gemini refuses calls that come back without the signature that it gave them. It is no text that
    a person can read, so it travels in the id.
    """
    known, _, signature = call_id.partition(_MARK)
    return known, signature


def read(body: Json) -> Reply:
    """The reply that a body holds: its first candidate. Raises BadPayload for another shape."""
    found = opened(body)
    usage, model = _usage(found["usageMetadata"]), found["modelVersion"].text("")
    blocked = _blocked(found)
    if blocked is not None:
        return Reply("", finish="filter", usage=usage, model=model, flaw=blocked)
    candidate = found["candidates"].first()
    text, reasoning, calls, unread = _parts(candidate)
    finish = _finish(candidate, has_calls=bool(calls or unread))
    return Reply(text, reasoning, calls, finish, usage, model, _flaw(candidate) or unread)


def _blocked(found: Found) -> Flaw | None:
    """That the prompt was blocked: then there are no candidates."""
    reason = found["promptFeedback"]["blockReason"].text("")
    told = found["promptFeedback"]["blockReasonMessage"].text("")
    if not reason:
        return None
    return Flaw("refusal", f"the prompt was blocked: {reason}{told and f' ({told})'}")


def _parts(candidate: Found) -> tuple[str, str, tuple[ToolCall, ...], Flaw | None]:
    """The text, the thoughts and the calls of a candidate, which may have no content."""
    said: dict[bool, list[str]] = {False: [], True: []}
    called = []
    for part in candidate["content"]["parts"]:
        if part["functionCall"]:
            called.append(part)
        elif part["text"]:
            said[part["thought"].value is True].append(part["text"].text())
    return "".join(said[False]), "".join(said[True]), *readable(called, _call)


def _call(part: Found) -> ToolCall:
    call = part["functionCall"]
    signature = part["thoughtSignature"].text("")
    mark = _MARK + signature if signature else ""
    name = call["name"].text()
    return ToolCall(name, call["args"].arguments(name), call["id"].text("") + mark)


def _finish(candidate: Found, *, has_calls: bool) -> Finish:
    finish = _FINISH.get(candidate["finishReason"].text("STOP"), "other")
    return "tool" if has_calls and finish == "stop" else finish


def _flaw(candidate: Found) -> Flaw | None:
    """What is against a reply by the reason for which it stopped: no call, or more to come."""
    reason = candidate["finishReason"].text("STOP")
    if reason in _BROKEN:
        return Flaw("call", candidate["finishMessage"].text("") or reason)
    if reason in _FINISH and _FINISH[reason] != "filter":
        return None
    told = candidate["finishMessage"].text("") if reason in _FINISH else ""
    return Flaw("unfinished", f"{reason}{told and f' ({told})'}")


def _usage(counts: Found) -> Usage:
    """The counts; Gemini counts apart what its own tools gave to read, and what was thought."""
    written, thoughts = counts["candidatesTokenCount"].count(), counts["thoughtsTokenCount"].count()
    return Usage(
        _sum(counts["promptTokenCount"].count(), counts["toolUsePromptTokenCount"].count()),
        _sum(written, thoughts),
        counts["cachedContentTokenCount"].count(),
        thoughts,
    )


def _sum(*parts: int | None) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


class Deltas:
    """Reads a stream of bodies, of which one has a reason to finish; counts may follow it."""

    is_done = False

    def __init__(self) -> None:
        self._has_calls = False
        self._is_finished = False

    def feed(self, event: str, data: Json) -> Iterator[Delta]:  # noqa: ARG002 - events have no names
        """What a body tells."""
        found = opened(data)
        blocked = _blocked(found)
        usage = _usage(found["usageMetadata"]) if found["usageMetadata"] else None
        model = found["modelVersion"].text("")
        candidates = list(found["candidates"])
        if blocked is not None:
            self._is_finished = True
            yield Delta(finish="filter", usage=usage, model=model, flaw=blocked)
            return
        if not candidates:
            yield Delta(usage=usage, model=model)
            return
        text, reasoning, calls, unread = _parts(candidates[0])
        self._has_calls |= bool(calls or unread)
        finish, flaw = None, unread
        if candidates[0]["finishReason"]:
            self._is_finished = True
            finish = _finish(candidates[0], has_calls=self._has_calls)
            flaw = _flaw(candidates[0]) or unread
        # Counts are of all until then; those of the last body count.
        yield Delta(text, reasoning, calls, finish, usage if finish else None, model, flaw)

    def close(self) -> Iterator[Delta]:
        """Nothing is left, unless the stream was cut."""
        if not self._is_finished:
            raise BadPayload("the stream was cut: it ended before the reply did", is_cut=True)
        yield from ()
