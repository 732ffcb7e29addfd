"""`BadPayload`: a body that is not what its provider documents, or that tells an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._types import format_path

if TYPE_CHECKING:
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
    provider documents. `is_cut` if a stream ended before its end.
    """

    def __init__(
        self,
        message: str,
        path: JsonPath = (),
        *,
        kinds: tuple[str, ...] = (),
        is_cut: bool = False,
    ) -> None:
        super().__init__(message, path)
        self.message = message
        self.path = path
        self.kinds = kinds
        self.is_cut = is_cut

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
    `{"error": "words"}` (Ollama), a list of one such object (Gemini, in streams),
    `{"object": "error", "message"}` (vLLM), `{"detail": …}` (servers made with FastAPI).
    """
    path: JsonPath = ()
    if isinstance(body, list) and body:
        body, path = body[0], (0,)
    if not isinstance(body, dict):
        return None
    if body.get("error"):
        return _error(body["error"], (*path, "error"))
    if body.get("object") == "error" or body.get("type") == "error":
        return _error(body, path)
    if body.get("detail") and len(body) == 1:
        return _error({"message": str(body["detail"])}, (*path, "detail"))
    return None


def _error(error: Json, path: JsonPath) -> BadPayload:
    if not isinstance(error, dict):
        return BadPayload(f"the provider tells an error: {_short(error)}", path, kinds=("error",))
    named = (error.get(key) for key in ("type", "code", "status"))
    kinds = tuple(dict.fromkeys(str(name) for name in named if isinstance(name, str | int)))
    words = error.get("message") or error.get("error") or error
    told = f" ({', '.join(kinds)})" if kinds else ""
    return BadPayload(
        f"the provider tells an error{told}: {_short(words)}", path, kinds=kinds or ("error",)
    )


def _short(words: Json, most: int = 500) -> str:
    text = " ".join(str(words).split())
    return text if len(text) <= most else f"{text[:most]}…"
