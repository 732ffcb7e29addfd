"""Vocabularies of GGUF files: written by the package `gguf`, read by pdl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import vocabularies as made
from gguf import GGUFWriter, TokenType

import pdl
from pdl.masks import VocabularyError, vocabulary_of
from pdl.masks.sources import gguf

if TYPE_CHECKING:
    from pathlib import Path

KINDS = {
    "control": TokenType.CONTROL,
    "byte": TokenType.BYTE,
    "user": TokenType.USER_DEFINED,
    "unknown": TokenType.UNKNOWN,
    "unused": TokenType.UNUSED,
}


def written(path: Path, model: str, tokens: list[tuple[str | bytes, str]], **more: Any) -> Path:
    """A GGUF file without tensors."""
    writer = GGUFWriter(path, "llama")
    writer.add_tokenizer_model(model)
    writer.add_array("general.odd", [1.5, 2.5])
    writer.add_bool("general.flag", val=True)
    if "pre" in more:
        writer.add_tokenizer_pre(more["pre"])
    writer.add_token_list([text for text, _ in tokens])  # type: ignore[arg-type]
    writer.add_token_types([KINDS.get(kind, TokenType.NORMAL) for _, kind in tokens])
    writer.add_token_merges(["a b", "ab c"])
    if "eos" in more:
        writer.add_eos_token_id(more["eos"])
    if "eot" in more:
        writer.add_eot_token_id(more["eot"])
    if "gap" in more:
        writer.add_uint32("tokenizer.ggml.fim_pad_token_id", more["gap"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def test_byte_level_tokens(tmp_path: Path) -> None:
    tokenizer = made.byte_level()
    own = vocabulary_of(tokenizer, eos="<|end_of_text|>")
    texts = [str(tokenizer.id_to_token(token)) for token in range(len(own))]
    tokens: list[tuple[str | bytes, str]] = [
        (text, "control" if token in own.special else "user" if text == "Straße x" else "")
        for token, text in enumerate(texts)
    ]
    found = vocabulary_of(written(tmp_path / "x.gguf", "gpt2", tokens, eos=1))
    assert list(found.tokens) == list(own.tokens)
    assert found.special == own.special
    assert found.eos == {1, tokenizer.token_to_id("<|eot_id|>")}  # as llama.cpp knows it


def test_pieces_of_sentencepiece(tmp_path: Path) -> None:
    processor = made.pieces()
    own = vocabulary_of(processor)
    tokens: list[tuple[str | bytes, str]] = []
    for token in range(len(own)):
        text = processor.id_to_piece(token)
        kind = "byte" if processor.is_byte(token) else "control" if token in own.special else ""
        tokens.append((text, kind))
    found = vocabulary_of(written(tmp_path / "x.gguf", "llama", tokens, eos=2))
    assert found.digest == own.digest
    assert found.eos == {2}


@pytest.mark.parametrize(
    ("model", "token", "kind", "expected"),
    [
        ("llama", "▁a", "", b" a"),
        ("llama", "▁a", "user", "▁a".encode()),
        ("llama", "<0x0a>", "byte", b"\n"),
        ("llama", "<0xZZ>", "byte", None),
        ("llama", "<x>", "unused", None),
        ("llama", "<x>", "unknown", None),
        ("llama", "<|fim_prefix|>", "", None),
        ("llama", "<|fim_pad|>", "", None),
        ("gpt2", "[PAD1]", "user", None),
        ("gpt2", "[PAD2]", "user", b"[PAD2]"),
        ("t5", "▁▁a", "", b"  a"),
        ("gpt2", "ĠaĊ", "", b" a\n"),
        ("gpt2", "Ġa b", "", None),
        ("gpt2", "a b", "user", b"a b"),
        ("gemma4", "▁ä", "", " ä".encode()),
        ("gemma4", "<0xC3>", "byte", b"\xc3"),
        ("plamo2", "a b", "", b"a b"),
        ("rwkv", r"\t\x0a\xff\\\'ü", "", b"\t\n\xff\\'" + "ü".encode()),
    ],
)
def test_what_tokens_of_each_kind_stand_for(
    tmp_path: Path, model: str, token: str, kind: str, expected: bytes | None
) -> None:
    path = written(tmp_path / "x.gguf", model, [("</s>", "control"), (token, kind)], eos=0)
    found = vocabulary_of(path)
    assert (1 in found.special) == (expected is None)
    assert expected is None or found.tokens[1] == expected


def test_some_byte_pair_models_write_blanks_as_sentencepiece_does(tmp_path: Path) -> None:
    path = written(tmp_path / "x.gguf", "gpt2", [("</s>", ""), ("▁a", "")], pre="sarvam-moe")
    assert vocabulary_of(path).tokens[1] == b" a"


@pytest.mark.parametrize(
    ("texts", "more", "expected"),
    [
        (["a", "<|im_end|>"], {}, {1}),
        (["a", "b", "c"], {"eos": 2, "eot": 1}, {1, 2}),
        (["<|end|>", "<|return|>", "<|call|>"], {}, {1, 2}),
        (["<|end|>", "a"], {}, {0}),
        (["</s>", "<|tool_response>"], {}, {1}),
        (["<|end|>", "<|return|>", "<|call|>"], {"eos": 0}, {1, 2}),
        (["</s>", "<fim_pad>", "<reponame>", "<|file_sep|>", "<fim_prefix>"], {}, {0, 1, 2, 3}),
        (["</s>", "<PAD>", "gap"], {"gap": 2}, {0, 2}),
    ],
)
def test_what_ends_a_text(
    tmp_path: Path, texts: list[str], more: dict[str, int], expected: set[int]
) -> None:
    path = written(tmp_path / "x.gguf", "gpt2", [(text, "") for text in texts], **more)
    assert vocabulary_of(path).eos == expected


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("bert", "WordPiece tokens are not text"),
        ("none", "it has no tokens"),
        ("other", "its kind of tokenizer, `other`, is unknown"),
    ],
)
def test_tokens_without_bytes_are_refused(tmp_path: Path, model: str, reason: str) -> None:
    with pytest.raises(VocabularyError, match=reason):
        vocabulary_of(written(tmp_path / "x.gguf", model, [("a", "")], eos=0))


def test_files_that_are_cut_off_or_of_another_kind_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "x.gguf", "gpt2", [("a", ""), ("b", "")], eos=0)
    data = path.read_bytes()
    for size in range(4, len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(VocabularyError, match="this GGUF file cannot be read: it is cut off"):
            vocabulary_of(path)
    path.write_bytes(data[:4] + b"\x09" + data[5:])
    with pytest.raises(VocabularyError, match="it has version 9 of GGUF; 2 and 3"):
        vocabulary_of(path)
    path.write_bytes(b"")
    with pytest.raises(VocabularyError):
        vocabulary_of(path)
    with pytest.raises(pdl.FileError, match="cannot be read: no such file"):
        vocabulary_of(tmp_path / "none.gguf")
    with pytest.raises(pdl.FileError, match=r"the directory contains none of `tokenizer\.json`"):
        vocabulary_of(tmp_path)


class _Changed:
    """The metadata of a file with some other values, as a damaged file or another tool has them."""

    def __init__(self, **changes: object) -> None:
        self._its = {
            "model": b"llama",
            "tokens": [b"a", b"b", b"</s>"],
            "token_type": [1, 1, 3],
            "eos_token_id": 2,
            **changes,
        }

    def __call__(self, *_: object) -> dict[str, object]:
        return {f"tokenizer.ggml.{name}": value for name, value in self._its.items()}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tokens": [1, 2, 3]}, "`tokenizer.ggml.tokens` has the wrong type"),
        ({"tokens": b"abc"}, "this GGUF file has no tokens"),
        ({"token_type": 3}, "`tokenizer.ggml.token_type` has the wrong type"),
        ({"token_type": [1.0, 1.0, 3.0]}, "`tokenizer.ggml.token_type` has the wrong type"),
        ({"token_type": b"aaa"}, "`tokenizer.ggml.token_type` has the wrong type"),
        ({"token_type": []}, "it has 3 tokens but 0 token types"),
        ({"model": [b"llama"]}, "`tokenizer.ggml.model` has the wrong type"),
        ({"model": b"gpt2", "pre": [b"x"]}, "`tokenizer.ggml.pre` has the wrong type"),
        ({"eos_token_id": 2.0}, "`tokenizer.ggml.eos_token_id` has the wrong type"),
        ({"eot_token_id": True}, "`tokenizer.ggml.eot_token_id` has the wrong type"),
        ({"eos_token_id": 4294967295}, "_id` is 4294967295, but there are only 3 tokens"),
        ({"fim_rep_token_id": 3}, "_id` is 3, but there are only 3 tokens"),
        ({"eom_token_id": -1}, "`tokenizer.ggml.eom_token_id` is -1, but there are only 3"),
    ],
)
def test_values_of_other_types_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], reason: str
) -> None:
    path = written(tmp_path / "x.gguf", "llama", [("a", "")])
    monkeypatch.setattr(gguf, "read_metadata", _Changed(**changes))
    with pytest.raises(VocabularyError, match=reason):
        vocabulary_of(path, eos=0)
