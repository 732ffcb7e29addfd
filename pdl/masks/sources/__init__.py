"""The vocabulary of a tokenizer: of a library, a file, or a directory.

The JSON files of models are read here, including the configuration files next to a tokenizer, which
say how a text ends.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdl.errors import did_you_mean
from pdl.gguf import MAGIC
from pdl.masks.sources.gguf import from_gguf
from pdl.masks.sources.libraries import (
    START,
    from_document,
    from_encoding,
    from_llama,
    from_mistral,
    from_model,
    from_processor,
    from_tekken,
    from_tokenizer,
    from_transformers,
)
from pdl.masks.sources.saved import load, reason, unreadable
from pdl.masks.sources.tokenizer_data import (
    FILES,
    TokenizerData,
    VocabularyOptions,
    to_vocabulary,
    token_names,
    unsupported,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl.errors import VocabularyError
    from pdl.masks.sources.tokenizer_data import TokenName
    from pdl.masks.vocabulary import Vocabulary


def read_object(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; an empty one if there is no such file.

    Raises FileError if it can't be read, VocabularyError if it contains something else.
    """
    try:
        found = json.loads(path.read_bytes()) if path.is_file() else {}
    except OSError as error:
        raise unreadable(path, reason(error)) from error
    except (ValueError, RecursionError) as error:
        raise unsupported(str(path), f"this is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise unsupported(str(path), "this JSON is not an object")
    return found


_WITH_NUMBERS = ("generation_config.json", "config.json")
_WITH_TEXTS = ("tokenizer_config.json", "special_tokens_map.json")
_HINT = "fix the file, or pass `eos`, on the command line `--eos`"


def configured(found: TokenizerData, folder: Path) -> TokenizerData:
    """Return what a tokenizer says, with all ends that the files of its directory name.

    Raises VocabularyError if one of them names what is not a token: it belongs to another
    tokenizer, and the model would not stop where it should.
    """
    numbers = (end for name in _WITH_NUMBERS for end in _numbers(found, folder / name))
    return replace(found, eos=found.eos | {*numbers, *_texts(found, folder)})


def _numbers(found: TokenizerData, path: Path) -> Iterator[int]:
    """The ends that a file names by ID; multimodal models do it in a part of it."""
    document = read_object(path)
    inner = document.get("text_config")
    for held in (document, inner if isinstance(inner, dict) else {}):
        ends = held.get("eos_token_id")
        listed = ends if isinstance(ends, list) else [] if ends is None else [ends]
        for end in listed:
            if type(end) is not int or end < 0:
                reason = f"its `eos_token_id` is {_shown(end)}, which is not a token ID"
                raise _invalid(path, reason)
            if end >= found.count:
                reason = f"its `eos_token_id` is {end:,}, but there are only {found.count:,} tokens"
                raise _invalid(path, reason)
            yield end


def _texts(found: TokenizerData, folder: Path) -> Iterator[int]:
    """The end that the first file with one names by its text."""
    for path in (folder / name for name in _WITH_TEXTS):
        token: Any = read_object(path).get("eos_token")
        text = token.get("content") if isinstance(token, dict) else token
        if text is None:
            continue
        if not isinstance(text, str) or text not in found.ids:
            like = did_you_mean(text, found.special_texts) if isinstance(text, str) else ""
            raise _invalid(path, f"its `eos_token` is {_shown(text)}, which is not a token", like)
        yield found.ids[text]
        return


def _shown(value: Any) -> str:
    """A value as in the file, or its beginning."""
    return f"{json.dumps(value, ensure_ascii=False):.40}"


def _invalid(path: Path, reason: str, like: str = "") -> VocabularyError:
    return unsupported(str(path), reason, f"{like} {_HINT}".strip())


_READERS: dict[str, Callable[[Any], TokenizerData]] = {
    "tokenizers": from_tokenizer,
    "transformers": from_transformers,
    "tiktoken": from_encoding,
    "sentencepiece": from_processor,
    "mistral_common": from_mistral,
    "llama_cpp": from_llama,
}
"""The functions that read the objects of each library; only loaded libraries are imported."""

_IN_FOLDERS = ("tokenizer.json", "tekken.json", "tokenizer.model", "spiece.model")
_ZIP = b"PK\x03\x04"


def vocabulary_of(
    source: Any,
    *,
    eos: TokenName | Iterable[TokenName] | None = None,
    special: TokenName | Iterable[TokenName] = (),
    size: int | None = None,
) -> Vocabulary:
    """Return the vocabulary of a tokenizer, or of a file or directory that contains one.

    `source` is a tokenizer of `tokenizers`, `transformers` (a fast one), `tiktoken`,
    `sentencepiece`, `mistral_common`, a `llama_cpp.Llama`, or the path of a `tokenizer.json`, a
    `tekken.json`, a SentencePiece model, a GGUF file, a file that `save` wrote, or a directory with
    one of the first three. `eos` are the tokens that end a text, instead of those that the
    tokenizer (or the configuration next to it) names; `special` are further tokens that are not
    text; both are one token or several, by ID or text. `size` is the number of logits of the model,
    if it is greater than the number of tokens; at most 10,000,000.

    A token has the bytes that it has in the middle of a text: a leading space is part of it.

    Raises VocabularyError for tokenizers whose tokens have no bytes of their own (WordPiece), if no
    token ends a text, for unknown tokens, and for damaged files; FileError for files that can't be
    read; ValueError for an invalid size; TypeError for anything else.
    """
    ends = None if eos is None else token_names("eos", eos)
    options = VocabularyOptions(ends, token_names("special", special), size)
    if isinstance(source, str | os.PathLike):
        if "\0" in os.fspath(source):
            raise unreadable(Path(source), "its name has a NUL")
        return _of_path(Path(source), options)
    for kind in type(source).__mro__:
        reader = _READERS.get(kind.__module__.partition(".")[0])
        if reader is not None:
            return to_vocabulary(reader(source), options)
    known = ", ".join(_READERS)
    raise TypeError(f"source must be a path or a tokenizer of {known}, not {type(source).__name__}")


def _of_path(path: Path, options: VocabularyOptions) -> Vocabulary:
    try:
        if path.is_dir():
            path = _in_folder(path)
        with path.open("rb") as file:
            start = file.read(64)
        if start.startswith(_ZIP) and options.is_nothing:
            return load(path)
        return to_vocabulary(_read(path, start, options), options)
    except OSError as error:
        raise unreadable(path, reason(error)) from error


def _in_folder(path: Path) -> Path:
    for name in _IN_FOLDERS:
        if (path / name).is_file():
            return path / name
    names = ", ".join(f"`{name}`" for name in _IN_FOLDERS)
    raise unreadable(path, f"the directory contains none of {names}")


def _read(path: Path, start: bytes, options: VocabularyOptions) -> TokenizerData:
    """Read a file by its first bytes, with the ends that are named next to it unless `eos` is set.

    A GGUF file and a file that `save` wrote say everything themselves.
    """
    if start.startswith(MAGIC):
        return from_gguf(path)
    if start.startswith(_ZIP):
        return _saved(path)
    found = _document(path) if start.lstrip().startswith(b"{") else _model(path, start)
    return configured(found, path.parent) if options.eos is None else found


def _document(path: Path) -> TokenizerData:
    document = read_object(path)
    if "vocab" in document and "config" in document:
        return from_tekken(document, str(path))
    return from_document(document, str(path))


def _model(path: Path, start: bytes) -> TokenizerData:
    """Read a SentencePiece model; refuse a file of tiktoken's ranks, which has the same name."""
    word, _, rank = start.partition(b"\n")[0].partition(b" ")
    if word and rank.strip().isdigit():
        reason = "this file of ranks lacks the special tokens"
        raise unsupported(str(path), reason, "make a `tiktoken.Encoding` of it, and pass that")
    if not start.startswith(START):
        raise unsupported(str(path), "tokens cannot be read from this file", FILES)
    return from_model(path)


def _saved(path: Path) -> TokenizerData:
    held = load(path)
    pieces = dict(enumerate(held.tokens))
    called = [token for token in sorted(held.special) if pieces[token]]
    ids = {pieces[token].decode("utf-8", "replace"): token for token in called}
    return TokenizerData(str(path), pieces, held.special, held.eos, ids)
