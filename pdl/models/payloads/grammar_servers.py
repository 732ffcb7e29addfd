"""OpenAI-compatible servers that support grammars: llama-server and vLLM.

llama.cpp's server accepts chat completions with a `grammar` (its README), vLLM's with
`structured_outputs` (vLLM 0.12 and later).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pdl.models.exchange import Dropped
from pdl.models.payloads.openai_chat import (
    ENDPOINT,
    ChatDeltas,
    add_stream,
    chat_messages,
    read,
)
from pdl.models.payloads.provider_api import Payload, ProviderApi
from pdl.models.payloads.settings_map import SettingsMap
from pdl.models.payloads.tool_schemas import function
from pdl.models.payloads.turns import (
    AUDIO,
    IMAGES,
    MediaSupport,
    is_free,
    prefill,
    unsupported_prefill,
    unsupported_with_tools,
)
from pdl.schema.json_values import compact_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.gbnf import Grammar
    from pdl.models.request import Request
    from pdl.schema import Schema


_GRAMMARS = 64  # of schemas that are asked for again


@dataclass(frozen=True)
class GrammarServer:
    """How a server accepts a grammar, and what else is specific to it.

    `write` is how it spells one, and `path` the keys that lead to it in the body. `continues` are
    the keys that make the server continue a last assistant turn.
    """

    name: str
    media: MediaSupport
    settings: SettingsMap
    write: Callable[[Grammar], str]
    path: tuple[str, ...]
    continues: dict[str, Any]

    def payload(self, request: Request, model: str) -> Payload:
        """Build the body of a request, with the grammar of the schema, whatever its form.

        A last assistant turn begins the answer. Then no grammar is sent, nor is one next to tools,
        whose calls the server constrains itself. Raises MediaError for unsupported media,
        ConfigError for contradictory settings, and what compiling the schema raises.
        """
        messages = chat_messages(request.messages, self.media)
        body: dict[str, Any] = {"model": model, "messages": messages}
        start = prefill(request.messages)
        body |= self.continues if start else {}
        dropped = self._constrain(request, body) if request.constrain else ()
        add_stream(request, body)
        ignored = self.settings.write(request.config, body)
        return Payload(body, dropped, ignored, start)

    def _constrain(self, request: Request, body: dict[str, Any]) -> tuple[Dropped, ...]:
        if request.tools:
            body["tools"] = [
                {"type": "function", "function": function(tool)} for tool in request.tools
            ]
        schema = request.schema
        if schema is None or is_free(schema):
            return ()
        if request.tools:
            return (unsupported_with_tools(self.name),)
        if prefill(request.messages):
            return (unsupported_prefill(self.name),)
        text, dropped = _written(schema, compact_json(schema.document), self.write)
        *outer, last = self.path
        for key in outer:
            body = body.setdefault(key, {})
        body[last] = text
        return dropped


@lru_cache(maxsize=_GRAMMARS)
def _written(
    schema: Schema, _: str, write: Callable[[Grammar], str]
) -> tuple[str, tuple[Dropped, ...]]:
    """The grammar of a schema, and what it leaves to the check.

    The JSON distinguishes what Python finds equal: 1 and true.
    """
    from pdl import gbnf  # noqa: PLC0415 - the compiler takes long to load, and few requests need it

    compiled = gbnf.compile(schema, gbnf.Options.generate())
    left = compiled.report.post_hoc
    dropped = tuple(Dropped(entry.pointer, entry.keyword, entry.why) for entry in left)
    return write(compiled.grammar), dropped


# What its image reader (stb_image) supports; the server fetches URLs of images.
_IMAGES = frozenset({"png", "jpeg", "gif"})


_LLAMA_SETTINGS = SettingsMap(
    provider="llama-server", paths={"repetition_penalty": ("repeat_penalty",)}
)
llama_payload = GrammarServer(
    name="llama-server",
    media=MediaSupport("llama-server", _IMAGES | AUDIO, _IMAGES),
    settings=_LLAMA_SETTINGS,
    write=str,
    path=("grammar",),
    continues={},
).payload


LLAMA_SERVER = ProviderApi(
    name="llama-server",
    base_url="http://127.0.0.1:8080/v1",
    endpoint=ENDPOINT,
    payload=llama_payload,
    read=read,
    deltas=ChatDeltas,
    settings=_LLAMA_SETTINGS,
    key_variable="LLAMA_API_KEY",
    repeats_prefill=True,  # newer versions do; the reply of older ones continues it
)


def _ebnf(grammar: Grammar) -> str:
    """As xgrammar reads it, vLLM's default engine for grammars."""
    return grammar.to_ebnf()


_VLLM_SETTINGS = SettingsMap(provider="vLLM", paths={"repeat_penalty": ("repetition_penalty",)})
vllm_payload = GrammarServer(
    name="vLLM",
    media=MediaSupport("vLLM", IMAGES | AUDIO, IMAGES | AUDIO),
    settings=_VLLM_SETTINGS,
    write=_ebnf,
    path=("structured_outputs", "grammar"),
    continues={"add_generation_prompt": False, "continue_final_message": True},
).payload


VLLM = ProviderApi(
    name="vllm",
    base_url="http://127.0.0.1:8000/v1",
    endpoint=ENDPOINT,
    payload=vllm_payload,
    read=read,
    deltas=ChatDeltas,
    settings=_VLLM_SETTINGS,
    key_variable="VLLM_API_KEY",
)
