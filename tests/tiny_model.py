"""A random-weight model of about 300 kB, for a real llama.cpp to sample from.

`python -m tests.tiny_model PATH` writes it. It says nothing sensible, but what a grammar lets
through it says in every variety, which is what a grammar is to be tried with.
"""

from __future__ import annotations

import string
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gguf
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    Matrix = np.ndarray[Any, np.dtype[np.float64]]

WIDTH, INNER, HEADS, LAYERS, CONTEXT = 32, 64, 2, 2, 32_768

_END, _TURN, _EOT = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
# Single tokens that models print, as Qwen's tool calls are, and others that a server prints only
# where `preserved_tokens` names them, as Llama's and Mistral's are.
PRINTED = ("<think>", "</think>", "<tool_call>", "</tool_call>")
_CONTROL = (_END, _TURN, _EOT, "<|python_tag|>", "[TOOL_CALLS]")

_JSON = (
    *('": ', '":', '": "', '":"', '", "', '","', '",\n', '"}', '"]', '{"', '["', '[{"', "{}", "[]"),
    *('": [', '": {', '"}, {"', '"]}', "]}", "}}", "}]", '""', ': "', ', "', '\\"', "\\\\", "\\n"),
    *("\\u00", "\\ud83d\\ude00", "true", "false", "null", "0.", ".5", "e+", "-1", "1e", "\n  "),
    *("\n\n", "    ", "\r\n", "```", "```json\n", "- [ ] ", "- [x] ", "](", "**", "://", ".com"),
)
_WORDS = (
    *("the", "and", " the", " of", " to", "name", "value", "type", "args", "tool", "title", "id"),
    *("yes", "no", "Yes", "No", "None", "True", "False", "date", "2024-", "12:", "00Z", "P1D"),
    *("function", "arguments", "parameters", "answer", "text", "list", "code", "print(", "return"),
    *("user", "system", "assistant", "content", "query", "city", "tag", "count", "total", "item"),
    *("Berlin", "hello", " world", "ing", "tion", "er", "es", "ab", "aa", "x1", "::", "//"),
)
# Whole characters, parts of them, and parts with what follows: a token may end anywhere.
_CHARACTERS = ("é", "ü", "ß", "–", "…", "’", "“", "中文", "日本", "да", "😀", "👍", "\u2028")
_PIECES = (
    *(text.encode() for text in _CHARACTERS),
    *(b"\xe2\x80", b"\xe4\xb8", b"\xf0\x9f\x98", b'\xa9"', b"\x9f\x98\x80", b'\x80"'),
    *(b" \xe2", b'"\xc3'),
)

# Bytes that begin what is no UTF-8, whatever follows or with half of what may follow. A grammar of
# llama.cpp lets that through: it looks at the number only that the bits of the bytes make.
_NOT_FIRST = (0xC0, 0xC1, 0xE0, 0xED, 0xF0, *range(0xF4, 0x100))

# The logit of a token in any context, beside a random one (of a standard deviation of about 1.3).
# All others together weigh about as much as one of 7: a string ends after some twenty tokens.
# Control tokens pass a grammar as the text that they are written in, and are not printed; like a
# trained model, this one has next to none of them amid a text.
_LOGITS = {
    **dict.fromkeys((b'"', b"}", b"]"), 6.0),
    **dict.fromkeys((b",", b"\n", b"</think>", b"</tool_call>", b"```"), 3.5),
    **dict.fromkeys((b'"}', b'", ', b'": ', b'":', b'"]', b":"), 3.0),
    **dict.fromkeys((bytes([byte]) for byte in _NOT_FIRST), -12.0),
    **dict.fromkeys((text.encode() for text in _CONTROL), -12.0),
    **dict.fromkeys((_END.encode(), _EOT.encode()), 5.0),
}
_CONSTANT = 4.0
_SPREAD = 0.25

TEMPLATE = (
    "{% for message in messages %}"
    "<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write(path: str | Path, *, seed: int = 0) -> Path:
    """Write the model, the same bytes for the same seed; the path."""
    path = Path(path)
    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer)
    _vocabulary(writer)
    for name, weights in _tensors(np.random.default_rng(seed)):
        writer.add_tensor(name, weights.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def pieces() -> list[bytes]:
    """All tokens of text: each byte, then words with all their beginnings, two bytes and more.

    Byte-pair merging comes to a word by its beginnings.
    """
    digits = [f"{number:02}" for number in range(0, 100, 7)]
    letters = [first + "e" for first in string.ascii_letters]
    words = [word.encode() for word in (*_JSON, *_WORDS, *digits, *letters)]
    longer = (word[:end] for word in (*words, *_PIECES) for end in range(2, len(word) + 1))
    return [bytes([byte]) for byte in range(256)] + list(dict.fromkeys(longer))


def marks() -> dict[str, int]:
    """The tokens that are no text, printed or not, and their numbers."""
    return {text: number for number, text in enumerate((*PRINTED, *_CONTROL), len(pieces()))}


def _describe(writer: gguf.GGUFWriter) -> None:
    writer.add_name("tiny random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_block_count(LAYERS)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)


def _vocabulary(writer: gguf.GGUFWriter) -> None:
    texts = pieces()
    kinds = (
        [gguf.TokenType.NORMAL] * len(texts)
        + [gguf.TokenType.USER_DEFINED] * len(PRINTED)
        + [gguf.TokenType.CONTROL] * len(_CONTROL)
    )
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([*map(_shown, texts), *PRINTED, *_CONTROL])
    writer.add_token_types(kinds)
    writer.add_token_merges([f"{_shown(text[:-1])} {_shown(text[-1:])}" for text in texts[256:]])
    number = marks()
    writer.add_bos_token_id(number[_END])
    writer.add_eos_token_id(number[_END])
    writer.add_eot_token_id(number[_EOT])
    writer.add_add_bos_token(value=False)
    writer.add_chat_template(TEMPLATE)


def _shown(text: bytes) -> str:
    """A token as byte-level vocabularies write it: one printable character for each byte."""
    return "".join(_LETTERS[byte] for byte in text)


def _letters() -> list[str]:
    """GPT-2's characters for bytes: what prints is itself, the others follow from U+0100 on."""
    printed = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    rest = iter(range(0x100, 0x200))
    return [chr(byte if byte in printed else next(rest)) for byte in range(256)]


_LETTERS = _letters()


def _tensors(rng: np.random.Generator) -> Iterator[tuple[str, Matrix]]:
    """Random weights, rows by output.

    The first number of each hidden vector is a constant, which no layer changes: its column in the
    output matrix is what a token weighs in any context.
    """
    tokens = [*pieces(), *(mark.encode() for mark in marks())]
    embedding = rng.normal(0, 1, (len(tokens), WIDTH))
    embedding[:, 0] = _CONSTANT
    output = rng.normal(0, _SPREAD, (len(tokens), WIDTH))
    level = _CONSTANT / np.sqrt((_CONSTANT**2 + WIDTH - 1) / WIDTH)  # the constant after the norm
    output[:, 0] = [_LOGITS.get(token, 0) / level for token in tokens]
    yield "token_embd.weight", embedding
    yield "output.weight", output
    yield "output_norm.weight", np.ones(WIDTH)
    yield from chain.from_iterable(_layer(rng, f"blk.{number}") for number in range(LAYERS))


def _layer(rng: np.random.Generator, name: str) -> Iterator[tuple[str, Matrix]]:
    shapes = {
        **dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output"), (WIDTH, WIDTH)),
        **dict.fromkeys(("ffn_gate", "ffn_up"), (INNER, WIDTH)),
        "ffn_down": (WIDTH, INNER),
    }
    for part in ("attn_norm", "ffn_norm"):
        yield f"{name}.{part}.weight", np.ones(WIDTH)
    for part, shape in shapes.items():
        weights = rng.normal(0, shape[1] ** -0.5, shape)
        if part in ("attn_output", "ffn_down"):
            weights[0] = 0
        yield f"{name}.{part}.weight", weights


if __name__ == "__main__":
    write(sys.argv[1])
