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

_BEHIND_GAPS = {
    "fim_pad_token_id": ("<PAD>", "<fim-pad>", "<fim_pad>", "<|fim_pad|>", "[PAD]"),
    "fim_rep_token_id": ("<REPO>", "<fim-repo>", "<reponame>", "<|fim_repo|>", "<|repo_name|>"),
    "fim_sep_token_id": ("<|file_sep|>",),
}
"""What stands where a gap in code is filled, so that the text ends there as well.

Source: `special_fim_pad_id` and those that follow, in the same file. A file may name them.
"""

NAMED = ("eos_token_id", "eot_token_id", "eom_token_id", *_BEHIND_GAPS)
"""The values of a GGUF file that name tokens which end a text."""


def ends(marks: Mapping[str, int], its: Mapping[str, int]) -> frozenset[int]:
    """The tokens that llama.cpp takes for the end of a text.

    `marks` are all tokens by their texts, `its` those that the file names. `<|end|>` ends a
    message, not the answer, where there are `<|call|>` and `<|return|>`, or `<|calls|>` and
    `<|flush|>`; `</s>` is text beside `<|tool_response>` and `<|plamo:eos|>`.
    """
    texts = [*_ENDS, *(text for name in _BEHIND_GAPS.keys() - its for text in _BEHIND_GAPS[name])]
    found = {marks[text] for text in texts if text in marks}
    found.update(its[name] for name in NAMED if name in its)
    calls = "<|call|>" in marks or "<|calls|>" in marks
    if calls and ("<|return|>" in marks or "<|flush|>" in marks):
        found.discard(marks.get("<|end|>", -1))
    if "<|tool_response>" in marks or "<|plamo:eos|>" in marks:
        found.discard(marks.get("</s>", -1))
    return frozenset(found)


_GAPS = frozenset([
    "<MID>", "<PRE>", "<SUF>", "<fim-middle>", "<fim-prefix>", "<fim-suffix>", "<fim_middle>",
    "<fim_prefix>", "<fim_suffix>", "<|code_middle|>", "<|code_prefix|>", "<|code_suffix|>",
    "<|fim_middle|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|middle|>", "<|prefix|>",
    "<|suffix|>", "<｜fim▁begin｜>", "<｜fim▁end｜>", "<｜fim▁hole｜>", "▁<MID>", "▁<PRE>",
    "▁<SUF>",
]).union(*_BEHIND_GAPS.values())  # fmt: skip
"""Source: `special_fim_pre_id` and those that follow, in the same file."""


def gaps(marks: Mapping[str, int]) -> frozenset[int]:
    """The tokens with which models fill gaps in code, which llama.cpp never takes for text."""
    return frozenset(marks[mark] for mark in _GAPS if mark in marks)


def is_padding(number: int, text: bytes) -> bool:
    """Whether a token only makes a file as long as the model's rows, which have more numbers.

    Converters of llama.cpp write `[PAD7]` for token 7, older ones as a token of users: text.
    """
    return text == b"[PAD%d]" % number
