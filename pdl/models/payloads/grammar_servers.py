"""Servers of OpenAI's shape that take grammars: what llama-server and vLLM share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pdl.models.exchange import Dropped, Payload
from pdl.models.payloads.chat_messages import chat_messages
from pdl.models.payloads.functions import function
from pdl.models.payloads.openai_chat import add_stream
from pdl.models.payloads.turns import begun, is_free, unheld_begun, unheld_beside_tools

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.gbnf import Compiled, Grammar
    from pdl.models.exchange import Request
    from pdl.models.payloads.media import Takes
    from pdl.models.payloads.settings import Settings
    from pdl.schema import Schema

_GRAMMARS = 64  # of schemas that are asked for again


@dataclass(frozen=True)
class GrammarServer:
    """How a server takes a grammar (`write`, into the body), and what else it has of its own.

    `goes_on` are the keys that make it go on from a last assistant turn.
    """

    name: str
    takes: Takes
    settings: Settings
    write: Callable[[Grammar, dict[str, Any]], None]
    goes_on: dict[str, Any]

    def payload(self, request: Request, model: str) -> Payload:
        """The body of a request, with the grammar of the schema, whatever its form.

        A last assistant turn begins the answer. Then no grammar is sent, nor is one beside tools,
        whose calls the server holds by itself. Raises MediaError for media that it does not take,
        ConfigError for settings that contradict each other, and what compiling the schema raises.
        """
        messages = chat_messages(request.messages, self.takes)
        body: dict[str, Any] = {"model": model, "messages": messages}
        start = begun(request.messages)
        body |= self.goes_on if start else {}
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
            return (unheld_beside_tools(self.name),)
        if begun(request.messages):
            return (unheld_begun(self.name),)
        compiled = _compiled(schema)
        self.write(compiled.grammar, body)
        return tuple(
            Dropped(entry.pointer, entry.keyword, entry.why) for entry in compiled.report.post_hoc
        )


@lru_cache(maxsize=_GRAMMARS)
def _compiled(schema: Schema) -> Compiled:
    from pdl import gbnf  # noqa: PLC0415 - the compiler takes long to load, and few requests need it

    return gbnf.compile(schema, gbnf.Options.generate())
