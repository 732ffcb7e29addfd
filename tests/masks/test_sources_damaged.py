"""Files in which something is wrong: an error that says so, or a vocabulary, and nothing else."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import vocabularies as made
from gguf import GGUFWriter, TokenType

from pdl.masks import VocabularyError, vocabulary_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ODD: tuple[Any, ...] = (
    None, 1, -1, "x", [], {}, True, 1e400, "\ud800", [1], 10**12, {"type": "Sequence"},
)  # fmt: skip


def documents() -> list[Any]:
    """A tokenizer of each shape, with few tokens."""
    plain = json.loads(made.byte_fallback().to_str())
    plain["model"]["vocab"] = dict(list(plain["model"]["vocab"].items())[:12])
    plain["model"]["merges"] = []
    unigram = json.loads(made.metaspace().to_str())
    unigram["model"]["vocab"] = unigram["model"]["vocab"][:8]
    config = {"default_vocab_size": 5, "default_num_special_tokens": 2}
    words = [{"rank": at, "token_bytes": "IQ==", "token_str": "!"} for at in range(3)]
    special = [{"rank": 0, "token_str": "<s>"}, {"rank": 1, "token_str": "</s>"}]
    return [plain, unigram, {"config": config, "vocab": words, "special_tokens": special}]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each part of a document, by what holds it and its key there."""
    pending = [value]
    for held in pending:
        keys = held.keys() if isinstance(held, dict) else range(len(held))
        for key in list(keys):
            yield held, key
            if isinstance(held[key], dict | list):
                pending.append(held[key])


@pytest.mark.parametrize("number", range(3))
def test_documents_with_one_thing_wrong(number: int, tmp_path: Path) -> None:
    document = documents()[number]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document))
    assert len(vocabulary_of(path, eos=1)) >= 5
    drawn = Random(number)  # noqa: S311 - for tests
    refused = 0
    for _ in range(300):
        changed = copy.deepcopy(document)
        held, key = drawn.choice(list(places(changed)))
        held[key] = drawn.choice(ODD)
        if isinstance(held, dict) and drawn.random() < 0.2:
            del held[key]
        path.write_text(json.dumps(changed))
        try:
            vocabulary_of(path, eos=1)
        except VocabularyError:
            refused += 1
    assert 50 < refused < 250


@pytest.mark.parametrize("name", ["generation_config.json", "config.json"])
@pytest.mark.parametrize("end", ["a", [None], {}, 1.5, [[1]], 99_999, True, [-1]])
def test_configurations_that_name_no_token(name: str, end: Any, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(documents()[0]))
    (tmp_path / name).write_text(json.dumps({"eos_token_id": end}))
    with pytest.raises(VocabularyError):
        vocabulary_of(tmp_path)


def test_gguf_files_with_other_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_tokenizer_model("llama")
    writer.add_token_list(["▁a", "<0x0A>", "</s>"])
    writer.add_token_types([TokenType.NORMAL, TokenType.BYTE, TokenType.CONTROL])
    writer.add_eos_token_id(2)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    data = path.read_bytes()
    assert vocabulary_of(path).eos == {2}
    drawn = Random(7)  # noqa: S311 - for tests
    for _ in range(500):
        changed = bytearray(data)
        for _ in range(drawn.randint(1, 3)):
            changed[drawn.randrange(len(changed))] = drawn.choice([0, 1, 255, drawn.randrange(256)])
        path.write_bytes(changed)
        try:
            vocabulary_of(path)
        except VocabularyError as error:
            assert str(path) in str(error)  # noqa: PT017 - not each of them is refused
