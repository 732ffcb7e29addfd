"""`Rendered`: what a prompt renders to. Messages, and the schema of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from pdl import reply as replies
from pdl._types import T
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.prompt.messages import Message, disarmed, part_json
from pdl.schema import Schema
from pdl.schema.model import schema_of, schema_type_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from pdl._types import Json
    from pdl.errors import Problem
    from pdl.prompt.files import Folder
    from pdl.prompt.prompt import Prompt
    from pdl.reply import Check, Coercions, Dialects
    from pdl.source import Span
    from pdl.tools import ToolSet

_U = TypeVar("_U")


class Origin:
    """The prompt that something was rendered from: its name, and its fingerprint once it is read.

    `turns` are where the turns of the messages begin; None for one without a place. Copies are the
    same object. It pickles without the prompt, which would be compiled again, and without places.
    """

    __slots__ = ("_fingerprint", "_prompt", "name", "turns")

    def __init__(self, name: str, prompt: Prompt | None, fingerprint: str = "") -> None:
        self.name = name
        self.turns: tuple[Span | None, ...] = ()
        self._prompt = prompt
        self._fingerprint = fingerprint

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the prompt, as it is when this is read first."""
        if self._prompt is not None:
            self._fingerprint = self._prompt.fingerprint
            self._prompt = None
        return self._fingerprint

    def __reduce__(self) -> tuple[Any, ...]:
        return Origin, (self.name, None, self.fingerprint)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@dataclass(frozen=True)
class Rendered(Generic[T]):
    """Messages to send, and the schema of the answer, whose values are of the type `T`.

    `tools` are those of the `<|tools|>` turn, `config` the keys and values of `<|config|>`,
    `reasoning` the texts of `<|reasoning|>` turns, which are never sent. `warnings` lists what
    `strict=False` ignored, and `drop` of `from_messages` left out; for a strict rendering it is
    empty, except for an empty last turn.
    `folder` is the one below which the config turn can name the file of a model; `origin` the
    prompt, which is not part of a comparison.
    Raises TypeError for messages and schemas of other types.
    """

    messages: tuple[Message, ...]
    schema: Schema[T] | None = None
    tools: ToolSet | None = None
    config: Mapping[str, Json] = field(default_factory=dict)
    reasoning: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    folder: Folder | None = field(default=None, repr=False, compare=False)
    origin: Origin | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what can't be sent; any sequence of messages becomes a tuple."""
        given: Any = self.messages
        if isinstance(given, str | Message | Mapping) or not isinstance(given, Iterable):
            raise _no_messages(given)
        object.__setattr__(self, "messages", tuple(given))
        for one in tuple[Any, ...](self.messages):
            if not isinstance(one, Message):
                raise _no_messages(one)
        if not (self.schema is None or isinstance(self.schema, Schema)):
            raise schema_type_error(self.schema, "a pdl.Schema or None")

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the prompt that it was rendered from; empty if it was not.

        It is that of the file, whatever the values, and whatever replaced the schema. It is
        computed when it is read first: from the files as they are then.
        """
        return self.origin.fingerprint if self.origin is not None else ""

    def __str__(self) -> str:
        """The turns that are sent, as `pdl render` prints them."""
        return "\n\n".join(f"<|{role}|>\n{text}" for role, text in self.turns())

    def _repr_markdown_(self) -> str:
        from pdl.schema.json_values import fenced  # noqa: PLC0415 - only notebooks need it

        return fenced(str(self))

    def _repr_html_(self) -> str:
        from pdl.prompt.notebook import rendered_html  # noqa: PLC0415 - only notebooks need it

        return rendered_html(self, self._noted())

    def turns(self) -> Iterator[tuple[str, str]]:
        """Yield the name and text of each part: messages, tools, configuration, schema."""
        yield from ((message.role, message.transcript) for message in self.messages)
        yield from self._noted()

    def _noted(self) -> Iterator[tuple[str, str]]:
        """The turns that are no messages."""
        from pdl.schema.json_values import json_line  # noqa: PLC0415 - only people need it

        if self.tools is not None:
            yield "tools", disarmed(self.tools.to_text())
        if self.config:
            yield "config", "\n".join(f"{k}: {json_line(v)}" for k, v in self.config.items())
        if self.schema is not None:
            yield "schema", str(self.schema)

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON, as no provider in particular writes it.

        `messages` have a role and content, a list of parts with media in base64; `schema` is a JSON
        Schema, and `form` its form; `config`, `reasoning`, and `tools` are those of the prompt, and
        `fingerprint` identifies it. What it does not have is null or empty.
        """
        schema, tools = self.schema, self.tools
        return {
            "fingerprint": self.fingerprint,
            "messages": [
                {"role": message.role, "content": list(map(part_json, message.parts))}
                for message in self.messages
            ],
            "schema": schema.to_json_schema() if schema is not None else None,
            "form": schema.form if schema is not None else None,
            "config": dict(self.config),
            "reasoning": list(self.reasoning),
            "tools": tools.to_openai() if tools is not None else None,
        }

    @overload
    @staticmethod
    def from_messages(
        messages: Iterable[Any],
        *,
        schema: Schema[_U] | type[_U],
        tools: ToolSet | Iterable[Mapping[str, Any]] | None = None,
        config: Mapping[str, Json] | None = None,
        drop: Iterable[str] = (),
    ) -> Rendered[_U]: ...

    @overload
    @staticmethod
    def from_messages(
        messages: Iterable[Any],
        *,
        schema: Any = None,
        tools: ToolSet | Iterable[Mapping[str, Any]] | None = None,
        config: Mapping[str, Json] | None = None,
        drop: Iterable[str] = (),
    ) -> Rendered[Any]: ...

    @staticmethod
    def from_messages(
        messages: Iterable[Any],
        *,
        schema: Any = None,
        tools: ToolSet | Iterable[Mapping[str, Any]] | None = None,
        config: Mapping[str, Json] | None = None,
        drop: Iterable[str] = (),
    ) -> Rendered[Any]:
        """Return a prompt of chat messages as OpenAI writes them.

        `messages` are dicts with `role` and `content`, a string or a list of parts (text, images,
        audio, files, as URLs or data URLs), `tool_calls`, and `tool_call_id`; objects of OpenAI's
        SDK, or a `Message`. Consecutive results of tools become one message of the user, and the
        role `developer` becomes `system`. `schema` may be a Python type, `tools` OpenAI's list.
        `drop` names fields to leave out, such as `detail`, `filename`, `cache_control`, or
        `reasoning_content`; `warnings` lists where that was.

        Raises ValueError for what a `Message` can't contain, TypeError for other types; both say
        where it is.
        """
        from pdl.prompt.chat import read_messages, read_tools  # noqa: PLC0415 - few programs do

        settings = dict(config or {})
        made, warnings = read_messages(messages, drop)
        return Rendered(made, schema_of(schema), read_tools(tools), settings, warnings=warnings)

    def to(self, family: str, model: str = "") -> dict[str, Any]:
        """Return the JSON body that pdl would send to a family of providers.

        `family` is the name of one, such as `openai` or `anthropic`; `model` its name of the model,
        by default that of the config turn, if it is not of another provider. Without both, the body
        names no model. It contains the messages, and of the schema, the tools, and the settings
        what the provider supports. The rest is left out: in
        `api, payload = pdl.Request.of(rendered).payload(family)`, `payload.dropped` lists the parts
        of the schema that the provider doesn't enforce, and `payload.ignored` the settings. Read
        the response with `pdl.reply_from(response, family, rendered)`, since the provider's form
        may differ from the schema, and check it. Raises what `Request.body` raises.
        """
        # What providers are sent is a layer above; nothing of it is needed to render.
        request: Any = import_module("pdl.models.request").Request.of(self)
        body: dict[str, Any] = request.body(family, model)
        return body

    def check(
        self,
        reply: str,
        *,
        validate: Callable[..., object] | None = None,
        coercions: Coercions | None = None,
        dialects: Dialects | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Check[T]:
        """Find the answer in a reply and check it: `pdl.check(rendered.schema, reply)`.

        `validate` may be a function of the value and this rendered prompt. Without a schema the
        whole reply is the answer.
        """
        allowed = replies.Coercions() if coercions is None else coercions
        known = replies.DIALECTS if dialects is None else dialects
        rule = validate
        if validate is not None:
            from pdl.reply.typed import with_rendered  # noqa: PLC0415 - only for rules

            rule = with_rendered(validate, self)
        check: Check[T] = replies.check(
            self.schema, reply, validate=rule, coercions=allowed, dialects=known, limits=limits
        )
        return check


def _no_messages(given: object) -> TypeError:
    return TypeError(
        f"messages must be a tuple of Messages, not {type(given).__name__}:"
        ' write (pdl.Message("user", text), …)'
    )
