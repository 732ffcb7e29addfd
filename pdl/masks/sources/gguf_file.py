"""Vocabularies of GGUF files, of whose metadata only what their tokenizers need is read.

Tensors are not looked at, nor are other values kept. Tokens that are not text are found also by
what they are called: models' files do not always say so.

Sources: "GGUF" in ggml's `docs/gguf.md`; `llama_vocab::impl::load` and `token_to_piece` in
llama.cpp's `src/llama-vocab.cpp`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pdl.gguf import BYTE, NORMAL, TOKENIZER, USER_DEFINED, GgufError, read_metadata
from pdl.masks.sources.found import BLANK, Found, byte_level, byte_token, refused

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


_BLANK = BLANK.encode()
_SPACED = frozenset([b"gemma4", b"granite-embed-multi-311m", b"sarvam-moe"])
"""Kinds of BPE whose tokens are written as SentencePiece writes its own."""
_WHY_NOT = {
    "bert": "WordPiece tokens are no text: whether a blank stands in front of one depends on"
    " its neighbours",
    "none": "it has no tokens",
    "no_vocab": "it has no tokens",
}


def from_gguf(path: Path) -> Found:
    """What a GGUF file says. Raises VocabularyError if it has no tokens that have bytes."""
    try:
        with path.open("rb") as file:
            metadata = read_metadata(file, _is_wanted)
    except GgufError as error:
        reason = f"this GGUF file cannot be read: it {error}"
        raise refused(str(path), reason, error.hint) from error
    its = {
        name.removeprefix(TOKENIZER): value
        for name, value in metadata.items()
        if name.startswith(TOKENIZER)
    }
    texts = its.get("tokens")
    if not isinstance(texts, list) or not texts:
        raise refused(str(path), "this GGUF file has no tokens")
    kinds = its.get("token_type", [NORMAL] * len(texts))
    _check(str(path), texts, kinds, its)
    spell = _speller(its, str(path))
    if len(kinds) < len(texts):
        raise refused(str(path), f"it has {len(texts):,} tokens and {len(kinds):,} kinds of them")
    return _found(str(path), texts, kinds, spell, its)


def _is_wanted(name: str) -> bool:
    return name.startswith(TOKENIZER) and not name.endswith(("merges", "scores"))


def _check(origin: str, texts: list[Any], kinds: Any, its: Mapping[str, Any]) -> None:
    """Raises VocabularyError for values of other types, and for ends that are no token."""
    wrong = [name for name in ("model", "pre") if not isinstance(its.get(name, b""), bytes)]
    if not all(isinstance(text, bytes) for text in texts):
        wrong.append("tokens")
    if not isinstance(kinds, list) or any(type(kind) is not int for kind in kinds):
        wrong.append("token_type")
    wrong += [name for name in NAMED if type(its.get(name, 0)) is not int]
    if wrong:
        raise refused(origin, f"its value `{TOKENIZER}{wrong[0]}` has the wrong type")
    for name in NAMED:
        if not 0 <= its.get(name, 0) < len(texts):
            number = its[name]
            reason = (
                f"its `{TOKENIZER}{name}` is {number}, but there are only {len(texts):,} tokens"
            )
            raise refused(origin, reason)


def _found(
    origin: str,
    texts: list[bytes],
    kinds: list[int],
    spell: Callable[[bytes], bytes | None],
    its: Mapping[str, Any],
) -> Found:
    """Bytes by the kinds of tokens; what is neither text nor a byte is special."""
    marks = {text.decode("utf-8", "replace"): number for number, text in enumerate(texts)}
    eos = ends(marks, its)
    pieces = dict(enumerate(texts))
    special = set(eos | gaps(marks))
    for number, (text, kind) in enumerate(zip(texts, kinds, strict=False)):
        piece = None if is_padding(number, text) else _piece(text, kind, spell)
        if piece is None:
            special.add(number)
        elif number not in special:
            pieces[number] = piece
    return Found(origin, pieces, frozenset(special), eos, marks)


def _piece(text: bytes, kind: int, spell: Callable[[bytes], bytes | None]) -> bytes | None:
    """The bytes of a token; None if it is no text."""
    if kind == USER_DEFINED:
        return text
    if kind == BYTE:
        return _byte(text)
    return spell(text) if kind == NORMAL else None


def _speller(its: Mapping[str, Any], origin: str) -> Callable[[bytes], bytes | None]:
    """How this kind of tokenizer writes its normal tokens."""
    model = _text(its.get("model", b""))
    if model in {"llama", "t5", "gemma4"}:
        return _spaced
    if model == "gpt2":
        return _spaced if its.get("pre") in _SPACED else _byte_level
    if model == "plamo2":
        return bytes
    if model == "rwkv":
        return _escaped
    reason = _WHY_NOT.get(model, f"its kind of tokenizer, `{model}`, is not known")
    raise refused(origin, reason)


def _spaced(text: bytes) -> bytes:
    return text.replace(_BLANK, b" ")


def _byte_level(text: bytes) -> bytes | None:
    """What characters stand for no byte is no text: llama.cpp writes `[UNK_BYTE_0x…]` for it."""
    return byte_level(text.decode("utf-8", "replace"))


def _byte(text: bytes) -> bytes | None:
    byte = byte_token(text.decode("utf-8", "replace"))
    return None if byte is None else bytes([byte])


_ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)
_ESCAPED = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}


def _escaped(text: bytes) -> bytes:
    """RWKV's tokens are written with escapes, of bytes and of blanks."""
    return _ESCAPE.sub(
        lambda found: bytes([int(found[1], 16)]) if found[1] else _ESCAPED.get(found[2], found[2]),
        text,
    )


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
