"""Vocabularies of `mistral-common`: its tokenizers, and `tekken.json`."""

from __future__ import annotations

import base64
from importlib import import_module
from typing import Any

from pdl.masks.sources.found import MOST, Found, refused
from pdl.masks.sources.sentencepiece import from_processor

_END = "</s>"
_BASE = "mistral_common.tokens.tokenizers.base"
_FIRST = ("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]",
          "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]",
          "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
          "[TOOL_CONTENT]")  # fmt: skip
"""The special tokens of files that list none: those up to version 7."""


def from_mistral(tokenizer: Any) -> Found:
    """What a tokenizer says: a `MistralTokenizer`, a `Tekkenizer`, a `SentencePieceTokenizer`."""
    for name in ("instruct_tokenizer", "tokenizer"):
        tokenizer = getattr(tokenizer, name, tokenizer)
    origin = f"mistral_common {type(tokenizer).__name__}"
    if hasattr(tokenizer, "id_to_byte_piece") and hasattr(tokenizer, "num_special_tokens"):
        return _tekkenizer(tokenizer, origin)
    processor = getattr(tokenizer, "_model", None)
    if hasattr(processor, "get_piece_size"):
        return from_processor(processor, origin)
    raise refused(origin, "it is neither a tokenizer of SentencePiece nor a Tekkenizer")


def _tekkenizer(tokenizer: Any, origin: str) -> Found:
    """Special tokens come first, then those of text."""
    keep = import_module(_BASE).SpecialTokenPolicy.KEEP
    count = tokenizer.num_special_tokens
    pieces = {token: tokenizer.id_to_byte_piece(token, keep) for token in range(tokenizer.n_words)}
    marks = {pieces[token].decode("utf-8", "replace"): token for token in range(count)}
    eos = frozenset([tokenizer.eos_id])
    return Found(origin, pieces, frozenset(range(count)), eos, marks)


def from_tekken(document: Any, origin: str) -> Found:
    """What a `tekken.json` says. Raises VocabularyError if it is not as it should be."""
    try:
        config = document["config"]
        count = _count(config["default_num_special_tokens"])
        listed = document.get("special_tokens") or ()
        names = [token["token_str"] for token in listed] or list(_FIRST)
        names += [f"<SPECIAL_{number}>" for number in range(len(names), count)]
        texts = document["vocab"][: config["default_vocab_size"] - count]
        pieces = {number: name.encode() for number, name in enumerate(names[:count])}
        for text in texts:
            pieces[count + text["rank"]] = base64.b64decode(text["token_bytes"], validate=True)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise refused(origin, f"this is no `tekken.json` as it should be ({error!r})") from error
    marks = {name: number for number, name in enumerate(names[:count])}
    eos = frozenset([marks[_END]]) if _END in marks else frozenset()
    return Found(origin, pieces, frozenset(range(count)), eos, marks)


def _count(number: int) -> int:
    """How many special tokens there are. Raises ValueError if that cannot be."""
    if not 0 <= number <= MOST:
        raise ValueError(f"{number} special tokens")
    return number
