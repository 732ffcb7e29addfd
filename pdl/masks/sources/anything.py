"""The vocabulary of whatever a person has: a tokenizer of some library, a file, a folder.

The JSON files of models are read here, and what the configurations beside a tokenizer say of how a
text ends.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdl.errors import did_you_mean
from pdl.gguf import MAGIC
from pdl.masks import saved
from pdl.masks.saved import reason, unreadable
from pdl.masks.sources.found import FILES, Asked, Found, finished, named, refused
from pdl.masks.sources.gguf_file import from_gguf
from pdl.masks.sources.huggingface import from_document, from_tokenizer, from_transformers
from pdl.masks.sources.libraries import (
    START,
    from_encoding,
    from_llama,
    from_mistral,
    from_model,
    from_processor,
    from_tekken,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl.errors import VocabularyError
    from pdl.masks.sources.found import Named
    from pdl.masks.vocabulary import Vocabulary


def read_object(path: Path) -> dict[str, Any]:
    """The object that a file holds; an empty one if there is no such file.

    Raises FileError if it cannot be read, VocabularyError if it holds something else.
    """
    try:
        found = json.loads(path.read_bytes()) if path.is_file() else {}
    except OSError as error:
        raise unreadable(path, reason(error)) from error
    except (ValueError, RecursionError) as error:
        raise refused(str(path), f"this is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise refused(str(path), "this JSON is no object")
    return found


_WITH_NUMBERS = ("generation_config.json", "config.json")
_WITH_TEXTS = ("tokenizer_config.json", "special_tokens_map.json")
_HINT = "mend the file, or give `eos`, on the command line `--eos`"


def configured(found: Found, folder: Path) -> Found:
    """What a tokenizer says, with all ends that the files of its folder name.

    Raises VocabularyError if one of them names what is no token: it belongs to another tokenizer,
    and the model would not stop where it should.
    """
    numbers = (end for name in _WITH_NUMBERS for end in _numbers(found, folder / name))
    return replace(found, eos=found.eos | {*numbers, *_texts(found, folder)})


def _numbers(found: Found, path: Path) -> Iterator[int]:
    """The ends that a file names by number; models of more than text do it in a part of it."""
    document = read_object(path)
    inner = document.get("text_config")
    for held in (document, inner if isinstance(inner, dict) else {}):
        ends = held.get("eos_token_id")
        listed = ends if isinstance(ends, list) else [] if ends is None else [ends]
        for end in listed:
            if type(end) is not int or end < 0:
                raise _wrong(path, f"its `eos_token_id` is {_shown(end)}, the number of no token")
            if end >= found.count:
                reason = f"its `eos_token_id` is {end:,}, but there are only {found.count:,} tokens"
                raise _wrong(path, reason)
            yield end


def _texts(found: Found, folder: Path) -> Iterator[int]:
    """The end that the first file with one names by its text."""
    for path in (folder / name for name in _WITH_TEXTS):
        token: Any = read_object(path).get("eos_token")
        text = token.get("content") if isinstance(token, dict) else token
        if text is None:
            continue
        if not isinstance(text, str) or text not in found.marks:
            like = did_you_mean(text, found.special_texts) if isinstance(text, str) else ""
            raise _wrong(path, f"its `eos_token` is {_shown(text)}, which is no token", like)
        yield found.marks[text]
        return


def _shown(value: Any) -> str:
    """A value as it stands in the file, or its beginning."""
    return f"{json.dumps(value, ensure_ascii=False):.40}"


def _wrong(path: Path, reason: str, like: str = "") -> VocabularyError:
    return refused(str(path), reason, f"{like} {_HINT}".strip())


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
