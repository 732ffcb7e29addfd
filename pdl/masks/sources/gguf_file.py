"""Vocabularies of GGUF files, of whose metadata only what their tokenizers need is read.

Tensors are not looked at, nor are other values kept. Tokens that are not text are found also by
what they are called: models' files do not always say so.

Sources: "GGUF" in ggml's `docs/gguf.md`; `llama_vocab::impl::load` and `token_to_piece` in
llama.cpp's `src/llama-vocab.cpp`.
"""

from __future__ import annotations

import mmap
import re
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

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


MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
_NUMBERS = {
    0: "<u1", 1: "<i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", 7: "?",
    10: "<u8", 11: "<i8", 12: "<f8",
}  # fmt: skip
_SIZE = struct.Struct("<Q")


class BadFileError(ValueError):
    """A file is no GGUF, or is not complete."""


def metadata(path: Path, wanted: Callable[[str], bool]) -> dict[str, Any]:
    """The values whose names are `wanted`: numbers, strings as bytes, and lists of them.

    Raises OSError if the file cannot be read, BadFileError if it is no GGUF of a known version.
    """
    with path.open("rb") as file:
        try:
            held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:  # nothing to map
            raise BadFileError("it is empty") from error
        with held:
            return _Reader(held).metadata(wanted)


class _Reader:
    """A place in a file."""

    def __init__(self, held: mmap.mmap) -> None:
        self._held = held
        self._at = 0

    def metadata(self, wanted: Callable[[str], bool]) -> dict[str, Any]:
        if self._take(len(MAGIC)) != MAGIC:
            raise BadFileError("it does not begin as a GGUF file does")
        version = self._number("<u4")
        if version not in _VERSIONS:
            raise BadFileError(f"its version is {version}; known are {_VERSIONS}, little-endian")
        self._number("<u8")  # how many tensors there are
        found = {}
        for _ in range(self._number("<u8")):
            name = self._string().decode("utf-8", "replace")
            keep = wanted(name)
            value = self._value(self._number("<u4"), keep=keep)
            if keep:
                found[name] = value
        return found

    def _value(self, kind: int, *, keep: bool) -> Any:
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            return self._number(_type(kind))
        inner, count = self._number("<u4"), self._number("<u8")
        if inner == _STRING:
            return self._strings(count, keep=keep)
        dtype = np.dtype(_type(inner))
        data = self._take(count * dtype.itemsize)
        return np.frombuffer(data, dtype).tolist() if keep else None

    def _number(self, kind: str) -> Any:
        dtype = np.dtype(kind)
        return np.frombuffer(self._take(dtype.itemsize), dtype)[0].item()

    def _string(self) -> bytes:
        return self._take(self._number("<u8"))

    def _strings(self, count: int, *, keep: bool) -> list[bytes]:
        """Many strings, or a look past them."""
        held, at, size = self._held, self._at, len(self._held)
        found: list[bytes] = []
        for _ in range(count):
            if at + 8 > size:
                raise _cut(size)
            start = at + 8
            at = start + _SIZE.unpack_from(held, at)[0]
            if at > size:
                raise _cut(size)
            if keep:
                found.append(held[start:at])
        self._at = at
        return found

    def _take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._held):
            raise _cut(len(self._held))
        data = self._held[self._at : end]
        self._at = end
        return data


def _type(kind: int) -> str:
    found = _NUMBERS.get(kind)
    if found is None:
        raise BadFileError(f"it has a value of an unknown type, {kind}")
    return found


def _cut(size: int) -> BadFileError:
    return BadFileError(f"it is cut off: it ends at byte {size:,}, amid its metadata")


_KEY = "tokenizer.ggml."
_NORMAL, _USER, _BYTE = 1, 4, 6
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
        held = metadata(path, lambda name: name.startswith(_KEY) and not name.endswith("merges"))
    except BadFileError as error:
        raise refused(str(path), f"this GGUF file cannot be read: {error}") from error
    its = {name.removeprefix(_KEY): value for name, value in held.items()}
    texts = its.get("tokens")
    if not isinstance(texts, list) or not texts:
        raise refused(str(path), "this GGUF file has no tokens")
    kinds = its.get("token_type", [_NORMAL] * len(texts))
    _check(str(path), texts, kinds, its)
    spell = _speller(its, str(path))
    if len(kinds) < len(texts):
        raise refused(str(path), f"it has {len(texts):,} tokens and {len(kinds):,} kinds of them")
    return _found(str(path), texts, kinds, spell, its)


def _check(origin: str, texts: list[Any], kinds: Any, its: Mapping[str, Any]) -> None:
    """Raises VocabularyError for values of other types, and for ends that are no token."""
    wrong = [name for name in ("model", "pre") if not isinstance(its.get(name, b""), bytes)]
    if not all(isinstance(text, bytes) for text in texts):
        wrong.append("tokens")
    if not isinstance(kinds, list) or any(type(kind) is not int for kind in kinds):
        wrong.append("token_type")
    wrong += [name for name in NAMED if type(its.get(name, 0)) is not int]
    if wrong:
        raise refused(origin, f"its value `{_KEY}{wrong[0]}` is of another type than it should be")
    for name in NAMED:
        if not 0 <= its.get(name, 0) < len(texts):
            number = its[name]
            reason = f"its `{_KEY}{name}` is {number}, but there are only {len(texts):,} tokens"
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
    if kind == _USER:
        return text
    if kind == _BYTE:
        return _byte(text)
    return spell(text) if kind == _NORMAL else None


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
