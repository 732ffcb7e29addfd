"""Vocabularies of Hugging Face's tokenizers: `tokenizers`, `transformers`, a `tokenizer.json`.

Whatever the model (BPE, Unigram, WordLevel), its decoder says what bytes a token stands for.
Source: `tokenizers`, `src/decoders/` and `src/tokenizer/mod.rs`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pdl.masks.sources.decoders import speller
from pdl.masks.sources.found import FILES, Found, refused
from pdl.masks.sources.spelling import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NO_BYTES = {
    "WordPiece": "WordPiece tokens are no text: whether a blank stands in front of one depends on"
    " its neighbours, and unknown characters are lost",
}


def from_tokenizer(tokenizer: Any) -> Found:
    """What a `tokenizers.Tokenizer` says; it knows no token that ends a text."""
    origin = f"tokenizers.{type(tokenizer).__name__}"
    try:
        document = json.loads(tokenizer.to_str())
    except Exception as error:  # its own class is Exception itself
        raise refused(origin, f"it cannot be written as JSON ({error})") from error
    return from_document(document, origin)


def from_transformers(tokenizer: Any) -> Found:
    """What a fast tokenizer of `transformers` says. Raises VocabularyError for others."""
    origin = f"transformers.{type(tokenizer).__name__}"
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        hint = "load the fast one, or give the SentencePiece file, or its `tokenizer.json`"
        raise refused(origin, "only fast tokenizers say what bytes a token has", hint)
    found = from_tokenizer(backend)
    eos = frozenset(_listed(tokenizer.eos_token_id))
    special = found.special | frozenset(tokenizer.all_special_ids)
    return Found(origin, found.pieces, special, eos, found.marks)


def from_document(document: Any, origin: str) -> Found:
    """What a `tokenizer.json` says; it does not say which token ends a text."""
    if not isinstance(document, dict) or not isinstance(document.get("model"), dict):
        raise refused(origin, "this is no `tokenizer.json`: it has no `model`", FILES)
    model = document["model"]
    kind = str(model.get("type") or "BPE")
    if kind in _NO_BYTES:
        raise refused(origin, _NO_BYTES[kind])
    try:
        texts = _texts(model)
        added = {token["id"]: token for token in document.get("added_tokens") or ()}
        texts.update((number, token["content"]) for number, token in added.items())
        spell = speller(document.get("decoder"), origin)
        special = {number for number, token in added.items() if token.get("special")}
        pieces = {number: spell(text) for number, text in texts.items()}
        pieces.update((number, plain(texts[number])) for number in special)
        marks = {text: number for number, text in texts.items()}
        special |= _unknown(model, marks)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise refused(origin, f"this is no `tokenizer.json` as it should be ({error!r})") from error
    return Found(origin, pieces, frozenset(special), marks=marks)


def _texts(model: Mapping[str, Any]) -> dict[int, str]:
    """The text of each token of a model."""
    vocab = model["vocab"]
    if isinstance(vocab, dict):
        return {number: text for text, number in vocab.items()}
    return {number: text for number, (text, _) in enumerate(vocab)}


def _unknown(model: Mapping[str, Any], marks: Mapping[str, int]) -> set[int]:
    """The token for what a model has no token for."""
    number = model.get("unk_id")
    number = marks.get(model.get("unk_token") or "") if number is None else number
    return set() if number is None else {number}


def _listed(numbers: Any) -> Iterable[int]:
    if numbers is None:
        return ()
    return numbers if isinstance(numbers, list | tuple) else (numbers,)
