"""Vocabularies of `tiktoken.Encoding`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.masks.sources.found import Found

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    marks = _special(encoding, pieces)
    end = marks.get("<|endoftext|>")
    eos = frozenset() if end is None else frozenset([end])
    special = frozenset(marks.values())
    return Found(f"tiktoken encoding {encoding.name!r}", pieces, special, eos, marks)


def _special(encoding: Any, pieces: Mapping[int, bytes]) -> dict[str, int]:
    """The numbers of special tokens by their texts.

    Where one has the text of an ordinary token, an encoding gives the number of the latter.
    """
    given = {text: encoding.encode_single_token(text) for text in encoding.special_tokens_set}
    names = {text.encode(): text for text in given}
    found = dict(given)
    for number, piece in pieces.items():
        text = names.get(piece)
        if text is not None and number != given[text]:
            found[text] = number
    return found
