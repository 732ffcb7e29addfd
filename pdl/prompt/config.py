"""The `<|config|>` turn: `key: value` lines for the model call.

Also doubts about a prompt file: settings that no provider has, types in quotes.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pdl.errors import ConfigError, Problem, did_you_mean, nearest
from pdl.schema.dsl.words import TYPES
from pdl.schema.keywords import lookup, schemas

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl._types import Json
    from pdl.schema import Schema
    from pdl.source import Source, Span


_LINE = re.compile(r"(?:(//.*)|([^\s:]++)[^\S\n]*+:\s*+((?:.*\S)?)|(.*\S))?\s*", re.DOTALL)
_KEY = re.compile(r"[A-Za-z_][\w.-]*")
_LOOKS_LIKE_JSON = re.compile(
    r"[\[{\"]|[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?\s*+(?://.*)?$"
)


def parse_config(source: Source) -> tuple[dict[str, Json], list[Problem]]:
    """Return the keys and values of a `<|config|>` turn, and the problems of its lines.

    `source` is a rendered turn, with anchors. Only line breaks of the file end an entry, and keys
    are text of the file: a value stays within the entry in which it is printed. The value of a key
    is JSON (`0.2`, `true`, `["a", "b"]`) or bare words. Empty lines and lines that begin with `//`
    are ignored.
    """
    found: dict[str, Json] = {}
    problems: list[Problem] = []
    for start, end in _lines(source):
        match = _LINE.fullmatch(source.text, start, end)
        assert match is not None
        if match[4] is not None:
            message = f"expected `key: value`, found `{match[4][:40]}`"
            problems.append(Problem("config/line", message, source.span(*match.span(4))))
        elif match[2] is not None:
            problem = _add(found, match, source)
            problems += [problem] if problem else []
    return found, problems


def _lines(source: Source) -> Iterator[tuple[int, int]]:
    """The lines of the file, without leading whitespace; newlines in values do not end a line."""
    begun = {anchor.start for anchor in source.anchors if anchor.begins_line}
    start = 0
    for match in re.finditer("\n|\\Z", source.text):
        if match.group() and match.end() not in begun:
            continue
        text = source.text[start : match.start()]
        yield start + len(text) - len(text.lstrip()), match.start()
        start = match.end()


def _is_of_file(source: Source, start: int, end: int) -> bool:
    """Whether these characters are text of the file, not of a value."""
    index = bisect_right(source.anchors, start, key=lambda anchor: anchor.start) - 1
    if index < 0:
        return False
    anchor = source.anchors[index]
    return end <= anchor.start + anchor.length


def _add(found: dict[str, Json], match: re.Match[str], source: Source) -> Problem | None:
    key, text = match[2], match[3]
    span = source.span(*match.span(2))
    wrong = _wrong_key(found, match, source)
    if wrong is not None:
        return wrong
    try:
        found[key] = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        if _LOOKS_LIKE_JSON.match(text):
            reason, at = _fault(error)
            span = source.span(match.start(3) + at, match.end(3))
            return Problem("config/value", f"the value of `{key}` is not JSON: {reason}", span)
        found[key] = text
    if key == "model" and isinstance(text, str) and not text.isprintable():
        message = "the model name contains a line break or another control character"
        return Problem("config/value", message, span)
    return None


def _wrong_key(found: dict[str, Json], match: re.Match[str], source: Source) -> Problem | None:
    key, span = match[2], source.span(*match.span(2))
    if not _KEY.fullmatch(key):
        return Problem(
            "config/key", f"invalid key `{key}`; keys begin with an ASCII letter or `_`", span
        )
    if not _is_of_file(source, match.start(2), source.text.index(":", match.end(2)) + 1):
        message = f"the key `{key[:40]}` is printed by an expression"
        hint = f"write keys into the file as text: `{key[:40]}: {{{{ value }}}}`"
        return Problem("config/computed-key", message, span, hint)
    if key in found:
        return Problem("config/repeated", f"`{key}` is set twice", span)
    if not match[3]:
        return Problem("config/value", f"`{key}` has no value", span)
    return None


def _fault(error: Exception) -> tuple[str, int]:
    """Why a value is not JSON, and the offset in it."""
    from pdl.decoding import json_fault  # noqa: PLC0415 - only errors need it

    return json_fault(error) if isinstance(error, json.JSONDecodeError) else (str(error).lower(), 0)


def _no_constant(name: str) -> Json:
    raise ValueError(name)


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("the number is too large")
    return number


PROVIDERS = (
    *("anthropic", "gemini", "litellm", "llama", "llama-server", "ollama", "openai"),
    *("openai-responses", "replay", "vllm"),
)
"""The providers that a model name can begin with, before the colon."""

_KINDS: Mapping[str, tuple[str, tuple[type, ...]]] = MappingProxyType(
    {
        "number": ("a number", (int, float)),
        "integer": ("an integer", (int,)),
        "boolean": ("true or false", (bool,)),
        "text": ("a string", (str,)),
        "texts": ("a string or a list of strings", (str, list)),
        "object": ("an object", (dict,)),
        "any": ("", (object,)),
    }
)
_SETTINGS = {
    "number": "temperature top_p topP min_p top_a typical_p typ_p tfs_z top_n_sigma"
    " frequency_penalty frequencyPenalty presence_penalty presencePenalty repetition_penalty"
    " repeat_penalty length_penalty dynatemp_range dynatemp_exponent mirostat_tau mirostat_eta"
    " xtc_probability xtc_threshold dry_multiplier dry_base",
    "integer": "max_tokens max_completion_tokens max_output_tokens maxOutputTokens num_predict"
    " n_predict min_tokens top_k topK seed n candidateCount top_logprobs prompt_logprobs num_ctx"
    " num_keep num_batch num_gpu main_gpu num_thread repeat_last_n mirostat n_keep n_probs min_keep"
    " id_slot dry_allowed_length dry_penalty_last_n t_max_predict_ms max_tool_calls random_seed"
    " thinking_budget thinking_budget_tokens best_of truncate_prompt_tokens priority",
    "boolean": "store parallel_tool_calls background responseLogprobs use_mmap use_mlock numa"
    " low_vram f16_kv vocab_only penalize_newline shift truncate cache_prompt ignore_eos"
    " include_reasoning enable_thinking safe_prompt use_beam_search skip_special_tokens"
    " spaces_between_special_tokens include_stop_str_in_output add_generation_prompt"
    " add_special_tokens echo return_tokens timings_per_token post_sampling_probs"
    " return_tokens_as_token_ids enableEnhancedCivicAnswers enable_search",
    "text": "model user service_tier serviceTier safety_identifier prompt_cache_key"
    " prompt_cache_retention previous_response_id verbosity reasoning_effort reasoning_format"
    " prompt_mode cachedContent inference_geo chat_template cache_salt request_id route speed"
    " mediaResolution",
    "texts": "stop stop_sequences stopSequences bad_words",
    "object": "logit_bias reasoning text output_config generationConfig thinkingConfig toolConfig"
    " options chat_template_kwargs mm_processor_kwargs structured_outputs kv_transfer_params"
    " web_search_options search_parameters extra_body extra_headers speechConfig imageConfig",
    "any": "logprobs response_format tool_choice tools metadata modalities audio prediction include"
    " instructions truncation conversation context_management container thinking mcp_servers"
    " cache_control betas labels safetySettings responseModalities format keep_alive think samplers"
    " dry_sequence_breakers lora stop_token_ids allowed_token_ids documents provider models"
    " transforms plugins usage fallbacks num_retries drop_params tags guardrails stream_options"
    " search_options",
}
"""Names in the API reference of at least one provider, by the kind of value."""

SETTINGS: Mapping[str, str] = MappingProxyType(
    {name: kind for kind, names in _SETTINGS.items() for name in names.split()}
)


_WHY = "a prompt file names no server and no key"
_ADDRESS = "give it as `--base-url` or to `pdl.models.connect(base_url=…)`"
_ADDRESSES: Mapping[str, str] = MappingProxyType(
    {
        "api_base": _ADDRESS,
        "api_key": "set the environment variable of the provider, or pass it to"
        " `pdl.models.connect(key=…)`",
        "base_url": _ADDRESS,
    }
)
"""Settings that name a server or a key, each with the hint of where that belongs."""


def refuse_addresses(config: Mapping[str, Json]) -> None:
    """Raise ConfigError for an address or a key in a config turn, which may be a stranger's.

    pdl would ignore both, but some proxies read both from the body of a request.
    """
    found = tuple(address_problems(config))
    if found:
        raise ConfigError(*found)


def address_problems(config: Mapping[str, Json], source: Source | None = None) -> Iterator[Problem]:
    """Find the addresses and keys in a config turn, of which `source` is the text."""
    for name, hint in _ADDRESSES.items():
        if name in config:
            message = f"`{name}` must not be in a config turn: {_WHY}"
            span = None if source is None else setting_span(source, name)
            yield Problem("config/address", message, span, hint)


def config_doubts(config: Mapping[str, Json], source: Source) -> Iterator[Problem]:
    """Settings that no provider has, values of another kind, and models of no provider."""
    for name, value in config.items():
        if name in _ADDRESSES:
            continue  # which is an error
        problem = _of_setting(name, value, setting_span(source, name) or source.span(0))
        if problem is not None:
            yield problem


def _of_setting(name: str, value: Json, span: Span) -> Problem | None:
    kind = SETTINGS.get(name)
    if kind is None:
        hint = (
            did_you_mean(name, SETTINGS) or "check the name: it is sent to the provider unchanged"
        )
        return Problem("config/unknown", f"unknown setting `{name}`", span, hint)
    wanted, types = _KINDS[kind]
    is_number = isinstance(value, bool) and kind in ("number", "integer")
    if value is not None and (not isinstance(value, types) or is_number):
        found = f"{json.dumps(value, ensure_ascii=False):.40}"
        message = f"`{name}`: expected {wanted}, found {found}"
        return Problem("config/kind", message, span)
    if name == "model" and isinstance(value, str):
        return _of_model(value, _value_span(span))
    return None


def _value_span(key: Span) -> Span:
    """Where the value of a setting is; its key, if that is not found."""
    found = re.compile(r"[^\S\n]*:[^\S\n]*(\S(?:.*\S)?)").match(key.source.text, key.end)
    return key.source.span(*found.span(1)) if found else key


def _of_model(model: str, span: Span) -> Problem | None:
    provider, colon, _ = model.partition(":")
    if colon and provider in PROVIDERS:
        return None
    near = nearest(provider, PROVIDERS) if colon else ""
    hint = f"did you mean `{near}:`?" if near else f"as in `{_likely(model)}:{model}`"
    return Problem("config/model", f"`{model}` does not name a provider", span, hint)


def _likely(model: str) -> str:
    """The provider that most probably has a model of that name."""
    if model.endswith(".gguf"):
        return "llama"
    known = {"claude": "anthropic", "gemini": "gemini", "gpt": "openai"}
    return next((one for start, one in known.items() if model.startswith(start)), "ollama")


def setting_span(source: Source, name: str) -> Span | None:
    """Return where a config turn has a key; None if it doesn't."""
    found = re.search(rf"^[^\S\n]*({re.escape(name)})[^\S\n]*:", source.text, re.MULTILINE)
    return source.span(*found.span(1)) if found else None


def quoted_types(schema: Schema, source: Source) -> Iterator[Problem]:
    """Constants that are the names of types: `{ age: "int" }` allows only that word."""
    if source.text.lstrip().startswith(("`", "@")):
        return  # a JSON Schema, where types are in quotes
    discriminators = set(_discriminators(schema.document))
    for _, node in schemas(schema.document):
        values = [node["const"]] if "const" in node else node.get("enum", [])
        words = [value for value in values if isinstance(value, str)]
        if len(words) == 1 and words[0] in TYPES and id(node) not in discriminators:
            yield _quoted(words[0], source)


def _quoted(word: str, source: Source) -> Problem:
    found = re.search(rf"([\"']){word}\1(?!\s*\??\s*:)", source.text)
    span = source.span(*found.span()) if found else source.span(0)
    message = f'`"{word}"` matches only the string `{word}`, not the type'
    return Problem("schema/quoted-type", message, span, f"write `{word}`, without quotes")


def _discriminators(document: Any) -> Iterator[int]:
    """The constants that distinguish the alternatives of a union, as `id`s of their schemas."""
    for _, node in schemas(document):
        branches = [_followed(one, document) for one in node.get("anyOf", node.get("oneOf", ()))]
        fields = [
            (name, field)
            for branch in branches
            for name, field in branch.get("properties", {}).items()
            if isinstance(field, dict) and "const" in field
        ]
        counts = Counter(name for name, _ in fields)
        yield from (id(field) for name, field in fields if counts[name] > 1)


def _followed(schema: Any, document: Any) -> dict[str, Any]:
    if isinstance(schema, dict) and "$ref" in schema:
        schema = lookup(document, schema["$ref"])
    return schema if isinstance(schema, dict) else {}
