"""llama.cpp's server: OpenAI's chat completions with a `grammar` (its README)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.models.payloads.chat_reply import Deltas, read
from pdl.models.payloads.family import Family
from pdl.models.payloads.grammar_servers import GrammarServer
from pdl.models.payloads.media import AUDIO, Takes
from pdl.models.payloads.openai_chat import headers, path
from pdl.models.payloads.settings import Settings

if TYPE_CHECKING:
    from pdl.gbnf import Grammar


# What its picture reader (stb_image) knows; urls of pictures are fetched by the server.
_IMAGES = frozenset({"png", "jpeg", "gif"})


def _write(grammar: Grammar, body: dict[str, Any]) -> None:
    body["grammar"] = str(grammar)


_SETTINGS = Settings(provider="llama-server", places={"repetition_penalty": ("repeat_penalty",)})
payload = GrammarServer(
    name="llama-server",
    takes=Takes("llama-server", _IMAGES | AUDIO, _IMAGES),
    settings=_SETTINGS,
    write=_write,
    goes_on={},
).payload


LLAMA_SERVER = Family(
    name="llama-server",
    base_url="http://127.0.0.1:8080/v1",
    path=path,
    payload=payload,
    read=read,
    deltas=Deltas,
    headers=headers,
    settings=_SETTINGS,
    key_variable="LLAMA_API_KEY",
    repeats_begun=True,  # newer ones do; of older ones the reply went on behind it
)
