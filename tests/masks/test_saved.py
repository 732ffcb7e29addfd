"""Saved vocabularies: the same when they are loaded, and refused when they are not as written."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from vocabularies import TEXTS, byte_level

import pdl
from pdl.masks import Vocabulary, VocabularyError, load, save, vocabulary_of
from pdl.masks.vocabulary import Trie

if TYPE_CHECKING:
    from pathlib import Path

TOKENS = [bytes([byte]) for byte in range(256)] + [text.encode() for text in TEXTS] + [b"<eot>"]


@pytest.fixture
def held() -> Vocabulary:
    return Vocabulary(TOKENS, special=[3], eos=len(TOKENS) - 1)


def test_what_is_loaded_is_what_was_saved(held: Vocabulary, tmp_path: Path) -> None:
    path = tmp_path / "small.npz"
    save(held, path)
    found = load(str(path))
    assert (found.digest, found.special, found.eos) == (held.digest, held.special, held.eos)
    assert list(found.tokens) == TOKENS
    for name in Trie.__slots__:
        there, here = getattr(found.trie, name), getattr(held.trie, name)
        assert (there.dtype, there.tolist()) == (here.dtype, here.tolist())
        assert not there.flags.writeable
    assert [one.name for one in tmp_path.iterdir()] == ["small.npz"]


def test_saving_takes_the_place_of_what_was_there_or_leaves_it(
    held: Vocabulary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "small.npz"
    path.write_bytes(b"before")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(np, "savez", full)
        with pytest.raises(pdl.FileError, match="cannot be written: no space left"):
            save(held, path)
    assert path.read_bytes() == b"before"
    save(held, path)
    assert load(path).digest == held.digest
    assert [one.name for one in tmp_path.iterdir()] == ["small.npz"]


def test_a_folder_that_is_not_there_is_an_error(held: Vocabulary, tmp_path: Path) -> None:
    with pytest.raises(pdl.FileError, match="cannot be written: no such file"):
        save(held, tmp_path / "none" / "x.npz")
    with pytest.raises(pdl.FileError, match="cannot be read: no such file"):
        load(tmp_path / "x.npz")


def test_special_tokens_keep_their_texts(tmp_path: Path) -> None:
    """So that names say the same of the saved vocabulary as of the tokenizer."""
    path = tmp_path / "small.npz"
    tokenizer = byte_level()
    names = ["<|eot_id|>", "<|end_of_text|>"]
    save(vocabulary_of(tokenizer, eos=names), path)
    assert vocabulary_of(path, eos=names).digest == vocabulary_of(tokenizer, eos=names).digest
    found = vocabulary_of(path, special="<think>")
    assert tokenizer.token_to_id("<think>") in found.special
    with pytest.raises(
        VocabularyError, match=r"eos names `<\|eot\|>`, which is not a token"
    ) as error:
        vocabulary_of(path, eos="<|eot|>")
    assert error.value.problem.hint == "did you mean `<|eot_id|>`?"


def test_names_and_values_that_cannot_be(held: Vocabulary, tmp_path: Path) -> None:
    with pytest.raises(pdl.FileError, match="cannot be written: embedded null byte"):
        save(held, str(tmp_path / "a\0b"))
    for read in (load, vocabulary_of):
        with pytest.raises(pdl.FileError, match="cannot be read"):
            read(str(tmp_path / "a\0b"))
    with pytest.raises(TypeError, match=r"must be a pdl.masks.Vocabulary, not str"):
        save("x", tmp_path / "x.npz")  # type: ignore[arg-type]  # the mistake itself


def test_each_damage_is_seen(held: Vocabulary, tmp_path: Path) -> None:
    """Whatever byte is another one, and wherever the file is cut off."""
    path = tmp_path / "small.npz"
    save(held, path)
    data = path.read_bytes()
    for at in range(0, len(data), max(1, len(data) // 300)):
        path.write_bytes(data[:at])
        with pytest.raises(VocabularyError):
            load(path)
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :])
        try:
            found = load(path)
        except VocabularyError:
            continue
        assert found.digest == held.digest  # a date in the archive, say


def test_other_files_are_refused(held: Vocabulary, tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    np.savez(path, tokens=np.arange(3))
    with pytest.raises(VocabularyError, match="is not a vocabulary that pdl saved") as error:
        load(path)
    assert error.value.problem.code == "vocabulary/no-vocabulary"
    path.write_bytes(b"GGUF")
    with pytest.raises(VocabularyError, match="is damaged"):
        load(path)
    save(held, path)
    _changed(path, version=2)
    with pytest.raises(VocabularyError, match="has version 2, and this pdl reads 1") as error:
        load(path)
    assert error.value.problem.hint == "write it again with `pdl.masks.save`"
    save(held, path)
    _changed(path, checksum="0" * 32)
    with pytest.raises(VocabularyError, match="its checksum differs"):
        load(path)


def test_packed_arrays_and_pickles_are_refused(held: Vocabulary, tmp_path: Path) -> None:
    """The one could be of any size, the other run anything."""
    path = tmp_path / "small.npz"
    save(held, path)
    members = _members(path)
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(VocabularyError, match="is compressed"):
        load(path)
    with BytesIO() as stream:
        np.save(stream, np.array([{}], object), allow_pickle=True)
        members["blob.npy"] = stream.getvalue()
    _written(path, members)
    with pytest.raises(VocabularyError, match="blob has another shape"):
        load(path)


def _members(path: Path) -> dict[str, bytes]:
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _written(path: Path, members: dict[str, bytes]) -> None:
    with ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def _changed(path: Path, **changes: object) -> None:
    """Write a file with another head."""
    members = _members(path)
    head = json.loads(np.load(BytesIO(members["head.npy"])).tobytes())
    text = json.dumps({**head, **changes}).encode()
    with BytesIO() as stream:
        np.save(stream, np.frombuffer(text, np.uint8))
        members["head.npy"] = stream.getvalue()
    _written(path, members)
