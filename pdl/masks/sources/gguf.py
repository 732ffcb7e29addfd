"""Vocabularies of GGUF files, of whose metadata only what describes the tokenizer is read.

Tokens that are not text are also found by their names, since files don't always say so.

Sources: "GGUF" in ggml's `docs/gguf.md`; `llama_vocab::impl::load` and `token_to_piece` in
llama.cpp's `src/llama-vocab.cpp`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pdl.gguf import BYTE, NORMAL, TOKENIZER, USER_DEFINED, GgufError, read_metadata
from pdl.masks.sources.tokenizer_data import (
    SPACE,
    TokenizerData,
    byte_level,
    byte_token,
    unsupported,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


_ENDS = frozenset([
    "</s>", "<eos>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<end_of_turn>", "<end_of_utterance>",
    "<turn|>", "<|tool_response>", "<|call|>", "<|calls|>", "<|end_of_text|>", "<|end|>",
    "<|endoftext|>", "<|eom_id|>", "<|eot_id|>", "<|flush|>", "<|im_end|>", "<|return|>",
    "<｜end▁of▁sentence｜>", "[e~[",
])  # fmt: skip
"""Source: `special_eog_ids` in llama.cpp's `src/llama-vocab.cpp`."""

_AROUND_GAPS = {
    "fim_pad_token_id": ("<PAD>", "<fim-pad>", "<fim_pad>", "<|fim_pad|>", "[PAD]"),
    "fim_rep_token_id": ("<REPO>", "<fim-repo>", "<reponame>", "<|fim_repo|>", "<|repo_name|>"),
    "fim_sep_token_id": ("<|file_sep|>",),
}
"""Tokens around a gap in code that is filled, so the text ends there too.

Source: `special_fim_pad_id` and those that follow, in the same file. A file may name them.
"""

NAMED = ("eos_token_id", "eot_token_id", "eom_token_id", *_AROUND_GAPS)
"""The values of a GGUF file that name end-of-sequence tokens."""


def ends(ids: Mapping[str, int], its: Mapping[str, int]) -> frozenset[int]:
    """Return the tokens that llama.cpp takes for the end of a text.

    `ids` are all tokens by their texts, `its` those that the file names. `<|end|>` ends a
    message, not the answer, if there are `<|call|>` and `<|return|>`, or `<|calls|>` and
    `<|flush|>`; `</s>` is text if there is `<|tool_response>` or `<|plamo:eos|>`.
    """
    texts = [*_ENDS, *(text for name in _AROUND_GAPS.keys() - its for text in _AROUND_GAPS[name])]
    found = {ids[text] for text in texts if text in ids}
    found.update(its[name] for name in NAMED if name in its)
    calls = "<|call|>" in ids or "<|calls|>" in ids
    if calls and ("<|return|>" in ids or "<|flush|>" in ids):
        found.discard(ids.get("<|end|>", -1))
    if "<|tool_response>" in ids or "<|plamo:eos|>" in ids:
        found.discard(ids.get("</s>", -1))
    return frozenset(found)


_GAPS = frozenset([
    "<MID>", "<PRE>", "<SUF>", "<fim-middle>", "<fim-prefix>", "<fim-suffix>", "<fim_middle>",
    "<fim_prefix>", "<fim_suffix>", "<|code_middle|>", "<|code_prefix|>", "<|code_suffix|>",
    "<|fim_middle|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|middle|>", "<|prefix|>",
    "<|suffix|>", "<｜fim▁begin｜>", "<｜fim▁end｜>", "<｜fim▁hole｜>", "▁<MID>", "▁<PRE>",
    "▁<SUF>",
]).union(*_AROUND_GAPS.values())  # fmt: skip
"""Source: `special_fim_pre_id` and those that follow, in the same file."""


def gaps(ids: Mapping[str, int]) -> frozenset[int]:
    """Return the tokens for filling gaps in code, which llama.cpp never takes for text."""
    return frozenset(ids[text] for text in _GAPS if text in ids)


def is_padding(number: int, text: bytes) -> bool:
    """Whether a token only pads a file to the number of the model's rows.

    Converters of llama.cpp write `[PAD7]` for token 7, older ones as a user-defined token: text.
    """
    return text == b"[PAD%d]" % number


_BLANK = SPACE.encode()
_SPACED = frozenset([b"gemma4", b"granite-embed-multi-311m", b"sarvam-moe"])
"""Kinds of BPE whose tokens are written as SentencePiece writes its own."""
_WHY_NOT = {
    "bert": "WordPiece tokens are not text: whether a space precedes one depends on its neighbors",
    "none": "it has no tokens",
    "no_vocab": "it has no tokens",
}


def from_gguf(path: Path) -> TokenizerData:
    """Read a GGUF file. Raises VocabularyError if it has no tokens that have bytes."""
    try:
        with path.open("rb") as file:
            metadata = read_metadata(file, _is_wanted)
    except GgufError as error:
        reason = f"this GGUF file cannot be read: it {error}"
        raise unsupported(str(path), reason, error.hint) from error
    its = {
        name.removeprefix(TOKENIZER): value
        for name, value in metadata.items()
        if name.startswith(TOKENIZER)
    }
    texts = its.get("tokens")
    if not isinstance(texts, list) or not texts:
        raise unsupported(str(path), "this GGUF file has no tokens")
    kinds = its.get("token_type", [NORMAL] * len(texts))
    _check(str(path), texts, kinds, its)
    spell = _speller(its, str(path))
    if len(kinds) < len(texts):
        raise unsupported(str(path), f"it has {len(texts):,} tokens but {len(kinds):,} token types")
    return _found(str(path), texts, kinds, spell, its)


def _is_wanted(name: str) -> bool:
    return name.startswith(TOKENIZER) and not name.endswith(("merges", "scores"))


def _check(origin: str, texts: list[Any], kinds: Any, its: Mapping[str, Any]) -> None:
    """Raise VocabularyError for values of other types, and for ends that are not a token."""
    wrong = [name for name in ("model", "pre") if not isinstance(its.get(name, b""), bytes)]
    if not all(isinstance(text, bytes) for text in texts):
        wrong.append("tokens")
    if not isinstance(kinds, list) or any(type(kind) is not int for kind in kinds):
        wrong.append("token_type")
    wrong += [name for name in NAMED if type(its.get(name, 0)) is not int]
    if wrong:
        raise unsupported(origin, f"its value `{TOKENIZER}{wrong[0]}` has the wrong type")
    for name in NAMED:
        if not 0 <= its.get(name, 0) < len(texts):
            number = its[name]
            reason = (
                f"its `{TOKENIZER}{name}` is {number}, but there are only {len(texts):,} tokens"
            )
            raise unsupported(origin, reason)


def _found(
    origin: str,
    texts: list[bytes],
    kinds: list[int],
    spell: Callable[[bytes], bytes | None],
    its: Mapping[str, Any],
) -> TokenizerData:
    """Bytes by the types of tokens; what is neither text nor a byte is special."""
    ids = {text.decode("utf-8", "replace"): number for number, text in enumerate(texts)}
    eos = ends(ids, its)
    pieces = dict(enumerate(texts))
    special = set(eos | gaps(ids))
    for number, (text, kind) in enumerate(zip(texts, kinds, strict=False)):
        piece = None if is_padding(number, text) else _piece(text, kind, spell)
        if piece is None:
            special.add(number)
        elif number not in special:
            pieces[number] = piece
    return TokenizerData(origin, pieces, frozenset(special), eos, ids)


def _piece(text: bytes, kind: int, spell: Callable[[bytes], bytes | None]) -> bytes | None:
    """The bytes of a token; None if it is not text."""
    if kind == USER_DEFINED:
        return text
    if kind == BYTE:
        return _byte(text)
    return spell(text) if kind == NORMAL else None


def _speller(its: Mapping[str, Any], origin: str) -> Callable[[bytes], bytes | None]:
    """The function from a normal token of this kind of tokenizer to its bytes."""
    model = _text(its.get("model", b""))
    if model in {"llama", "t5", "gemma4"}:
        return _spaced
    if model == "gpt2":
        return _spaced if its.get("pre") in _SPACED else _byte_level
    if model == "plamo2":
        return bytes
    if model == "rwkv":
        return _escaped
    reason = _WHY_NOT.get(model, f"its kind of tokenizer, `{model}`, is unknown")
    raise unsupported(origin, reason)


def _spaced(text: bytes) -> bytes:
    return text.replace(_BLANK, b" ")


def _byte_level(text: bytes) -> bytes | None:
    """A token with a character that represents no byte is not text (`[UNK_BYTE_0x…]`)."""
    return byte_level(text.decode("utf-8", "replace"))


def _byte(text: bytes) -> bytes | None:
    byte = byte_token(text.decode("utf-8", "replace"))
    return None if byte is None else bytes([byte])


_ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)
_ESCAPED = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}


def _escaped(text: bytes) -> bytes:
    """RWKV's tokens are written with escapes, of bytes and of whitespace."""
    return _ESCAPE.sub(
        lambda found: bytes([int(found[1], 16)]) if found[1] else _ESCAPED.get(found[2], found[2]),
        text,
    )


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
