"""Vocabularies of objects whose libraries are not here: stand-ins with what pdl asks of them."""

from __future__ import annotations

import base64
import json
import sys
from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import vocabularies as made

from pdl.masks import VocabularyError, vocabulary_of

if TYPE_CHECKING:
    from pathlib import Path


def of_library(name: str, **parts: Any) -> Any:
    """An object of a class that a library defines."""
    return type("Tokenizer", (), {"__module__": f"{name}.inner", **parts})()


def test_a_fast_tokenizer_of_transformers() -> None:
    tokenizer = made.byte_level()
    end = tokenizer.token_to_id("<|eot_id|>")
    thinking = tokenizer.token_to_id("<think>")
    fast = of_library(
        "transformers", backend_tokenizer=tokenizer, eos_token_id=end, all_special_ids=[thinking]
    )
    found = vocabulary_of(fast)
    assert found.eos == {end}
    assert thinking in found.special
    fast = of_library(
        "transformers", backend_tokenizer=tokenizer, eos_token_id=None, all_special_ids=[]
    )
    with pytest.raises(VocabularyError, match=r"transformers\.Tokenizer: no token is known to end"):
        vocabulary_of(fast)
    with pytest.raises(VocabularyError, match="only fast tokenizers say what bytes a token has"):
        vocabulary_of(of_library("transformers"))


class Policy(Enum):
    """What mistral-common calls SpecialTokenPolicy."""

    IGNORE = 0
    KEEP = 1


def tekken() -> dict[str, Any]:
    words = [bytes([byte]) for byte in range(256)] + [b" the", "ß".encode(), b"never"]
    vocab = [
        {"rank": at, "token_bytes": base64.b64encode(word).decode(), "token_str": None}
        for at, word in enumerate(words)
    ]
    config = {"default_vocab_size": 4 + 258, "default_num_special_tokens": 4, "pattern": "."}
    special = [
        {"rank": at, "token_str": text, "is_control": True}
        for at, text in enumerate(["<unk>", "<s>", "</s>"])
    ]
    return {"config": config, "vocab": vocab, "special_tokens": special}


def test_tekken_files(tmp_path: Path) -> None:
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps(tekken()))
    found = vocabulary_of(tmp_path)
    assert found.eos == {2}
    assert found.special == {0, 1, 2, 3}
    assert len(found) == 262
    assert (found.tokens[4 + 10], found.tokens[260]) == (b"\n", b" the")
    assert found.tokens[3] == b"<SPECIAL_3>"
    document = tekken()
    document["vocab"][5]["token_bytes"] = "="  # noqa: S105 - bytes of a token
    path.write_text(json.dumps(document))
    with pytest.raises(VocabularyError, match=r"this `tekken\.json` is damaged"):
        vocabulary_of(path)


def test_tekken_files_of_old_list_no_special_tokens(tmp_path: Path) -> None:
    document = tekken()
    del document["special_tokens"]
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps(document))
    assert [vocabulary_of(path).tokens[at] for at in (0, 2, 3)] == [b"<unk>", b"</s>", b"[INST]"]


def test_tokenizers_of_mistral(monkeypatch: pytest.MonkeyPatch) -> None:
    base = ModuleType("mistral_common.tokens.tokenizers.base")
    base.SpecialTokenPolicy = Policy  # type: ignore[attr-defined]
    for name in ("mistral_common", "mistral_common.tokens", "mistral_common.tokens.tokenizers"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, base.__name__, base)
    words = [b"<s>", b"</s>", b"\xc3", b" the"]

    def piece(_: object, token: int, policy: Policy) -> bytes:
        assert policy is Policy.KEEP
        return words[token]

    inner = of_library(
        "mistral_common", n_words=4, num_special_tokens=2, eos_id=1, id_to_byte_piece=piece
    )
    outer = of_library("mistral_common", instruct_tokenizer=SimpleNamespace(tokenizer=inner))
    found = vocabulary_of(outer)
    assert list(found.tokens) == words
    assert found.special == {0, 1}
    assert found.eos == {1}
    of_pieces = of_library("mistral_common", _model=made.pieces())
    assert vocabulary_of(of_pieces).digest == vocabulary_of(made.pieces()).digest
    with pytest.raises(VocabularyError, match="neither a SentencePiece tokenizer nor"):
        vocabulary_of(of_library("mistral_common"))


def test_models_of_llama_cpp_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each token is asked for again if it has no room."""
    pieces = [b"a", b"</s>", b"x" * 300, b"\xc3", b"<|unused|>", b"[PAD5]", b"[PAD5]"]
    pieces.append(b"a[UNK_BYTE_0xe2808d\xe2\x80\x8d]")
    kinds = [1 << 2, 1 << 3, 1 << 2, 1 << 5, 1 << 1, 1 << 4, 1 << 4, 1 << 2]
    library = ModuleType("llama_cpp")

    def to_piece(_: object, token: int, buffer: Any, room: int, *__: object) -> int:
        if len(pieces[token]) > room:
            return -len(pieces[token])
        buffer[: len(pieces[token])] = pieces[token]
        return len(pieces[token])

    functions = {
        "llama_model_get_vocab": lambda model: model,
        "llama_vocab_n_tokens": lambda _: len(pieces),
        "llama_vocab_get_attr": lambda _, token: kinds[token],
        "llama_vocab_is_eog": lambda _, token: token == 1,
        "llama_token_to_piece": to_piece,
    }
    for name, function in functions.items():
        setattr(library, name, function)
    monkeypatch.setitem(sys.modules, "llama_cpp", library)
    found = vocabulary_of(of_library("llama_cpp", model=3))
    assert list(found.tokens) == pieces
    assert found.special == {1, 4, 5, 7}
    assert found.eos == {1}
