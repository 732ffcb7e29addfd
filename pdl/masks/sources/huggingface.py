"""Vocabularies of Hugging Face's tokenizers: `tokenizers`, `transformers`, a `tokenizer.json`.

Whatever the model (BPE, Unigram, WordLevel), its decoder says what bytes a token stands for. The
steps of a decoder see the tokens of a whole text; here they see one, as it stands amid a text.
Those that work on the text's ends (a blank that is put before it, and taken away again) do nothing
then.

Source: `tokenizers`, `src/decoders/`, `src/pre_tokenizers/{byte_level,metaspace}.rs` and
`src/tokenizer/mod.rs`.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.masks.sources.found import FILES, Found, byte_level, byte_token, plain, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


Step: TypeAlias = "Callable[[str], str | bytes]"
"""A token, as the next step sees it; bytes if it is what no further step changes."""

_WHY_NOT = {
    "BPEDecoder": "whether a blank stands behind a token depends on the next one",
    "CTC": "a token that stands twice is written once",
    "WordPiece": "whether a blank stands in front of a token depends on its neighbours",
}


def speller(decoder: Mapping[str, Any] | None, origin: str) -> Callable[[str], bytes]:
    """What gives the bytes of a token. Raises VocabularyError for decoders that have none."""
    if decoder is None:
        hint = "set its decoder, such as `decoders.ByteLevel()`"
        raise refused(origin, "it has no decoder, so that blanks stand between all tokens", hint)
    fused = done = False
    found: list[Step] = []
    for step in _flat(decoder):
        kind = step["type"]
        if done and kind not in {"Fuse", "Strip"}:
            raise refused(origin, f"its decoder has a step `{kind}` behind `ByteLevel`")
        made = _step(step, origin, fused=fused)
        found += [made] if made else []
        done = done or kind == "ByteLevel"
        fused = fused or done or kind == "Fuse"
    return partial(_spell, found)


def _spell(steps: list[Step], text: str) -> bytes:
    for step in steps:
        following = step(text)
        if isinstance(following, bytes):
            return following
        text = following
    return plain(text)


def _flat(decoder: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The steps of a decoder, those of sequences in their places."""
    pending = [decoder]
    while pending:
        step = pending.pop()
        if step["type"] == "Sequence":
            pending += reversed(step["decoders"])
        else:
            yield step


def _step(step: Mapping[str, Any], origin: str, *, fused: bool) -> Step | None:
    """One step; None if it changes nothing amid a text. `fused`: it sees the text as a whole."""
    kind = step["type"]
    if kind == "ByteLevel" and not fused:
        return _byte_level
    if kind == "Metaspace" and not fused:
        return partial(_replaced, step["replacement"], " ")
    if kind == "ByteFallback" and not fused:
        return _byte_fallback
    if kind == "Replace":
        return _replace(step, origin, fused=fused)
    if kind == "Strip":
        return None if fused else partial(_stripped, step["content"], step["start"], step["stop"])
    if kind == "Fuse":
        return None
    reason = _WHY_NOT.get(kind, "what it does to a token amid a text is not known")
    raise refused(origin, f"its decoder has a step `{kind}`: {reason}")


def _replace(step: Mapping[str, Any], origin: str, *, fused: bool) -> Step:
    """A replacement, which must be of one character where it could go across tokens."""
    pattern = step["pattern"].get("String")
    if pattern is None or not pattern or (fused and len(pattern) > 1):
        reason = "a replacement by a pattern, or across tokens, which single tokens do not show"
        raise refused(origin, f"its decoder has {reason}: {step['pattern']}")
    return partial(_replaced, pattern, step["content"])


def _byte_level(text: str) -> bytes:
    found = byte_level(text)
    return plain(text) if found is None else found


def _byte_fallback(text: str) -> str | bytes:
    byte = byte_token(text)
    if byte is None:
        return text
    return chr(byte) if byte < 0x80 else bytes([byte])  # noqa: PLR2004 - ASCII is text


def _replaced(old: str, new: str, text: str) -> str:
    return text.replace(old, new)


def _stripped(char: str, start: int, stop: int, text: str) -> str:
    """A text without some of the characters at its ends."""
    first, last = 0, len(text)
    while first < min(start, last) and text[first] == char:
        first += 1
    while len(text) - last < stop and last > first and text[last - 1] == char:
        last -= 1
    return text[first:last]


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
