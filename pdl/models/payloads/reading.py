"""`JsonNode`: a value in a body with its path, for bodies that may contain anything.

`BadPayload` is a body that is not what its provider documents, or that reports an error.
`DeltaJoiner` joins surrogate pairs that were split: JSON may write a character as two escapes, in
two events.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from pdl._types import format_path
from pdl.models.exchange import Delta, Flaw, Reply
from pdl.models.faults import retry_info
from pdl.reply.validation.json_types import equal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl._types import Json, JsonPath
    from pdl.tools.tool import ToolCall


_FIRST, _LAST = "\ud800", "\udbff"


class DeltaJoiner:
    """Joins surrogate pairs that are split between deltas (RFC 8259, section 7)."""

    def __init__(self) -> None:
        self._held = {"text": "", "reasoning": ""}

    def feed(self, delta: Delta) -> Delta:
        """Return the delta after what was withheld; a high surrogate at its end is withheld."""
        text, reasoning = self._fed("text", delta.text), self._fed("reasoning", delta.reasoning)
        return replace(delta, text=text, reasoning=reasoning)

    def close(self) -> Iterator[Delta]:
        """Yield the high surrogates whose low surrogates never arrived."""
        if any(self._held.values()):
            yield Delta(self._held["text"], self._held["reasoning"])

    def _fed(self, kind: str, piece: str) -> str:
        if not piece:
            return ""
        piece = self._held[kind] + piece
        piece = piece if piece.isascii() else joined([piece])
        self._held[kind] = piece[-1] if _FIRST <= piece[-1] <= _LAST else ""
        return piece[: len(piece) - len(self._held[kind])]


def joined(pieces: list[str]) -> str:
    """Join pieces of text, and the surrogate pairs in it: both halves become one character."""
    return "".join(pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


_PASSING = frozenset(
    {
        *("429", "500", "502", "503", "504", "529"),
        *("api_error", "internal", "internal_error", "internalservererror", "overloaded"),
        *("overloaded_error", "rate_limit_error", "rate_limit_exceeded", "ratelimiterror"),
        *("resource_exhausted", "server_error", "server_is_overloaded", "timeout"),
        *("timeout_error", "deadline_exceeded", "unavailable", "vector_store_timeout"),
    }
)
"""Names and numbers of errors that a retry may avoid."""


class BadPayload(Exception):  # noqa: N818 - named for the body
    """A body that can't be read as a reply.

    `path` is where it is invalid. `kinds` are the provider's names of an error that the body
    reports (`overloaded_error`, `429`); empty if the body has an undocumented shape. `is_cut`: a
    stream ended before its end. `setting` is the part of the request that the error is about, as
    the provider names it; `wait` how many seconds it asks to wait. `reply` is what the model said,
    if the error is only that the provider can't parse it.
    """

    def __init__(  # noqa: PLR0913 - everything that an error may report
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
        """Whether a retry may succeed: the provider is overloaded, or the stream was cut.

        Errors without a known name don't count.
        """
        return self.is_cut or any(kind.lower() in _PASSING for kind in self.kinds)


def reported_error(body: Json) -> BadPayload | None:
    """Return the error that a body reports, in the shape of any provider; None without one.

    `{"error": {"message", "type" | "code" | "status"}}` (OpenAI, Anthropic, Gemini, llama-server),
    `{"error": "words"}` (Ollama), `{"error": "words", "code"}` (xAI), a list of one such object
    (Gemini, in streams), `{"object": "error", "message"}` (vLLM, Mistral), `{"detail": …}` (servers
    with FastAPI).
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
        return BadPayload(f"the provider reports an error: {_short(error)}", path, kinds=("error",))
    details = [one for one in _list(error.get("details")) if isinstance(one, dict)]
    named = [error.get(key) for key in ("type", "code", "status")]
    named += [one.get("reason") for one in details]
    kinds = tuple(dict.fromkeys(str(name) for name in named if isinstance(name, str | int)))
    words = error.get("message") or error.get("error") or error
    told = f" ({', '.join(kinds)})" if kinds else ""
    return BadPayload(
        f"the provider reports an error{told}: {_short(words)}",
        path,
        kinds=kinds or ("error",),
        setting=next(_settings(error, details), ""),
        wait=next(filter(None, map(retry_info, details)), None),
        reply=_generated(error, kinds),
    )


def _settings(error: dict[str, Json], details: list[dict[str, Json]]) -> Iterator[str]:
    """The parts of the request that an error is about.

    OpenAI and similar servers write `param`, Google `fieldViolations`, servers with pydantic `loc`.
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
    """What the model said, if the server can't parse that as a call or as JSON (Groq)."""
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


_ARGUMENTS = 200  # characters of arguments that are shown


class BadCallError(Exception):
    """The model wrote a call that can't be parsed."""


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A JSON value in a body; None if there is none.

    Every method raises BadPayload, with the path, if the value has another type.
    """

    value: Json
    path: JsonPath = ()

    def __bool__(self) -> bool:
        return self.value is not None

    def __getitem__(self, key: str) -> JsonNode:
        """Return a member of an object; null has none."""
        if self.value is None:
            return JsonNode(None, (*self.path, key))
        return JsonNode(self.object().get(key), (*self.path, key))

    def __iter__(self) -> Iterator[JsonNode]:
        """Iterate over an array of objects; null has none."""
        if self.value is None:
            return
        if not isinstance(self.value, list):
            self.refuse("an array")
        for index, value in enumerate(self.value):
            found = JsonNode(value, (*self.path, index))
            found.object()
            yield found

    def first(self) -> JsonNode:
        """Return the first element of an array, which must have one."""
        if not isinstance(self.value, list) or not self.value:
            self.refuse("an array with an element")
        return JsonNode(self.value[0], (*self.path, 0))

    def object(self) -> dict[str, Json]:
        """Return the value, which must be an object."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return self.value

    def text(self, default: str | None = None) -> str:
        """Return the value, which must be a string; for null the `default`, if given."""
        if self.value is None and default is not None:
            return default
        if not isinstance(self.value, str):
            self.refuse("a string")
        return self.value

    def count(self) -> int | None:
        """Return the value, which must be a non-negative integer, or null."""
        if self.value is None:
            return None
        value = self.value
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.refuse("a number of tokens")
        return value

    def arguments(self, name: str) -> dict[str, Json]:
        """Return the arguments of a call: an object, or the JSON of one; empty for null and "".

        Raises BadCallError for anything else.
        """
        value, why = self.value, ""
        if value is None or (isinstance(value, str) and not value.strip()):
            return {}
        if isinstance(value, str):
            try:
                value = json.loads(value, parse_constant=_no_constant, object_pairs_hook=_members)
            except (ValueError, RecursionError) as error:
                why = f" ({error})"
        if not isinstance(value, dict):
            shown = _shown(self.value, _ARGUMENTS)
            raise BadCallError(f"the arguments of `{name}` are not a JSON object: {shown}{why}")
        return value

    def refuse(self, wanted: str) -> NoReturn:
        """Raise BadPayload: what was expected here, and what was found."""
        raise BadPayload(f"expected {wanted}, found {_shown(self.value)}", self.path)


def parsed_calls(
    items: Iterable[JsonNode], read: Callable[[JsonNode], ToolCall]
) -> tuple[tuple[ToolCall, ...], Flaw | None]:
    """Return the calls that can be parsed, and the flaw of the first one that can't."""
    calls, flaw = [], None
    for item in items:
        try:
            calls.append(read(item))
        except BadCallError as error:
            flaw = flaw or Flaw("call", str(error))
    return tuple(calls), flaw


def body_of(body: Json) -> JsonNode:
    """Return a body, which must be an object. Raises BadPayload if it reports an error."""
    error = reported_error(body)
    if error is not None:
        raise error
    found = JsonNode(body)
    found.object()
    return found


def _members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """The members of an object. Two different values of a key are ambiguous."""
    found: dict[str, Json] = {}
    for key, value in pairs:
        if key in found and not equal(found[key], value):
            raise ValueError(f"`{key}` has two values")
        found.setdefault(key, value)
    return found


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def _shown(value: Json, most: int = 60) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        kind = "object" if isinstance(value, dict) else "array"
        return f"an {kind} of {len(value)}" if value else f"an empty {kind}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else f"{text[:most]}…"
