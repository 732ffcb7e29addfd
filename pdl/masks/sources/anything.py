"""The vocabulary of whatever a person has: a tokenizer of some library, a file, a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdl.masks import saved
from pdl.masks.sources.configurations import configured
from pdl.masks.sources.found import FILES, Asked, Found, finished, named, refused
from pdl.masks.sources.gguf_file import from_gguf
from pdl.masks.sources.gguf_reader import MAGIC
from pdl.masks.sources.huggingface import from_document, from_tokenizer, from_transformers
from pdl.masks.sources.json_file import read_object
from pdl.masks.sources.llama_cpp import from_llama
from pdl.masks.sources.mistral import from_mistral, from_tekken
from pdl.masks.sources.sentencepiece import START, from_model, from_processor
from pdl.masks.sources.tiktoken import from_encoding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.masks.sources.found import Named
    from pdl.masks.vocabulary import Vocabulary

_READERS: dict[str, Callable[[Any], Found]] = {
    "tokenizers": from_tokenizer,
    "transformers": from_transformers,
    "tiktoken": from_encoding,
    "sentencepiece": from_processor,
    "mistral_common": from_mistral,
    "llama_cpp": from_llama,
}
"""Which function reads the objects of a library; it imports none that is not loaded by then."""

_IN_FOLDERS = ("tokenizer.json", "tekken.json", "tokenizer.model", "spiece.model")
_ZIP = b"PK\x03\x04"


def vocabulary_of(
    source: Any,
    *,
    eos: Named | Iterable[Named] | None = None,
    special: Named | Iterable[Named] = (),
    size: int | None = None,
) -> Vocabulary:
    """The vocabulary of a tokenizer, or of a file or folder that holds one.

    `source` is a tokenizer of `tokenizers`, `transformers` (a fast one), `tiktoken`,
    `sentencepiece`, `mistral_common`, a `llama_cpp.Llama`, or the path of a `tokenizer.json`, a
    `tekken.json`, a SentencePiece model, a GGUF file, what `save` wrote, or a folder with one of
    the first three. `eos` are the tokens that end a text, instead of those that the tokenizer (or
    the configuration beside it) names; `special` are further tokens that are no text; both are one
    token or several, by number or text. `size` is how many logits the model has, where it is more
    than there are tokens, and 10,000,000 at most.

    A token has the bytes that it has amid a text: a blank that begins it is part of it.

    Raises VocabularyError for tokenizers whose tokens have no bytes of their own (WordPiece), where
    no token ends a text, for tokens that there are not, and for files that are not as they should
    be; FileError for those that cannot be read; ValueError for a size that cannot be; TypeError for
    anything else.
    """
    ends = None if eos is None else named("eos", eos)
    asked = Asked(ends, named("special", special), size)
    if isinstance(source, str | os.PathLike):
        if "\0" in os.fspath(source):
            raise saved.unreadable(Path(source), "its name has a NUL")
        return _of_path(Path(source), asked)
    for kind in type(source).__mro__:
        reader = _READERS.get(kind.__module__.partition(".")[0])
        if reader is not None:
            return finished(reader(source), asked)
    known = ", ".join(_READERS)
    raise TypeError(f"source must be a path or a tokenizer of {known}, not {type(source).__name__}")


def _of_path(path: Path, asked: Asked) -> Vocabulary:
    try:
        if path.is_dir():
            path = _in_folder(path)
        with path.open("rb") as file:
            start = file.read(64)
        if start.startswith(_ZIP) and asked.is_nothing:
            return saved.load(path)
        return finished(_read(path, start, asked), asked)
    except OSError as error:
        raise saved.unreadable(path, saved.reason(error)) from error


def _in_folder(path: Path) -> Path:
    for name in _IN_FOLDERS:
        if (path / name).is_file():
            return path / name
    names = ", ".join(f"`{name}`" for name in _IN_FOLDERS)
    raise saved.unreadable(path, f"the folder has none of {names}")


def _read(path: Path, start: bytes, asked: Asked) -> Found:
    """What a file says, by how it begins, with the ends that are named beside it if none is asked.

    A GGUF file and what `save` wrote are of one piece.
    """
    if start.startswith(MAGIC):
        return from_gguf(path)
    if start.startswith(_ZIP):
        return _saved(path)
    found = _document(path) if start.lstrip().startswith(b"{") else _model(path, start)
    return configured(found, path.parent) if asked.eos is None else found


def _document(path: Path) -> Found:
    document = read_object(path)
    if "vocab" in document and "config" in document:
        return from_tekken(document, str(path))
    return from_document(document, str(path))


def _model(path: Path, start: bytes) -> Found:
    """A SentencePiece model; a file of tiktoken's ranks, which goes by the same name, is none."""
    word, _, rank = start.partition(b"\n")[0].partition(b" ")
    if word and rank.strip().isdigit():
        reason = "this file of ranks does not have all tokens: those that are special are not in it"
        raise refused(str(path), reason, "make a `tiktoken.Encoding` of it, and give that")
    if not start.startswith(START):
        raise refused(str(path), "this is no file that tokens can be read from", FILES)
    return from_model(path)


def _saved(path: Path) -> Found:
    held = saved.load(path)
    pieces = dict(enumerate(held.tokens))
    called = [token for token in sorted(held.special) if pieces[token]]
    marks = {pieces[token].decode("utf-8", "replace"): token for token in called}
    return Found(str(path), pieces, held.special, held.eos, marks)
