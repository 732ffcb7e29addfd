"""One request as llama.cpp gets it, and what is to be done with its reply."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pdl.errors import MediaError, Problem
from pdl.models.exchange import Delta
from pdl.models.faults import Fault
from pdl.models.llama.constraint import Constraint, constraint, constraint_of_tools
from pdl.models.llama.known import unknown
from pdl.models.llama.telling import format_for, told
from pdl.models.llama.thinking import Parting, template_of
from pdl.models.llama.tokens import Plain, withheld
from pdl.models.payloads import DONE, BadPayload
from pdl.models.payloads.llama_server import LLAMA_SERVER
from pdl.models.payloads.turns import begun, unheld_begun
from pdl.prompt.messages import Media
from pdl.tools.formats import format_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.models.exchange import Dropped, Request
    from pdl.models.llama.model import LlamaModel
    from pdl.tools.grammar.compile import Calls

_NO_THOUGHT = re.compile(r"\A\s*+(?:<think>\s*</think>|\[THINK\]\s*\[/THINK\])\s*")
"""What the end of a prompt tells a model that is not to think. llama.cpp puts it in front."""

_MEDIA_MARKER = "<__media__>"  # where llama.cpp puts an image or a sound into a prompt
_OVERLONG = "exceed_context_size_error"


class Job:
    """One request as llama.cpp gets it, and what is to be done with its reply."""

    def __init__(self, model: LlamaModel, request: Request) -> None:
        _check_media(request, model)
        strange = unknown(request.config)
        config = dict(request.config)
        for one in strange:
            del config[one.key]
        wish = config.pop("think", model.think)
        choice = config.pop("tool_choice", "auto")
        if choice == "none":
            request = replace(request, tools=None)
        self._calls: Calls = "several" if choice == "required" else "any"
        named = model.tool_format
        self.form = format_of(named) if named else format_for(model.header.template)
        self._marks = "" if request.tools is None else self.form.opener + self.form.closer
        held = self._constraint(request, wish, model)
        markers = (_MEDIA_MARKER,) if model.settings.projector else ()
        plain_text = Plain(model.header, *markers)
        messages = told(request.messages, request.tools, self.form, plain_text)
        plain = replace(
            request, messages=messages, schema=None, tools=None, config=config, stream=True
        )
        payload = LLAMA_SERVER.payload(plain, str(model.path))
        body = {**_settings(config), **payload.body, **_PROGRESS}
        if held is not None:
            body |= self._held(held, body, model)
        self.payload = replace(
            payload,
            body=body,
            dropped=self._dropped(request, held),
            ignored=(*payload.ignored, *strange),
        )
        self._deltas = LLAMA_SERVER.stream(self.payload)
        self._parting = Parting(self.template) if self.template is not None else None
        self._begun = held is None
        self._finished = False

    def _constraint(self, request: Request, wish: Json, model: LlamaModel) -> Constraint | None:
        self.template: str | None = None
        if not _is_held(request) or begun(request.messages):
            return None
        self.template = template_of(wish, model.header.template)
        if request.tools is not None:
            return constraint_of_tools(
                request.tools, self.form, self._calls, request.schema, self.template
            )
        assert request.schema is not None
        return constraint(request.schema, self.template)

    def _dropped(self, request: Request, held: Constraint | None) -> tuple[Dropped, ...]:
        """What the grammar leaves to the check: all, where the answer has begun without it."""
        if held is not None:
            return held.dropped
        return (unheld_begun("llama"),) if _is_held(request) else ()

    def _held(self, held: Constraint, body: dict[str, Json], model: LlamaModel) -> dict[str, Json]:
        """What holds the model: the grammar, tokens that it must not take, whether it may think."""
        meant = (self.template or "") + self._marks
        bias = body.get("logit_bias") or []
        pairs = list(bias.items()) if isinstance(bias, dict) else list(bias)
        thinking = {"enable_thinking": self.template is not None}
        return {
            "grammar": held.grammar,
            "logit_bias": [*pairs, *([number, False] for number in withheld(model.header, meant))],
            "chat_template_kwargs": {**thinking, **body.get("chat_template_kwargs", {})},
        }

    def feed(self, chunk: Json) -> Iterator[Delta]:
        """What a chunk of llama.cpp tells. Raises Fault for an error that it tells."""
        if isinstance(chunk.get("error"), dict):
            raise _told(chunk["error"])
        try:
            deltas = list(self._deltas.feed("", chunk))
        except BadPayload as error:
            raise _refused(error) from error
        for delta in deltas:
            self._finished = self._finished or delta.finish is not None
            yield from self._fed(delta)

    def _fed(self, delta: Delta) -> Iterator[Delta]:
        if self._parting is not None:
            yield from self._parting.feed(delta)
        elif self._begun or not delta.text:
            yield delta
        else:
            self._begun = True
            text = "" if _NO_THOUGHT.fullmatch(delta.text) else delta.text
            yield replace(delta, text=text)

    def close(self) -> Iterator[Delta]:
        """What is left at the end."""
        held = "" if self._parting is None else self._parting.close()
        if held:
            yield Delta(reasoning=held)
        if not self._finished:
            raise Fault("cut", "llama.cpp ended before the reply did")
        try:
            yield from self._deltas.feed("", DONE)
            yield from self._deltas.close()
        except BadPayload as error:
            raise _refused(error) from error


def _is_held(request: Request) -> bool:
    return request.constrain and (request.schema is not None or request.tools is not None)


def _check_media(request: Request, model: LlamaModel) -> None:
    has_media = any(isinstance(part, Media) for one in request.messages for part in one.parts)
    if has_media and not model.settings.projector:
        message = f"{model.name} is loaded without what reads images and sounds"
        hint = "name its mmproj file as `projector`, or take another model"
        raise MediaError(Problem("media/no-projector", message, hint=hint))


def _settings(config: dict[str, Json]) -> dict[str, Json]:
    """What every request says to llama.cpp, unless its configuration says otherwise.

    Its own way with reasoning would take an answer that follows none for reasoning. With a seed a
    reply is the same again only if nothing is taken over from the request before.
    """
    return {"reasoning_format": "none", "cache_prompt": "seed" not in config}


_PROGRESS = {"return_progress": True}
"""Chunks come also while a long prompt is read, so that it can be stopped then."""


def _told(error: dict[str, Json]) -> Fault:
    """An error that llama.cpp tells. None is a passing one: there is nothing in between."""
    hint = ""
    if error.get("type") == _OVERLONG:
        hint = "shorten the prompt, or load the model with a larger `context`"
    return Fault("bad_request", f"llama.cpp: {error.get('message', error)}", hint=hint)


def _refused(error: BadPayload) -> Fault:
    kind: Literal["cut", "bad_payload"] = "cut" if error.is_cut else "bad_payload"
    return Fault(kind, f"llama.cpp: {error}")
