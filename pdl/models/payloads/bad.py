"""`BadPayload`: a body that is not what its provider documents, or that tells an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._types import format_path
from pdl.models.exchange import Flaw, Reply
from pdl.models.retry import retry_info

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath

_PASSING = frozenset(
    {
        *("429", "500", "502", "503", "504", "529"),
        *("api_error", "internal", "internal_error", "internalservererror", "overloaded"),
        *("overloaded_error", "rate_limit_error", "rate_limit_exceeded", "ratelimiterror"),
        *("resource_exhausted", "server_error", "server_is_overloaded", "timeout"),
        *("timeout_error", "deadline_exceeded", "unavailable", "vector_store_timeout"),
    }
)
"""Names and numbers by which providers tell errors that another attempt may not meet."""


class BadPayload(Exception):  # noqa: N818 - it is named for what came, which is the fault itself
    """A body that cannot be read as a reply.

    `path` leads to what is wrong in it. `kinds` are the names that the provider gave to an error
    that the body tells (`overloaded_error`, `429`); none if the body has another shape than the
    provider documents. `is_cut` if a stream ended before its end. `setting` is the part of the
    request that the error is about, as the provider names it; `wait` how many seconds it asks to be
    left alone. `reply` is what the model said where the error is only that it is wrong.
    """

    def __init__(  # noqa: PLR0913 - all that an error may tell
        self,
        message: str,
        path: JsonPath = (),
        *,
        kinds: tuple[str, ...] = (),
        is_cut: bool = False,
        setting: str = "",
        wait: float | None = None,
        reply: Reply | None = None,
    ) -> None:
        super().__init__(message, path)
        self.message = message
        self.path = path
        self.kinds = kinds
        self.is_cut = is_cut
        self.setting = setting
        self.wait = wait
        self.reply = reply

    def __str__(self) -> str:
        return self.message if self.is_cut else f"{format_path(self.path)}: {self.message}"

    @property
    def is_transient(self) -> bool:
        """Whether another attempt may succeed: the provider is overloaded, or the stream was cut.

        Of an error that has no known name it is not said.
        """
        return self.is_cut or any(kind.lower() in _PASSING for kind in self.kinds)


def told_error(body: Json) -> BadPayload | None:
    """The error that a body tells, in the shape of any provider; None if it tells none.

    `{"error": {"message", "type" | "code" | "status"}}` (OpenAI, Anthropic, Gemini, llama-server),
    `{"error": "words"}` (Ollama), `{"error": "words", "code"}` (xAI), a list of one such object
    (Gemini, in streams), `{"object": "error", "message"}` (vLLM, Mistral), `{"detail": …}` (servers
    made with FastAPI).
    """
    path: JsonPath = ()
    if isinstance(body, list) and body:
        body, path = body[0], (0,)
    if not isinstance(body, dict):
        return None
    error = body.get("error")
    if error:
        if isinstance(error, str) and isinstance(body.get("code"), str):
            error = {"message": error, "code": body["code"]}
        return _error(error, (*path, "error"))
    if body.get("object") == "error" or body.get("type") == "error":
        return _error(body, path)
    if body.get("detail") and len(body) == 1:
        return _error({"message": body["detail"]}, (*path, "detail"))
    return None


def _error(error: Json, path: JsonPath) -> BadPayload:
    if not isinstance(error, dict):
        return BadPayload(f"the provider tells an error: {_short(error)}", path, kinds=("error",))
    details = [one for one in _list(error.get("details")) if isinstance(one, dict)]
    named = [error.get(key) for key in ("type", "code", "status")]
    named += [one.get("reason") for one in details]
    kinds = tuple(dict.fromkeys(str(name) for name in named if isinstance(name, str | int)))
    words = error.get("message") or error.get("error") or error
    told = f" ({', '.join(kinds)})" if kinds else ""
    return BadPayload(
        f"the provider tells an error{told}: {_short(words)}",
        path,
        kinds=kinds or ("error",),
        setting=next(_settings(error, details), ""),
        wait=next(filter(None, map(retry_info, details)), None),
        reply=_generated(error, kinds),
    )


def _settings(error: dict[str, Json], details: list[dict[str, Json]]) -> Iterator[str]:
    """The parts of the request that an error is about.

    OpenAI and its likes say `param`, Google `fieldViolations`, servers made with pydantic `loc`.
    """
    yield from _texts(error.get("param"))
    for detail in details:
        for violation in _list(detail.get("fieldViolations")):
            yield from _texts(violation.get("field") if isinstance(violation, dict) else None)
    message = error.get("message")
    for one in _list(message.get("detail") if isinstance(message, dict) else message):
        if isinstance(one, dict):
            yield ".".join(map(str, _list(one.get("loc"))))


def _generated(error: dict[str, Json], kinds: tuple[str, ...]) -> Reply | None:
    """What the model said, where the server refuses that as a call or as JSON (Groq)."""
    generated = error.get("failed_generation")
    if not isinstance(generated, str):
        return None
    is_call = "json_validate_failed" not in kinds
    flaw = Flaw("call", _short(error.get("message"))) if is_call else None
    return Reply(generated, finish="other", flaw=flaw)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _texts(value: Json) -> list[str]:
    return [value] if isinstance(value, str) and value else []


def _short(words: Json, most: int = 500) -> str:
    text = " ".join(str(words).split())
    return text if len(text) <= most else f"{text[:most]}…"
