"""One request as llama.cpp receives it, and how its reply is read.

The settings of llama.cpp are those of its server's chat completions (its README). Tools are
described in the prompt, since pdl's grammar and llama.cpp's own tools exclude each other. Special
tokens are excluded: a model must not produce them, and no message may contain them.
"""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from pdl.errors import MediaError, Problem, did_you_mean
from pdl.models.exchange import Delta, Ignored
from pdl.models.faults import Fault
from pdl.models.llama.constraint import (
    Constraint,
    ReasoningSplitter,
    constraint,
    constraint_of_tools,
    template_of,
)
from pdl.models.payloads import DONE, BadPayload
from pdl.models.payloads.grammar_servers import LLAMA_SERVER
from pdl.models.payloads.turns import prefill, unsupported_prefill
from pdl.prompt.messages import Media, Message, Text
from pdl.reply.segments.dialects import DIALECTS, Patterns
from pdl.tools.formats import FORMATS, format_of
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pdl._types import Json
    from pdl.gguf import Header
    from pdl.models.exchange import Dropped
    from pdl.models.request import Request
    from pdl.prompt.messages import Part
    from pdl.tools.formats import Format
    from pdl.tools.tool import Calls
    from pdl.tools.toolset import ToolSet


_ENDS = re.compile(
    r"end|eo[tsm]|return|call|flush|turn|^</s>$|fim_|repo_?name|file_sep", re.IGNORECASE
)
"""Tokens that may end a reply. More of them do no harm, but without one a model could not end."""


_BREAK = "\N{ZERO WIDTH SPACE}"


def banned_tokens(header: Header, meant: str = "") -> Iterator[int]:
    """Yield the IDs of special tokens that a grammar would accept as text.

    A grammar of llama.cpp matches a control token as the text of its name, which is then not
    printed, so the reply lacks what the grammar has matched. And a tag of reasoning or of a call
    inside an answer makes the answer doubtful. All of them can still be spelled with other tokens.
    What occurs in `meant` is not banned.
    """
    yield from (number for number, text in header.control.items() if not _ENDS.search(text))
    for number, text in header.marks.items():
        if text not in meant and _is_mark(text):
            yield number


class ControlTokenEscaper:
    """Escapes what llama.cpp would read as a control token.

    llama.cpp looks for the names of control tokens in the whole prompt, so `<|im_end|>` in a value
    would end the turn. A zero width space after the first character breaks the name invisibly.
    `others` are further names to break.
    """

    def __init__(self, header: Header, *others: str) -> None:
        named = (text for text in header.marks.values() if text in header.template)
        opening = (text for text in named if not _is_mark(text))
        self._names = {*header.control.values(), *opening, *others} - {""}

    def __call__(self, text: str, meant: str = "") -> str:
        """Return the text with all names broken except those that occur in `meant`."""
        names = {name for name in self._names if name not in meant} if meant else self._names
        lengths = sorted({len(name) for name in names})
        found = (
            match.start() + 1
            for match in _first_of(frozenset(name[0] for name in names)).finditer(text)
            if any(text[match.start() : match.start() + size] in names for size in lengths)
        )
        starts = [0, *found, len(text)]
        return _BREAK.join(text[a:b] for a, b in itertools.pairwise(starts))


@lru_cache(maxsize=8)
def _first_of(characters: frozenset[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(characters))) or r"(?!)")


@lru_cache(maxsize=1_000)
def _is_mark(text: str) -> bool:
    patterns = _patterns()
    calls = any(text in (one.opener.strip(), one.closer.strip()) for one in FORMATS.values())
    return bool(calls or patterns.opener.fullmatch(text) or patterns.closer.fullmatch(text))


@lru_cache(maxsize=1)
def _patterns() -> Patterns:
    return Patterns(DIALECTS)


_OURS = "model n messages stream grammar json_schema response_format tools tool_choice think"
_SAMPLING = """
adaptive_decay adaptive_target backend_sampling dry_allowed_length dry_base dry_multiplier
dry_penalty_last_n dry_sequence_breakers dynatemp_exponent dynatemp_range frequency_penalty
ignore_eos logit_bias min_keep min_p mirostat mirostat_eta mirostat_tau presence_penalty
repeat_last_n repeat_penalty repetition_penalty samplers seed temperature top_k top_n_sigma top_p
typical_p xtc_probability xtc_threshold
"""
_LENGTH = """
max_completion_tokens max_tokens n_cmpl n_discard n_indent n_keep n_predict stop t_max_predict_ms
t_max_prompt_ms
"""
_REST = """
add_generation_prompt cache_prompt chat_format chat_template_kwargs continue_final_message echo
generation_prompt grammar_lazy grammar_triggers grammar_type id_slot logprobs lora
n_cache_reuse n_probs parallel_tool_calls parse_tool_calls post_sampling_probs preserved_tokens
reasoning_budget_message reasoning_budget_tokens reasoning_control reasoning_effort
reasoning_format response_fields return_progress return_tokens speculative.n_max speculative.n_min
speculative.p_min speculative.type sse_ping_interval stream_options thinking
thinking_budget_tokens timings_per_token top_logprobs user verbose
"""

KNOWN = frozenset(f"{_OURS} {_SAMPLING} {_LENGTH} {_REST}".split())
"""Their names, including those of OpenAI's interface and those that pdl reads itself."""


def unknown(config: Mapping[str, Json]) -> tuple[Ignored, ...]:
    """Return the settings that llama.cpp would silently ignore, with a suggestion."""
    return tuple(Ignored(key, _why(key)) for key in config if key not in KNOWN)


def _why(key: str) -> str:
    advice = did_you_mean(key, KNOWN)
    return "llama.cpp has no such setting" + (f": {advice}" if advice else "")


def format_for(chat_template: str) -> Format:
    """Return the format of calls that a model with this chat template was trained on.

    Mistral's markers are tokens that are never printed; such a model gets the format of Hermes.
    """
    known = "hermes" if "<tool_call>" in chat_template else "llama3"
    return FORMATS[known if "<|python_tag|>" in chat_template else "hermes"]


def as_text(
    messages: tuple[Message, ...], tools: ToolSet | None, form: Format, plain: ControlTokenEscaper
) -> tuple[Message, ...]:
    """Return the messages with the tools described in the first, and calls and results as text.

    Their content is escaped; the markers of calls are not.
    """
    spoken = tuple(_spoken(message, form, plain) for message in messages)
    if tools is None:
        return spoken
    described = plain(tools.describe(form), meant=form.opener + form.closer)
    if spoken and spoken[0].role == "system":
        first = Message("system", (*spoken[0].parts, Text(f"\n\n{described}")))
        return (first, *spoken[1:])
    return (Message("system", (Text(described),)), *spoken)


def _spoken(message: Message, form: Format, plain: ControlTokenEscaper) -> Message:
    """A message with calls and results as text."""
    calls = [plain(_call(part, form)) for part in message.parts if isinstance(part, ToolCall)]
    parts = _plain_parts(message.parts, plain)
    if calls:
        before = "\n" if parts else ""
        parts.append(Text(f"{before}{form.opener}{form.between.join(calls)}{form.closer}"))
    return Message(message.role, tuple(parts))


def _plain_parts(parts: Iterable[Part], plain: ControlTokenEscaper) -> list[Part]:
    """Media, and the text between them joined, since two parts may contain one name."""
    found: list[Part] = []
    for is_media, run in itertools.groupby(parts, lambda part: isinstance(part, Media)):
        if is_media:
            found += run
        elif text := "".join(map(_text, run)):
            found.append(Text(plain(text)))
    return found


def _text(part: Part) -> str:
    if isinstance(part, ToolResult):
        said = "failed" if part.failed else "returned"
        return f"<tool_response>\n{part.call.name} {said}:\n{part.text}\n</tool_response>\n"
    return part.text if isinstance(part, Text) else ""


def _call(call: ToolCall, form: Format) -> str:
    arguments = dict(call.arguments)
    return json.dumps({form.name_key: call.name, form.arguments_key: arguments}, ensure_ascii=False)


_NO_THOUGHT = re.compile(r"\A\s*+(?:<think>\s*</think>|\[THINK\]\s*\[/THINK\])\s*")
"""How a prompt tells a model not to think. llama.cpp puts it before the reply."""

_MEDIA_MARKER = "<__media__>"  # where llama.cpp puts an image or a sound into a prompt
_OVERLONG = "exceed_context_size_error"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """What a request depends on of its model: see `LlamaModel`."""

    path: Path
    header: Header
    has_projector: bool
    think: str | bool | None
    tool_format: str


class Job:
    """One request as llama.cpp receives it, and how its reply is read."""

    def __init__(self, model: ModelFile, request: Request) -> None:
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
        markers = (_MEDIA_MARKER,) if model.has_projector else ()
        plain_text = ControlTokenEscaper(model.header, *markers)
        messages = as_text(request.messages, request.tools, self.form, plain_text)
        plain = replace(
            request, messages=messages, schema=None, tools=None, config=config, stream=True
        )
        payload = LLAMA_SERVER.payload(plain, str(model.path))
        body = {**_settings(config), **payload.body, **_PROGRESS}
        if held is not None:
            body |= self._constrained(held, body, model)
        self.payload = replace(
            payload,
            body=body,
            dropped=self._dropped(request, held),
            ignored=(*payload.ignored, *strange),
        )
        self._deltas = LLAMA_SERVER.stream(self.payload)
        self._splitter = ReasoningSplitter(self.template) if self.template is not None else None
        self._begun = held is None
        self._finished = False

    def _constraint(self, request: Request, wish: Json, model: ModelFile) -> Constraint | None:
        self.template: str | None = None
        if not _is_constrained(request) or prefill(request.messages):
            return None
        self.template = template_of(wish, model.header.template)
        if request.tools is not None:
            return constraint_of_tools(
                request.tools, self.form, self._calls, request.schema, self.template
            )
        assert request.schema is not None
        return constraint(request.schema, self.template)

    def _dropped(self, request: Request, held: Constraint | None) -> tuple[Dropped, ...]:
        """What only the check enforces: everything, if the prompt begins the answer."""
        if held is not None:
            return held.dropped
        return (unsupported_prefill("llama"),) if _is_constrained(request) else ()

    def _constrained(
        self, held: Constraint, body: dict[str, Json], model: ModelFile
    ) -> dict[str, Json]:
        """What constrains the model: the grammar, banned tokens, whether it may think."""
        meant = (self.template or "") + self._marks
        bias = body.get("logit_bias") or []
        pairs = list(bias.items()) if isinstance(bias, dict) else list(bias)
        thinking = {"enable_thinking": self.template is not None}
        return {
            "grammar": held.grammar,
            "logit_bias": [
                *pairs,
                *([number, False] for number in banned_tokens(model.header, meant)),
            ],
            "chat_template_kwargs": {**thinking, **body.get("chat_template_kwargs", {})},
        }

    def feed(self, chunk: Json) -> Iterator[Delta]:
        """Yield the deltas of a chunk of llama.cpp. Raises Fault for an error that it reports."""
        if isinstance(chunk.get("error"), dict):
            raise _fault_of(chunk["error"])
        try:
            deltas = list(self._deltas.feed("", chunk))
        except BadPayload as error:
            raise _refused(error) from error
        for delta in deltas:
            self._finished = self._finished or delta.finish is not None
            yield from self._fed(delta)

    def _fed(self, delta: Delta) -> Iterator[Delta]:
        if self._splitter is not None:
            yield from self._splitter.feed(delta)
        elif self._begun or not delta.text:
            yield delta
        else:
            self._begun = True
            text = "" if _NO_THOUGHT.fullmatch(delta.text) else delta.text
            yield replace(delta, text=text)

    def close(self) -> Iterator[Delta]:
        """Yield what remains at the end."""
        held = "" if self._splitter is None else self._splitter.close()
        if held:
            yield Delta(reasoning=held)
        if not self._finished:
            raise Fault("cut", "llama.cpp ended before the reply did")
        try:
            yield from self._deltas.feed("", DONE)
            yield from self._deltas.close()
        except BadPayload as error:
            raise _refused(error) from error


def _is_constrained(request: Request) -> bool:
    return request.constrain and (request.schema is not None or request.tools is not None)


def _check_media(request: Request, model: ModelFile) -> None:
    has_media = any(isinstance(part, Media) for one in request.messages for part in one.parts)
    if has_media and not model.has_projector:
        message = f"llama:{model.path} is loaded without a projector for images and audio"
        hint = "pass its mmproj file as `projector`, or use another model"
        raise MediaError(Problem("media/no-projector", message, hint=hint))


def _settings(config: dict[str, Json]) -> dict[str, Json]:
    """Settings of every request, unless its configuration overrides them.

    llama.cpp's own handling of reasoning would treat an answer without any as reasoning. With a
    seed a reply is repeatable only without the cache of the previous request.
    """
    return {"reasoning_format": "none", "cache_prompt": "seed" not in config}


_PROGRESS = {"return_progress": True}
"""Chunks arrive also while a long prompt is read, so that it can be stopped."""


def _fault_of(error: dict[str, Json]) -> Fault:
    """The fault of an error of llama.cpp. None is transient: there is no network."""
    hint = ""
    if error.get("type") == _OVERLONG:
        hint = "shorten the prompt, or load the model with a larger `context`"
    return Fault("bad_request", f"llama.cpp: {error.get('message', error)}", hint=hint)


def _refused(error: BadPayload) -> Fault:
    kind: Literal["cut", "bad_payload"] = "cut" if error.is_cut else "bad_payload"
    return Fault(kind, f"llama.cpp: {error}")
