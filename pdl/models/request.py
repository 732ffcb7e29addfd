"""`Request`: one call of a model, and the body of it for each family of providers.

`GivenRequest` is the request that a function gets as its argument. It notes what the function
reads (`Taken`), because what it doesn't read can't reach the model.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pdl.errors import did_you_mean
from pdl.models.exchange import Dropped, Ignored
from pdl.models.faults import Fault
from pdl.prompt.config import refuse_addresses
from pdl.prompt.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Self

    from pdl._types import Json
    from pdl.models.payloads.provider_api import Payload, ProviderApi
    from pdl.prompt import Rendered
    from pdl.prompt.rendered import Origin
    from pdl.schema import Schema
    from pdl.tools.toolset import ToolSet


@dataclass(frozen=True)
class Request:
    """One call of a model.

    `config` has the settings of the call under their names in OpenAI's chat interface
    (`temperature`, `max_tokens`, `stop`, `seed`, `top_p`, ...); each provider translates them, and
    passes on unknown ones. `constrain` asks for the strongest method by which the provider can
    enforce `schema` and `tools`; without it they are only described. `stream`: the caller reads the
    reply as it arrives. `describe`: this model rejects the form of the schema, so a description
    replaces it. `model` is the name of the model in the prompt's config turn, without the
    provider, and `provider` that one; both may be empty. `origin` is the prompt, `taken` what a
    function read of the request, once one was asked.
    """

    messages: tuple[Message, ...]
    schema: Schema | None = None
    tools: ToolSet | None = None
    config: Mapping[str, Json] = field(default_factory=dict)
    constrain: bool = True
    stream: bool = False
    describe: bool = False
    model: str = ""
    provider: str = ""
    origin: Origin | None = field(default=None, repr=False, compare=False)
    taken: Taken | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, rendered: Rendered, *, constrain: bool = True) -> Self:
        """Return the request of a rendered prompt.

        Raises ConfigError for an address or a key in its config turn.
        """
        refuse_addresses(rendered.config)
        config = dict(rendered.config)
        provider, model = provider_and_name(config.pop("model", ""))
        return cls(
            rendered.messages,
            rendered.schema,
            rendered.tools,
            config,
            constrain,
            model=model,
            provider=provider,
            origin=rendered.origin,
        )

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the prompt that was rendered; empty if none was."""
        return self.origin.fingerprint if self.origin is not None else ""

    @property
    def seed(self) -> int | None:
        """The sampling seed in `config`; None without one."""
        seed = self.config.get("seed")
        return seed if isinstance(seed, int) else None

    def openai(self, model: str = "", *, stream: bool = False) -> dict[str, Any]:
        """Return the body for OpenAI's chat completions; see `body`."""
        return self.body("openai", model, stream=stream)

    def openai_responses(self, model: str = "", *, stream: bool = False) -> dict[str, Any]:
        """Return the body for OpenAI's responses; see `body`."""
        return self.body("openai-responses", model, stream=stream)

    def litellm(self, model: str = "", *, stream: bool = False) -> dict[str, Any]:
        """Return the body for LiteLLM and any server with OpenAI's interface; see `body`."""
        return self.body("litellm", model, stream=stream)

    def anthropic(self, model: str = "", *, stream: bool = False) -> dict[str, Any]:
        """Return the body for Anthropic's messages; see `body`."""
        return self.body("anthropic", model, stream=stream)

    def gemini(self, model: str = "", *, stream: bool = False) -> dict[str, Any]:
        """Return the body for Gemini's `generateContent`, which does not name the model."""
        return self.body("gemini", model, stream=stream)

    def ollama(self, model: str = "", *, stream: bool = False) -> dict[str, Any]:
        """Return the body for Ollama's `/api/chat`; see `body`."""
        return self.body("ollama", model, stream=stream)

    def llama_server(self, model: str = "", *, stream: bool = False) -> dict[str, Any]:
        """Return the body for the server of llama.cpp, with a grammar; see `body`."""
        return self.body("llama-server", model, stream=stream)

    def vllm(self, model: str = "", *, stream: bool = False) -> dict[str, Any]:
        """Return the body for vLLM, with a grammar; see `body`."""
        return self.body("vllm", model, stream=stream)

    def body(self, family: str, model: str = "", *, stream: bool = False) -> dict[str, Any]:
        """Return the JSON body that pdl would send to a family of providers, by its name.

        `model` is the provider's name of the model, by default the one of the prompt's config turn,
        if that one is not of another provider; without both, the body names no model. `stream` asks
        the provider for a stream. What the provider doesn't enforce or doesn't have is left out,
        and `payload` lists it. Raises ValueError for an unknown family, TypeError for a `stream`
        that is not a bool, and what `ProviderApi.payload` raises for what the provider doesn't
        support.
        """
        return self.payload(family, model, stream=stream)[1].body

    def payload(
        self, family: str, model: str = "", *, stream: bool = False
    ) -> tuple[ProviderApi, Payload]:
        """Return the interface of a family, and the body with what it leaves out.

        `payload.dropped` lists the parts of the schema, and the tools, that the provider doesn't
        enforce, `payload.ignored` the settings that it doesn't have. Raises what `body` raises.
        """
        from pdl.models.payloads.turns import described  # noqa: PLC0415 - few functions need it

        if not isinstance(stream, bool):
            raise TypeError(f"stream must be a bool, not {type(stream).__name__}")
        api = family_of(family)
        named = model or self.model_for(api)
        payload = api.payload(described(replace(self, stream=stream)), named)
        if not payload.body.get("model"):
            payload.body.pop("model", None)
        return api, payload

    def model_for(self, api: ProviderApi) -> str:
        """Return the model of the prompt's config turn; empty if it is of another provider."""
        if not self.provider or family_of(self.provider).base_url == api.base_url:
            return self.model
        return ""

    if not TYPE_CHECKING:  # type checkers would allow any name

        def __getattr__(self, name: str) -> NoReturn:
            """Raise AttributeError, for a provider with the family whose body it takes."""
            if name.startswith("_"):
                raise AttributeError(name)
            raise AttributeError(f"a pdl.Request has no {name!r}{_no_family(name)}")


_SAME = {
    "azure": "openai",
    "bedrock": "anthropic",
    "vertex": "gemini",
    "google": "gemini",
    "claude": "anthropic",
    "llama": "llama_server",
    "llamacpp": "llama_server",
}
"""Services and the family whose body they take, or their models do."""


def _no_family(name: str) -> str:
    """Advice for a name that is neither an attribute nor a family."""
    from pdl.models.payloads import FAMILIES  # noqa: PLC0415 - few functions need them

    known = [one.replace("-", "_") for one in FAMILIES]
    same = next((family for service, family in _SAME.items() if service in name.lower()), "")
    hint = f"use `{same}`" if same else did_you_mean(name, known)
    bodies = ", ".join(f"`{one}`" for one in known)
    return f"; {hint}" if hint else f"; the bodies of providers are {bodies}"


def family_of(name: str) -> ProviderApi:
    """Return the interface of a family; `_` may replace `-`. Raises ValueError for another name."""
    from pdl.models.payloads import FAMILIES  # noqa: PLC0415 - few functions need them

    own = str(name).replace("_", "-")
    if own not in FAMILIES:
        known = ", ".join(FAMILIES)
        advice = did_you_mean(own, FAMILIES) or f"expected one of {known}"
        raise ValueError(f"unknown family {name!r}: {advice}")
    return FAMILIES[own]


def provider_and_name(model: Json) -> tuple[str, str]:
    """Return the family and the name of a model; each is empty if it is missing."""
    if not isinstance(model, str) or ":" not in model:
        return "", model if isinstance(model, str) else ""
    from pdl.models.payloads import FAMILIES  # noqa: PLC0415 - few functions need them

    scheme, _, rest = model.partition(":")
    return (scheme, rest) if scheme in FAMILIES and rest else ("", model)


_EVERYTHING = frozenset({"schema", "tools", "config"})


class TakenBody(NamedTuple):
    """A body that a function was given: its interface, and the request that it was made of."""

    api: ProviderApi
    payload: Payload
    request: Request

    @property
    def form(self) -> tuple[object, ...]:
        """How a reply to it differs from one in the request's own form."""
        payload = self.payload
        return payload.decoder, payload.prefill, payload.renamed, self.api.repeats_prefill


@dataclass
class Taken:
    """What a function read of its request.

    `names` are the attributes, `settings` the keys of the config, `bodies` what it was given to
    send, by family in the order of the calls. `is_restored`: it decoded the reply itself.
    """

    names: set[str] = field(default_factory=set)
    settings: set[str] = field(default_factory=set)
    bodies: dict[str, TakenBody] = field(default_factory=dict)
    is_restored: bool = False

    @property
    def body(self) -> TakenBody | None:
        """The body that was taken last."""
        return [*self.bodies.values()][-1] if self.bodies else None

    def dropped(self, request: Request, function: str) -> tuple[Dropped, ...]:
        """Return what the model doesn't get: what the function didn't read, or the body lacks."""
        found = [] if self.body is None else [*self.body.payload.dropped]
        how = self._how(function)
        if request.constrain and request.schema is not None and self._lacks("schema"):
            found.append(Dropped("#", "", f"{how}schema`, so only the check enforces it"))
        if request.constrain and request.tools and self._lacks("tools"):
            found.append(Dropped("", "tools", f"{how}tools`, so the model does not know them"))
        names = ", ".join(self._unread(request))
        if names:
            found.append(Dropped("", "config", f"{how}config`: {names}"))
        return tuple(found)

    def ignored(self, request: Request, function: str) -> tuple[Ignored, ...]:
        """Return the settings that the model doesn't get."""
        of_provider = () if self.body is None else self.body.payload.ignored
        why = f"{self._how(function)}config`"
        return (*of_provider, *(Ignored(key, why) for key in self._unread(request)))

    def form(self) -> TakenBody | None:
        """Return the body in whose form the reply is; None if that is the request's own.

        Raises Fault if the function took bodies of several forms.
        """
        last = self.body
        if self.is_restored or last is None:
            return None
        if any(body.form != last.form for body in self.bodies.values()):
            names = " and ".join(self.bodies)
            hint = "return pdl.reply_from(body, FAMILY, request)"
            message = f"the function took the bodies of {names}, and did not say which answered"
            raise Fault("failed", message, hint=hint)
        return last

    def _how(self, function: str) -> str:
        """The beginning of the reason why something is missing."""
        did = "did not read" if self.body is None else "took a body without"
        return f"the function `{function}` {did} `request."

    def _lacks(self, name: str) -> bool:
        return name not in self.names if self.body is None else not getattr(self.body.request, name)

    def _unread(self, request: Request) -> tuple[str, ...]:
        """The settings that the function can't have sent."""
        if self.body is not None:
            return tuple(key for key in request.config if key not in self.body.request.config)
        return tuple(key for key in request.config if key not in self.settings)


class _NotedConfig(dict[str, Any]):
    """The settings, which note in `Taken` the values that are read. Going through them reads all.

    `in` and `len` read no value. It is a dict, so that clients can send it.
    """

    def __init__(self, settings: Mapping[str, Json], taken: Taken) -> None:
        super().__init__(settings)
        self.taken = taken

    def read_all(self) -> dict[str, Any]:
        """Note that everything was read, and return it."""
        plain = dict(super().items())
        self.taken.settings.update(plain)
        return plain

    def __getitem__(self, key: str) -> Any:
        self.taken.settings.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.taken.settings.add(key)
        return super().get(key, default)

    def pop(self, key: str, *default: Any) -> Any:
        self.taken.settings.add(key)
        return super().pop(key, *default)

    def __iter__(self) -> Iterator[str]:
        return iter(self.read_all())

    def keys(self) -> Any:
        return self.read_all().keys()

    def values(self) -> Any:
        return self.read_all().values()

    def items(self) -> Any:
        return self.read_all().items()

    def __or__(self, other: Any) -> Any:
        return self.read_all() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.read_all()

    def copy(self) -> dict[str, Any]:
        return self.read_all()


@dataclass(frozen=True, eq=False, repr=False)
class GivenRequest(tuple[Message, ...], Request):  # noqa: SLOT001 - it has the fields of a Request
    """The request that a function gets: also the tuple of its messages, with what was read of it.

    So a function of the messages and a function of the request get the same object.
    """

    taken: Taken = field(default_factory=Taken)

    def __new__(cls, messages: Iterable[Message], *_: object, **__: object) -> Self:
        """Return the tuple of the messages."""
        return super().__new__(cls, messages)

    @classmethod
    def given(cls, request: Request) -> Self:
        """Return a request of which nothing was read, and note its `Taken` in the original."""
        own = {one.name: getattr(request, one.name) for one in fields(Request) if one.init}
        given = cls(**own)
        object.__setattr__(request, "taken", given.taken)
        return given

    def __post_init__(self) -> None:
        """Let the settings note which of them are read, also those of a copy."""
        config: Any = super().__getattribute__("config")
        if not isinstance(config, _NotedConfig):
            object.__setattr__(self, "config", _NotedConfig(config, self.taken))

    def __getattribute__(self, name: str, /) -> Any:
        """Note what is read. `vars` and `pickle`, which takes it elsewhere, read everything."""
        names = _EVERYTHING if name == "__dict__" else {name} & _EVERYTHING
        taken = super().__getattribute__("taken") if names else None
        if taken is not None:  # a copy that is being made has none yet
            taken.names.update(names)
            if name == "__dict__":
                taken.settings.update(dict.keys(super().__getattribute__("config")))
        return super().__getattribute__(name)

    @property
    def seed(self) -> int | None:
        """The sampling seed; reading it reads no other setting."""
        config: Mapping[str, Json] = super().__getattribute__("config")
        seed = config.get("seed")
        return seed if isinstance(seed, int) else None

    def payload(
        self, family: str, model: str = "", *, stream: bool = False
    ) -> tuple[ProviderApi, Payload]:
        """Return the same as for a Request, and note it."""
        api, payload = super().payload(family, model, stream=stream)
        self.taken.bodies.pop(api.name, None)
        self.taken.bodies[api.name] = TakenBody(api, payload, self)
        return api, payload
