"""The vocabulary of whatever a person has: a tokenizer of some library, a file, a folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdl.errors import FileError, Problem
from pdl.masks import saved
from pdl.masks.sources.found import Asked, Found, finished, named, refused
from pdl.masks.sources.gguf_file import from_gguf
from pdl.masks.sources.gguf_reader import MAGIC
from pdl.masks.sources.huggingface import from_document, from_tokenizer, from_transformers
from pdl.masks.sources.llama_cpp import from_llama
from pdl.masks.sources.mistral import from_mistral, from_tekken
from pdl.masks.sources.sentencepiece import from_model, from_processor
from pdl.masks.sources.tiktoken import from_encoding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

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
_BESIDE = ("generation_config.json", "config.json", "tokenizer_config.json")
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
    the first three. `eos` are the tokens that end a text, by number or text, instead of those that
    the tokenizer names; `special` are further tokens that are no text; both are one token or
    several. `size` is how many logits the model has, where it is more than there are tokens, and
    10,000,000 at most.

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
            raise _unreadable(Path(source), "its name has a NUL")
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
        return finished(_read(path, start), asked)
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error


def _in_folder(path: Path) -> Path:
    for name in _IN_FOLDERS:
        if (path / name).is_file():
            return path / name
    names = ", ".join(f"`{name}`" for name in _IN_FOLDERS)
    raise _unreadable(path, f"the folder has none of {names}")


def _read(path: Path, start: bytes) -> Found:
    """What a file says, by how it begins."""
    if start.startswith(MAGIC):
        return from_gguf(path)
    if start.startswith(_ZIP):
        return _saved(path)
    if not start.lstrip().startswith(b"{"):
        return _model(path, start)
    document = _json(path)
    if "vocab" in document and "config" in document:
        return from_tekken(document, str(path))
    beside = {name: _json(path.with_name(name)) for name in _BESIDE}
    return from_document(document, str(path), beside)


def _model(path: Path, start: bytes) -> Found:
    """A SentencePiece model; a file of tiktoken's ranks, which goes by the same name, is none."""
    word, _, rank = start.partition(b"\n")[0].partition(b" ")
    if word and rank.strip().isdigit():
        reason = "this file of ranks does not have all tokens: those that are special are not in it"
        raise refused(str(path), reason, "make a `tiktoken.Encoding` of it, and give that")
    return from_model(path)


def _saved(path: Path) -> Found:
    held = saved.load(path)
    pieces = dict(enumerate(held.tokens))
    return Found(str(path), pieces, held.special, held.eos, _marks(pieces, held.special))


def _marks(pieces: Mapping[int, bytes], special: Iterable[int]) -> dict[str, int]:
    """The tokens by their texts, those that are special before others of the same text."""
    found: dict[str, int] = {}
    for number in (*sorted(special), *pieces):
        if pieces[number]:
            found.setdefault(pieces[number].decode("utf-8", "replace"), number)
    return found


def _json(path: Path) -> dict[str, Any]:
    """The object that a JSON file holds; an empty one if there is no such file."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise refused(str(path), f"this is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise refused(str(path), "this JSON is no object")
    return found


def _unreadable(path: Path, reason: str) -> FileError:
    return FileError(Problem("file/unreadable", f"{path}: cannot be read: {reason}"))
