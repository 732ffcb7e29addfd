"""Vocabularies of `tiktoken.Encoding`."""

from __future__ import annotations

from typing import Any

from pdl.masks.sources.found import Found


def from_encoding(encoding: Any) -> Found:
    """What an encoding says. Its numbers may have gaps; `eot_token` ends a text, if there is one.

    Encodings of chat models have further ends (`<|im_end|>`, `<|return|>`), which `eos` can name.
    """
    pieces: dict[int, bytes] = {}
    for token in range(encoding.n_vocab):
        try:
            pieces[token] = encoding.decode_single_token_bytes(token)
        except KeyError:
            continue  # a gap: models have more numbers than tokens
    marks = {text: encoding.encode_single_token(text) for text in encoding.special_tokens_set}
    end = marks.get("<|endoftext|>")
    eos = frozenset() if end is None else frozenset([end])
    special = frozenset(marks.values())
    return Found(f"tiktoken encoding {encoding.name!r}", pieces, special, eos, marks)
