"""`SettingsMap`: the settings of a call in a provider's body, and in the provider's errors."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pdl.errors import ConfigError, Problem, SchemaError
from pdl.models.exchange import TOKEN_LIMITS, Ignored
from pdl.schema.json_values import copy_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl._types import Json


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
_RESERVED = {
    "n": "only one reply is read: ask several times",
    "messages": "the turns of the prompt are the messages",
    "stream": "use the option `stream` of the call",
}

_ALSO = {
    "frequency_penalty": ("penalty",),
    "presence_penalty": ("penalty",),
    "reasoning_effort": ("thinking", "thinking.type", "reasoning"),
}
"""Other names of settings in errors."""
_REJECTED = re.compile(
    r"\b(?:unsupported|unknown|unrecogni[sz]ed|unexpected|deprecated|obsolete|incompatible|extra"
    r"|may only|must be unset|only the default|unavailable"
    r"|(?:not|n['’]t|cannot|never|only|no longer)\s+(?:\w+\s+){0,3}?(?:support\w*|permit\w*"
    r"|allow\w*|enabled|available|accept\w*|recogni[sz]ed|specified|used|set|combined|compatible"
    r"|applicable))\b",
    re.IGNORECASE,
)
"""How errors say that a model rejects a setting."""
_EITHER = re.compile(r"\bboth\b|\bonly one\b", re.IGNORECASE)
"""How errors say that a setting excludes another one, which is named first."""


_FORM = (
    *("response_format", "output_format", "output_config.format", "output_config", "text.format"),
    *("format", "text", "response_schema", "response_json_schema", "response_mime_type"),
    *("generation_config.response_schema", "generation_config.response_json_schema"),
    *("generation_config.response_mime_type", "json_schema", "grammar", "structured_outputs"),
)
"""Where the bodies of the providers have the form of a schema."""
_OF_FORM = re.compile(
    r"\b(?:response|output)[ _]?format\b|\btext\.format\b|^format\b|\boutput_config\b"
    r"|\bresponse[ _]?(?:json[ _]?)?schema\b|\bresponse[ _]?mime[ _]?type\b|[`'\"]format[`'\"]"
    r"|\bjson[ _]schema\b|\bjson[ _]mode\b|\bstructured[ _]outputs?\b|\bgrammars?\b",
    re.IGNORECASE,
)
"""How errors without a cause name it."""


@dataclass(frozen=True)
class SettingsMap:
    """Settings by their names in OpenAI's chat interface, and where a provider expects them.

    `paths` maps a name to the path of keys in the body; other names keep their own, below `rest`
    (at the top if that is empty) or at the top if `top` has them. `absent` are names that the
    provider doesn't have, with the reason; `converters` make the
    provider's value of OpenAI's.
    `words` are the supported values of a setting, each with the provider's word; a setting with
    another value is not sent. `reserved` are names that pdl itself writes, with what to do instead.
    """

    provider: str
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rest: tuple[str, ...] = ()
    top: frozenset[str] = frozenset()
    absent: Mapping[str, str] = field(default_factory=dict)
    converters: Mapping[str, Callable[[Json], Json]] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    reserved: Mapping[str, str] = field(default_factory=dict)

    def blamed(self, named: str, words: str, config: Mapping[str, Json]) -> str | None:
        """Return the setting that an error is about: it was sent, and this model rejects it.

        `named` is what the error names as its cause, if it names one, `words` the rest of it. A
        token limit is blamed only if the model doesn't know it: without one, a value that was too
        large would become a larger one.
        """
        names = {key: self._names(key) for key in config if key not in self.absent}
        cause = _spelled(named)
        found = [key for key, known in names.items() if _is_within(cause, known)]
        if not cause or any(
            one.startswith(f"{cause}.") for known in names.values() for one in known
        ):
            found = [key for key, known in names.items() if _is_blamed(words, known)]
            paths = {key: _first(words, names[key]) for key in found}
            found.sort(key=paths.__getitem__, reverse=_EITHER.search(words) is not None)
        is_known = _REJECTED.search(words) is None
        return next((key for key in found if not (is_known and key in TOKEN_LIMITS)), None)

    def blames_form(self, named: str, words: str) -> bool:
        """Return whether an error is about the form of the schema; arguments as for `blamed`."""
        if named:
            return _is_within(_spelled(named), frozenset(map(_spelled, _FORM)))
        return _REJECTED.search(words) is not None and _OF_FORM.search(words) is not None

    def _names(self, key: str) -> frozenset[str]:
        """Names of a setting in errors: its own, its path in the body, the last steps of that."""
        path = self.paths.get(key, (key,))
        steps = {".".join(path[index:]) for index in range(len(path))}
        also = _ALSO.get(key, ())
        return frozenset(map(_spelled, {key, *steps, *also, ".".join((*self.rest, *path))}))

    def write(self, config: Mapping[str, Json], body: dict[str, Any]) -> tuple[Ignored, ...]:
        """Write settings into a body that is otherwise complete; return those that are not sent.

        `model` is skipped, since the body names the model; so is an `n` of 1. Raises ConfigError
        for names that pdl writes itself, and for two settings with the same path.
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
        advice = {**_RESERVED, **self.reserved}.get(name)
        if advice is not None:
            return [self._problem(name, "is not a setting of a prompt", advice)]
        try:
            value = copy_json(self.converters[name](value) if name in self.converters else value)
        except SchemaError as error:
            return [self._problem(name, f"is not JSON: {error.problem.message}", "")]
        path = self.paths.get(name) or ((name,) if name in self.top else (*self.rest, name))
        target = body
        for key in path[:-1]:
            target = target.setdefault(key, {})
            if not isinstance(target, dict):
                return [
                    self._problem(
                        name, f"needs an object at `{key}`, which is set to another value", ""
                    )
                ]
        return self._put(name, value, target, path)

    def _put(
        self, name: str, value: Json, target: dict[str, Any], path: tuple[str, ...]
    ) -> list[Problem]:
        known = target.setdefault(path[-1], value)
        if isinstance(known, dict) and isinstance(value, dict):
            return self._merge(name, value, known)
        if known is not value and known != value:
            why = f"{self.provider} has one `{'.'.join(path)}`, which is {_shown(known)} already"
            return [self._problem(name, f"cannot be {_shown(value)}: {why}", "")]
        return []

    def _merge(self, name: str, value: dict[str, Json], target: dict[str, Any]) -> list[Problem]:
        """Add the members of a setting to those that are already there."""
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
    """Return a single value as a list of it."""
    return value if isinstance(value, list) else [value]


def _spelled(name: str) -> str:
    """Normalize the spellings of a name: `generation_config.topP`, `top-p`, `Top P`."""
    name = re.sub(r"^(?:body|request)\.", "", name.lower()).partition("[")[0]
    return re.sub(r"[^a-z0-9.]", "", name)


def _is_within(path: str, names: frozenset[str]) -> bool:
    """Whether a path in the request has one of some names, or is below one."""
    return any(path == name or path.startswith(f"{name}.") for name in names)


def _is_blamed(words: str, names: frozenset[str]) -> bool:
    """Whether an error without a cause blames a setting: it begins with it, or says why."""
    begins = _is_within(_spelled(words.partition(":")[0]), names)
    return begins or (_REJECTED.search(words) is not None and _first(words, names) >= 0)


def _first(words: str, names: frozenset[str]) -> int:
    """The offset of the first of some names in a text, as one word or two; -1 without one."""
    for found in re.finditer(r"[A-Za-z][\w.-]*(?=(\s+[A-Za-z]\w*)?)", words):
        one, pair = found.group().rstrip("."), found.group() + (found.group(1) or "")
        if _spelled(one) in names or _spelled(pair) in names:
            return found.start()
    return -1
