"""Tokens that are no text, by what they are called: models' files do not always say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENDS = frozenset([
    "</s>", "<eos>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<end_of_turn>", "<end_of_utterance>",
    "<turn|>", "<|tool_response>", "<|call|>", "<|calls|>", "<|end_of_text|>", "<|end|>",
    "<|endoftext|>", "<|eom_id|>", "<|eot_id|>", "<|flush|>", "<|im_end|>", "<|return|>",
    "<｜end▁of▁sentence｜>", "[e~[",
])  # fmt: skip
"""Source: `special_eog_ids` in llama.cpp's `src/llama-vocab.cpp`."""


def ends(marks: Mapping[str, int]) -> frozenset[int]:
    """The tokens that llama.cpp takes for the end of a text, by the texts of all tokens.

    `<|end|>` ends a message, not the answer, where there are `<|call|>` and `<|return|>`, or
    `<|calls|>` and `<|flush|>`; `</s>` is text beside `<|tool_response>` and `<|plamo:eos|>`.
    """
    found = {mark for mark in _ENDS if mark in marks}
    calls = "<|call|>" in marks or "<|calls|>" in marks
    if calls and ("<|return|>" in marks or "<|flush|>" in marks):
        found.discard("<|end|>")
    if "<|tool_response>" in marks or "<|plamo:eos|>" in marks:
        found.discard("</s>")
    return frozenset(marks[mark] for mark in found)


_GAPS = frozenset([
    "<MID>", "<PAD>", "<PRE>", "<REPO>", "<SUF>", "<fim-middle>", "<fim-pad>", "<fim-prefix>",
    "<fim-repo>", "<fim-suffix>", "<fim_middle>", "<fim_pad>", "<fim_prefix>", "<fim_suffix>",
    "<reponame>", "<|code_middle|>", "<|code_prefix|>", "<|code_suffix|>", "<|file_sep|>",
    "<|fim_middle|>", "<|fim_pad|>", "<|fim_prefix|>", "<|fim_repo|>", "<|fim_suffix|>",
    "<|middle|>", "<|prefix|>", "<|repo_name|>", "<|suffix|>", "<｜fim▁begin｜>", "<｜fim▁end｜>",
    "<｜fim▁hole｜>", "[PAD]", "▁<MID>", "▁<PRE>", "▁<SUF>",
])  # fmt: skip
"""Source: `special_fim_pre_id` and those that follow, in the same file."""


def gaps(marks: Mapping[str, int]) -> frozenset[int]:
    """The tokens with which models fill gaps in code, which llama.cpp never takes for text."""
    return frozenset(marks[mark] for mark in _GAPS if mark in marks)
