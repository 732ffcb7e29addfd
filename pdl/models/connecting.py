"""From the name of a model to the model."""

from __future__ import annotations

import importlib
import os
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pdl.errors import ConfigError, Problem, did_you_mean, missing_package
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.models.payloads import FAMILIES
from pdl.models.replay import read_replay
from pdl.models.secret import Secret
from pdl.prompt.files import Folder, JailError

if TYPE_CHECKING:
    from pdl.models.exchange import Model
    from pdl.models.payloads import ProviderApi
    from pdl.prompt.rendered import Rendered

_FILES = frozenset({"llama", "replay"})
SCHEMES = frozenset({*FAMILIES, *_FILES})
"""What the name of a model begins with, before the colon."""
_SUFFIXES = {".gguf": "llama", ".jsonl": "replay"}
"""The schemes that read files with such a name."""
_KEY_VARIABLE = "PDL_API_KEY"
MODEL_VARIABLE = "PDL_MODEL"
"""The environment variable with the name of the model, where nothing else names one."""


def connect(
    name: str, *, base_url: str | None = None, key: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Model:  # fmt: skip
    """Return a model by its name: a scheme, a colon, and the scheme's name of it.

    `openai:MODEL`, `anthropic:…`, `gemini:…`, `ollama:…` and the other providers; with `base_url`
    any server with such an interface (`http://127.0.0.1:8080/v1`). `llama:PATH.gguf` runs in this
    process. `replay:FILE` returns recorded replies.

    Without `key`, the key is the value of the provider's environment variable (`OPENAI_API_KEY`,
    …), which is sent only to the provider's own server, and required there; any other address is
    sent the value of `PDL_API_KEY`, if it is set. Nothing is sent yet. Raises TypeError for a name
    or a base URL that is not a str, ConfigError for an invalid name, a missing key, an invalid
    address, or a package that is not installed; FileError for a file that can't be read.
    """
    _check_texts(name=name, base_url=base_url, key=key)
    scheme, rest = scheme_of(name)
    if scheme in FAMILIES:
        return _remote(FAMILIES[scheme], rest, base_url, key, limits)
    if base_url is not None:
        hint = "use `llama-server:` for a llama.cpp server" if scheme == "llama" else ""
        raise _problem("option", f"`{scheme}:` models have no base URL", hint)
    return read_replay(rest, limits) if scheme == "replay" else _llama(rest)


def scheme_of(name: str) -> tuple[str, str]:
    """Return the scheme in a model's name, and the scheme's name of it. Raises ConfigError."""
    scheme, colon, rest = name.partition(":")
    if not colon or scheme not in SCHEMES:
        raise _unknown(name, scheme if colon else "")
    if not rest.strip():
        raise _problem("model", f"`{name}` has no model after the colon")
    return scheme, rest


def connect_at(name: str, base_url: str | None) -> Model:
    """Return a model by its name, at an address if it has one: models in files have none.

    For a base URL that is given once, for several models. Raises what `connect` raises.
    """
    has_server = name.partition(":")[0] not in _FILES
    return connect(name, base_url=base_url if has_server else None)


def model_named_by(
    rendered: Rendered, *, base_url: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Model:
    """Return the model of a prompt's config turn, or else of the variable `PDL_MODEL`.

    A config turn, which a stranger might have written, can only name files below its own directory.
    Raises ConfigError if neither names a model, and what `connect` raises.
    """
    written = rendered.config.get("model")
    if written:
        return connect(below(str(written), rendered.folder), base_url=base_url, limits=limits)
    named = os.environ.get(MODEL_VARIABLE)
    if named:
        return connect(named, base_url=base_url, limits=limits)
    hint = (
        f"pass a model (`--model NAME`), write `model: NAME` in the config turn, or set the"
        f" environment variable {MODEL_VARIABLE}"
    )
    raise _problem("no-model", "no model is named", hint)


def below(name: str, folder: Folder | None) -> str:
    """Return the model name of a prompt file, in which a file is below the prompt's directory.

    Raises ConfigError for any other file.
    """
    scheme, colon, path = name.partition(":")
    if not colon or scheme not in _FILES or not path.strip():
        return name
    if folder is None:
        raise _unreachable("the prompt has no directory")
    try:
        return f"{scheme}:{folder.locate(path)}"
    except JailError as error:
        raise _unreachable(str(error)) from error


def _unreachable(reason: str) -> ConfigError:
    hint = "pass a model in another directory as `--model`, or in Python as the argument `model`"
    return _problem("model", f"the config turn names a file that may not be read: {reason}", hint)


def _remote(
    api: ProviderApi, model: str, base_url: str | None, key: str | None, limits: Limits
) -> Model:
    address = _address(api.base_url if base_url is None else base_url)
    if api.name == "openai" and address != _address(api.base_url):
        # Compatible servers know `max_tokens` and `top_k`, but not what came later.
        other = FAMILIES["litellm"]
        api = replace(api, payload=other.payload, settings=other.settings, alternative=None)
    if key is None:
        key = _key(api, address)
    try:
        remote = importlib.import_module("pdl.models.remote")
    except ModuleNotFoundError as error:
        if error.name != "httpx":
            raise
        raise missing_package(f"`{api.name}:` needs", "httpx", "run") from error
    made: Model = remote.RemoteModel(api, model, address, Secret(key or ""), limits)
    return made


def _key(api: ProviderApi, address: str) -> str | None:
    """The key in the environment for an address: the provider's own, or that of others.

    The provider's key is sent to no other server, even if the base URL has a typing mistake.
    """
    if _server(address) != _server(_address(api.base_url)):
        return os.environ.get(_KEY_VARIABLE)
    key = os.environ.get(api.key_variable) if api.key_variable else None
    if not key and api.needs_key:
        hint = f"set the environment variable {api.key_variable}, or in Python pass `key`"
        raise _problem("no-key", f"`{api.name}:` needs a key", hint)
    return key


def _server(address: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port: who receives what is sent, and whether it is encrypted."""
    parts = urlsplit(address)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, port


def _check_texts(**given: object) -> None:
    for option, value in given.items():
        if not isinstance(value, str) and (value is not None or option == "name"):
            raise TypeError(f"{option} must be a str, not {type(value).__name__}")


def _llama(path: str) -> Model:
    made: Model = importlib.import_module("pdl.models.llama").LlamaModel(path)
    return made


def _address(url: str) -> str:
    """A base URL as it is used. Raises ConfigError for an invalid one."""
    url = url.strip()
    if not url.isprintable() or " " in url:  # urlsplit ignores some of these
        raise _problem("base-url", "the base URL contains spaces or control characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _problem("base-url", f"the base URL is not a valid address: {error}") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        hint = "begin it with http:// or https:// and the name of a host"
        raise _problem("base-url", "the base URL is not the address of a server", hint)
    if parts.username or parts.password or parts.query or parts.fragment:
        hint = f"put the key into the environment variable {_KEY_VARIABLE}"
        raise _problem("base-url", "the base URL must not contain a user, key, `?` or `#`", hint)
    return url.rstrip("/")


def _unknown(name: str, scheme: str) -> ConfigError:
    known = sorted(SCHEMES)
    suffix = PurePath(name).suffix.lower()
    if suffix in _SUFFIXES:
        hint = f"write `{_SUFFIXES[suffix]}:{name}`"
        return _problem("model", f"`{name}` does not name a provider", hint)
    if not scheme:
        hint = f"write `openai:{name}` or `ollama:{name}`, for example"
        return _problem("model", f"`{name}` does not name a provider", hint)
    hint = (
        did_you_mean(scheme, known) or f"expected one of {', '.join(f'`{one}:`' for one in known)}"
    )
    return _problem("model", f"unknown provider `{scheme}:`", hint)


def _problem(code: str, message: str, hint: str = "") -> ConfigError:
    return ConfigError(Problem(f"config/{code}", message, hint=hint))
