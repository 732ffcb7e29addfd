"""The settings that llama.cpp knows: those of its server's chat completions (its README)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import did_you_mean
from pdl.models.exchange import Ignored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json

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
"""Their names, those that OpenAI's interface has and those that pdl reads itself among them."""


def unknown(config: Mapping[str, Json]) -> tuple[Ignored, ...]:
    """The settings that llama.cpp would pass over in silence, with the name that may be meant."""
    return tuple(Ignored(key, _why(key)) for key in config if key not in KNOWN)


def _why(key: str) -> str:
    advice = did_you_mean(key, KNOWN)
    return "llama.cpp has no such setting" + (f": {advice}" if advice else "")
