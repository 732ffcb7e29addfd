"""Vocabularies of SentencePiece: a processor, or a model file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pdl.masks.sources.found import FILES, Found, refused
from pdl.masks.sources.spelling import plain, with_blanks

if TYPE_CHECKING:
    from pathlib import Path

START = b"\n"
"""How a model file begins: its pieces are the first field of the message, by
`sentencepiece_model.proto`.
"""


def from_processor(processor: Any, origin: str = "SentencePieceProcessor") -> Found:
    """What a processor says. Unused pieces count as special: no model has learned them.

    The blank that a processor puts in front of a whole text, and takes away again when it decodes
    one, is part of the first token here, as it is of a token amid a text.
    """
    numbers = range(processor.get_piece_size())
    texts = [processor.id_to_piece(number) for number in numbers]
    pieces: dict[int, bytes] = {}
    special = set()
    for number, text in zip(numbers, texts, strict=True):
        if processor.is_byte(number):
            pieces[number] = bytes([int(text[3:5], 16)])
        elif _silent(processor, number):
            pieces[number] = plain(text)
            special.add(number)
        else:
            pieces[number] = with_blanks(text)
    end = processor.eos_id()
    eos = frozenset([end]) if end >= 0 else frozenset()
    marks = dict(zip(texts, numbers, strict=True))
    return Found(origin, pieces, frozenset(special), eos, marks)


def from_model(path: Path) -> Found:
    """What a model file says, which the package `sentencepiece` reads."""
    try:
        library = import_module("sentencepiece")
    except ImportError as error:
        hint = "install `sentencepiece`"
        raise refused(str(path), "the package `sentencepiece` reads such files", hint) from error
    try:
        processor = library.SentencePieceProcessor(model_file=str(path))
    except (RuntimeError, OSError) as error:
        raise refused(str(path), "this is no SentencePiece model", FILES) from error
    return from_processor(processor, str(path))


def _silent(processor: Any, number: int) -> bool:
    """Whether a piece is no text."""
    return bool(
        processor.is_control(number) or processor.is_unknown(number) or processor.is_unused(number)
    )
