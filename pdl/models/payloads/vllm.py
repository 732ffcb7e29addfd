"""vLLM's server: OpenAI's chat completions with `structured_outputs` (vLLM 0.12 and later)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.models.payloads.chat_reply import Deltas, read
from pdl.models.payloads.family import Family
from pdl.models.payloads.grammar_servers import GrammarServer
from pdl.models.payloads.media import AUDIO, IMAGES, Takes
from pdl.models.payloads.openai_chat import headers, path
from pdl.models.payloads.settings import Settings

if TYPE_CHECKING:
    from pdl.gbnf import Grammar


def _write(grammar: Grammar, body: dict[str, Any]) -> None:
    """As EBNF of xgrammar, which vLLM reads grammars with unless it is told otherwise."""
    body["structured_outputs"] = {"grammar": grammar.to_ebnf()}


_SETTINGS = Settings(provider="vLLM", places={"repeat_penalty": ("repetition_penalty",)})
payload = GrammarServer(
    name="vLLM",
    takes=Takes("vLLM", IMAGES | AUDIO, IMAGES | AUDIO),
    settings=_SETTINGS,
    write=_write,
    goes_on={"add_generation_prompt": False, "continue_final_message": True},
).payload


VLLM = Family(
    name="vllm",
    base_url="http://127.0.0.1:8000/v1",
    path=path,
    payload=payload,
    read=read,
    deltas=Deltas,
    headers=headers,
    settings=_SETTINGS,
    key_variable="VLLM_API_KEY",
)
