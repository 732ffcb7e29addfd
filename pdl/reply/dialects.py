"""The marks that models put around what they say: reasoning, end of turn, answer.

Each table is data; a new model needs a line here and nothing else.
"""

from __future__ import annotations

import re

REASONING_TAGS = (
    "think",
    "thinking",
    "thought",
    "thoughts",
    "thought_process",
    "reasoning",
    "reflection",
    "scratchpad",
    "analysis",
    "rationale",
    "inner_monologue",
    "antthinking",
    "chain_of_thought",
    "cot",
    "seed:think",
)
"""Names of elements that hold reasoning: `<think>`, `</think>`; any case, attributes allowed."""

REASONING_MARKS = (
    ("[THINK]", "[/THINK]"),  # Magistral
    ("◁think▷", "◁/think▷"),  # Kimi
    ("<|begin_of_thought|>", "<|end_of_thought|>"),  # Sky-T1, OpenThinker
    ("<|START_THINKING|>", "<|END_THINKING|>"),  # Command A
    ("<|think_start|>", "<|think_end|>"),
    ("<unused94>", "<unused95>"),  # MedGemma
)
"""Other marks that open and close reasoning."""

ANSWER_TAGS = ("answer", "final_answer", "final", "output", "result", "response")
"""Names of elements that hold the answer."""

ANSWER_MARKS = (
    ("<|begin_of_solution|>", "<|end_of_solution|>"),
    ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    ("[ANSWER]", "[/ANSWER]"),
)
"""Other marks that open and close the answer."""

END_TOKENS = (
    "</s>",
    "<eos>",
    "<pad>",
    "<end_of_turn>",
    "<end_of_utterance>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|end_of_turn|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|eos|>",
    "<|end▁of▁sentence|>",
    "<｜end▁of▁sentence｜>",
)
"""Tokens that end a turn."""

START_TOKENS = (
    r"<s>",
    r"<bos>",
    r"<\|begin_of_text\|>",
    r"<\|python_tag\|>",
    r"<｜begin▁of▁sentence｜>",
    r"<｜Assistant｜>",
    r"<\|assistant\|>",
    r"<\|im_start\|>(?:assistant\b)?",
    r"<\|start\|>(?:assistant\b)?",
    r"<start_of_turn>(?:model\b)?",
    r"<\|start_header_id\|>assistant<\|end_header_id\|>",
    r"<\|START_OF_TURN_TOKEN\|>(?:<\|CHATBOT_TOKEN\|>)?",
    r"<\|message\|>",
)
"""Patterns of tokens that begin the model's turn, or a part of it."""

HARMONY_CHANNEL = re.compile(
    r"<\|channel\|>[ \t]*(?P<channel>\w+)[^<]{0,200}+(?:<\|constrain\|>[^<]{0,40}+)?<\|message\|>"
)
"""The head of a message in OpenAI's harmony format; only the channel `final` is an answer."""

HARMONY_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
"""What ends a message of that format; `start` and `channel` begin the next one as well."""

_NAMES = "|".join(map(re.escape, REASONING_TAGS))
_ATTRIBUTES = r"(?:\s[^<>\n]{0,200}+)?"
_ANSWERS = "|".join(map(re.escape, ANSWER_TAGS))


def _either(marks: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, marks))


OPENER = re.compile(
    rf"<(?P<tag>{_NAMES}){_ATTRIBUTES}>|(?P<mark>{_either(tuple(o for o, _ in REASONING_MARKS))})",
    re.IGNORECASE,
)
CLOSER = re.compile(
    rf"</(?P<tag>{_NAMES})\s*>|(?P<mark>{_either(tuple(c for _, c in REASONING_MARKS))})",
    re.IGNORECASE,
)
ANSWER_OPENER = re.compile(
    rf"<(?:{_ANSWERS}){_ATTRIBUTES}>|{_either(tuple(o for o, _ in ANSWER_MARKS))}", re.IGNORECASE
)
ANSWER_CLOSER = re.compile(
    rf"</(?:{_ANSWERS})\s*>|{_either(tuple(c for _, c in ANSWER_MARKS))}", re.IGNORECASE
)
TOKEN = re.compile(rf"{_either(END_TOKENS)}|{'|'.join(START_TOKENS)}")
END_TOKEN = re.compile(_either(END_TOKENS))


def closer_of(opener: re.Match[str]) -> re.Pattern[str]:
    """The pattern of the mark that closes what this one opened."""
    if opener["tag"]:
        return re.compile(rf"</{re.escape(opener['tag'])}\s*>", re.IGNORECASE)
    mark = opener["mark"].casefold()
    close = next(c for o, c in REASONING_MARKS if o.casefold() == mark)
    return re.compile(re.escape(close), re.IGNORECASE)
