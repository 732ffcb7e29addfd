"""`Family`: all that is to be known of a provider's interface.

`Settings` says where the settings of a call stand in a provider's body.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pdl.errors import ConfigError, Problem, SchemaError
from pdl.models.exchange import Delta, Ignored
from pdl.schema.json_values import copy_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pdl._types import Json
    from pdl.models.exchange import Payload, Reply, Request
    from pdl.tools.tool import ToolCall


CHAT_ONLY = (
    *(
        "audio",
        "modalities",
        "prediction",
        "prompt_cache_key",
        "prompt_cache_retention",
        "safety_identifier",
        "stream_options",
    ),
    "web_search_options",
)
"""Settings of OpenAI's chat interface that mean nothing elsewhere."""
_OURS = {
    "n": "one reply is read: ask several times",
    "messages": "the turns of the prompt are the messages",
    "stream": "whether the reply streams is asked for with the call",
}

TOKEN_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
"""Names of the setting that bounds what a model may write."""
_ALSO = {
    "frequency_penalty": ("penalty",),
    "presence_penalty": ("penalty",),
    "reasoning_effort": ("thinking", "thinking.type", "reasoning"),
}
"""What errors also call a setting."""
_UNTAKEN = re.compile(
    r"\b(?:unsupported|unknown|unrecogni[sz]ed|unexpected|deprecated|obsolete|incompatible|extra"
    r"|may only|must be unset|only the default|unavailable"
    r"|(?:not|n['’]t|cannot|never|only|no longer)\s+(?:\w+\s+){0,3}?(?:support\w*|permit\w*"
    r"|allow\w*|enabled|available|accept\w*|recogni[sz]ed|specified|used|set|combined|compatible"
    r"|applicable))\b",
    re.IGNORECASE,
)
"""How errors say that a model does not take a setting."""
_EITHER = re.compile(r"\bboth\b|\bonly one\b", re.IGNORECASE)
"""How errors say that a setting excludes another one, which is named first."""


_FORM = (
    *("response_format", "output_format", "output_config.format", "output_config", "text.format"),
    *("format", "text", "response_schema", "response_json_schema", "response_mime_type"),
    *("generation_config.response_schema", "generation_config.response_json_schema"),
    *("generation_config.response_mime_type", "json_schema", "grammar", "structured_outputs"),
)
"""Where the form of a schema stands in the bodies of the providers."""
_OF_FORM = re.compile(
    r"\b(?:response|output)[ _]?format\b|\btext\.format\b|^format\b|\boutput_config\b"
    r"|\bresponse[ _]?(?:json[ _]?)?schema\b|\bresponse[ _]?mime[ _]?type\b|[`'\"]format[`'\"]"
    r"|\bjson[ _]schema\b|\bjson[ _]mode\b|\bstructured[ _]outputs?\b|\bgrammars?\b",
    re.IGNORECASE,
)
"""How errors without a cause call it."""


@dataclass(frozen=True)
class Settings:
    """Names as OpenAI's chat interface has them, and where each provider wants them.

    `places` leads from a name to the keys under which it stands; names that are not in it keep
    their own, below `rest` (at the top if that is empty) or at the top if `top` has them.
    `absent` are names that the provider has no place for, with the reason; `forms` make the
    provider's value of OpenAI's. `words` are the values of a setting that the provider has, each
    with its own word; a setting with another value is not sent. `ours` are names that pdl itself
    writes, with what to do instead.
    """

    provider: str
    places: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rest: tuple[str, ...] = ()
    top: frozenset[str] = frozenset()
    absent: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[str, Callable[[Json], Json]] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ours: Mapping[str, str] = field(default_factory=dict)

    def accused(self, told: str, words: str, config: Mapping[str, Json]) -> str | None:
        """The setting that an error is about: it was sent, and this model does not take it so.

        `told` is what the error names as its cause, if it names one, `words` what else it says. A
        limit of tokens is accused only where the model does not know it: without one, a value that
        was too large would become a larger one.
        """
        names = {key: self._names(key) for key in config if key not in self.absent}
        cause = _spelled(told)
        found = [key for key, known in names.items() if _is_within(cause, known)]
        if not cause or any(
            one.startswith(f"{cause}.") for known in names.values() for one in known
        ):
            found = [key for key, known in names.items() if _is_accused(words, known)]
            places = {key: _first(words, names[key]) for key in found}
            found.sort(key=places.__getitem__, reverse=_EITHER.search(words) is not None)
        is_known = _UNTAKEN.search(words) is None
        return next((key for key in found if not (is_known and key in TOKEN_LIMITS)), None)

    def accuses_form(self, told: str, words: str) -> bool:
        """Whether an error is about the form of the schema; `told` and `words` as for `accused`."""
        if told:
            return _is_within(_spelled(told), frozenset(map(_spelled, _FORM)))
        return _UNTAKEN.search(words) is not None and _OF_FORM.search(words) is not None

    def _names(self, key: str) -> frozenset[str]:
        """What an error may call a setting: its own name, its place, the last steps to it."""
        place = self.places.get(key, (key,))
        steps = {".".join(place[index:]) for index in range(len(place))}
        also = _ALSO.get(key, ())
        return frozenset(map(_spelled, {key, *steps, *also, ".".join((*self.rest, *place))}))

    def write(self, config: Mapping[str, Json], body: dict[str, Any]) -> tuple[Ignored, ...]:
        """Write settings into a body that has all else already; list those without a place.

        `model` is skipped: the body names the model that is asked; so is an `n` of 1. Raises
        ConfigError for names that pdl writes itself, and for two that want the same place.
        """
        ignored, problems = [], []
        for name, value in config.items():
            if name in self.absent:
                ignored.append(Ignored(name, self.absent[name]))
            elif name in self.words and value not in self.words[name].values():
                own = self.words[name].get(value) if isinstance(value, str) else None
                if own is None:
                    ignored.append(Ignored(name, f"{self.provider} has no {_shown(value)} there"))
                else:
                    problems += self._write(name, own, body)
            elif name != "model" and (name, value) != ("n", 1):
                problems += self._write(name, value, body)
        if problems:
            raise ConfigError(*problems)
        return tuple(ignored)

    def _write(self, name: str, value: Json, body: dict[str, Any]) -> list[Problem]:
        advice = {**_OURS, **self.ours}.get(name)
        if advice is not None:
            return [self._problem(name, "is no setting of a prompt", advice)]
        try:
            value = copy_json(self.forms[name](value) if name in self.forms else value)
        except SchemaError as error:
            return [self._problem(name, f"is no JSON: {error.problem.message}", "")]
        place = self.places.get(name) or ((name,) if name in self.top else (*self.rest, name))
        target = body
        for key in place[:-1]:
            target = target.setdefault(key, {})
            if not isinstance(target, dict):
                return [self._problem(name, f"has no place: `{key}` is set, and no object", "")]
        return self._put(name, value, target, place)

    def _put(
        self, name: str, value: Json, target: dict[str, Any], place: tuple[str, ...]
    ) -> list[Problem]:
        known = target.setdefault(place[-1], value)
        if isinstance(known, dict) and isinstance(value, dict):
            return self._merge(name, value, known)
        if known is not value and known != value:
            told = f"{self.provider} has one `{'.'.join(place)}`, which is {_shown(known)} already"
            return [self._problem(name, f"cannot be {_shown(value)}: {told}", "")]
        return []

    def _merge(self, name: str, value: dict[str, Json], target: dict[str, Any]) -> list[Problem]:
        """Write the members of a setting beside those that are there already."""
        twice = [key for key, one in value.items() if key in target and target[key] != one]
        if twice:
            told = ", ".join(f"`{name}.{key}`" for key in twice)
            return [self._problem(name, f"sets {told}, which is set already", "")]
        target.update(value)
        return []

    def _problem(self, name: str, what: str, hint: str) -> Problem:
        return Problem("config/setting", f"`{name}` {what}", hint=hint)


def _shown(value: Json) -> str:
    return f"{json.dumps(value, ensure_ascii=False):.60}"


def listed(value: Json) -> Json:
    """One stop text as a list of it."""
    return value if isinstance(value, list) else [value]


def _spelled(name: str) -> str:
    """A name without what its spellings differ in: `generation_config.topP`, `top-p`, `Top P`."""
    name = re.sub(r"^(?:body|request)\.", "", name.lower()).partition("[")[0]
    return re.sub(r"[^a-z0-9.]", "", name)


def _is_within(place: str, names: frozenset[str]) -> bool:
    """Whether a place in the request has one of some names, or is a member of what has it."""
    return any(place == name or place.startswith(f"{name}.") for name in names)


def _is_accused(words: str, names: frozenset[str]) -> bool:
    """Whether an error that names no cause says so of a setting: it begins with it, or says why."""
    begins = _is_within(_spelled(words.partition(":")[0]), names)
    return begins or (_UNTAKEN.search(words) is not None and _first(words, names) >= 0)


def _first(words: str, names: frozenset[str]) -> int:
    """Where words first say one of some names, alone or in two words; -1 if they do not."""
    for found in re.finditer(r"[A-Za-z][\w.-]*(?=(\s+[A-Za-z]\w*)?)", words):
        one, pair = found.group().rstrip("."), found.group() + (found.group(1) or "")
        if _spelled(one) in names or _spelled(pair) in names:
            return found.start()
    return -1


DONE = "[DONE]"
"""The data of the event that ends OpenAI's streams: the one that is no JSON, fed as this string."""


class Deltas(Protocol):
    """Reads the events of one stream."""

    @property
    def is_done(self) -> bool:
        """Whether the event has come after which nothing does: the rest need not be waited for."""
        ...

    def feed(self, event: str, data: Json) -> Iterator[Delta]:
        """What an event tells: its name (empty where it has none) and its data as JSON.

        Raises BadPayload for data of another shape and for an error that it tells.
        """
        ...

    def close(self) -> Iterator[Delta]:
        """What is left when the stream has ended.

        Raises BadPayload, with `is_cut`, if the stream ended before its documented end.
        """
        ...


@dataclass(frozen=True)
class Family:
    """The interface of a provider: pure functions, nothing is sent.

    `payload(request, model)` makes the body of a request; it raises MediaError, TurnError or
    ConfigError for what the provider cannot take. `read(body)` reads the body of an answer and
    `deltas()` a stream of them, as the provider wrote them; `reply` and `stream` do so too and
    take back what `Payload.undo` and `Payload.begun` say: their text is the whole answer. `framing`
    is how streams are cut into events: SSE, or a line of JSON each. `path(model, stream)` goes
    behind the base URL. `key_variable` is the environment variable that by custom holds the key;
    `settings` tells where settings stand, by which an error's words find the one that is meant.
    `needs_key` says whether the server at `base_url` answers nobody without one. `repeats_begun`:
    a whole reply may have the beginning again that the prompt gave it; streams never do.
    `elsewhere` gives the interface of the same server for what this one does not take.
    """

    name: str
    base_url: str
    path: Callable[[str, bool], str]
    payload: Callable[[Request, str], Payload]
    read: Callable[[Json], Reply]
    deltas: Callable[[], Deltas]
    headers: Callable[[str], dict[str, str]]
    key_variable: str = ""
    needs_key: bool = False
    framing: Literal["sse", "ndjson"] = "sse"
    repeats_begun: bool = False
    settings: Settings = field(default_factory=lambda: Settings("the server"))
    elsewhere: Callable[[Request], Family | None] | None = None

    def by(self, request: Request) -> Family:
        """The interface that a request goes by: this one, or another of the same server."""
        return (self.elsewhere and self.elsewhere(request)) or self

    def reply(self, payload: Payload, body: Json) -> Reply:
        """What a model said to a payload, its text as the request's schema has it."""
        return self.restored(payload, self.read(body))

    def restored(self, payload: Payload, reply: Reply) -> Reply:
        """A reply as the provider wrote it, its text and calls as the request has them."""
        reply = replace(reply, calls=_own(reply.calls, payload))
        text = reply.text if payload.undo is None else payload.undo.text(reply.text)
        if self.repeats_begun and text.startswith(payload.begun):
            return replace(reply, text=text)
        return replace(reply, text=payload.begun + text)

    def stream(self, payload: Payload) -> Deltas:
        """Reads the events of a stream that answers a payload, its text likewise."""
        return _Restored(self.deltas(), payload)


def _own(calls: tuple[ToolCall, ...], payload: Payload) -> tuple[ToolCall, ...]:
    """Calls with the keys that the tools themselves have."""
    return tuple(
        replace(one, arguments=payload.renamed[one.name].back(one.arguments))
        if one.name in payload.renamed
        else one
        for one in calls
    )


class _Restored:
    """Deltas whose texts, joined, are in the form that the request's schema has."""

    def __init__(self, inner: Deltas, payload: Payload) -> None:
        self._inner = inner
        self._payload = payload
        self._begun = payload.begun
        self._undoing = None if payload.undo is None else payload.undo.stream()

    @property
    def is_done(self) -> bool:
        return self._inner.is_done

    def feed(self, event: str, data: Json) -> Iterator[Delta]:
        for delta in self._inner.feed(event, data):
            yield self._restored(delta)

    def close(self) -> Iterator[Delta]:
        for delta in self._inner.close():
            yield self._restored(delta)
        rest = self._begun + ("" if self._undoing is None else self._undoing.close())
        self._begun = ""
        if rest:
            yield Delta(text=rest)

    def _restored(self, delta: Delta) -> Delta:
        if delta.calls:
            delta = replace(delta, calls=_own(delta.calls, self._payload))
        if not delta.text:
            return delta
        text = delta.text if self._undoing is None else self._undoing.feed(delta.text)
        begun, self._begun = self._begun, ""
        return replace(delta, text=begun + text)
