"""Vocabularies of tokenizers: the bytes of their tokens are what they decode to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import tiktoken
import vocabularies as made
from hypothesis import given, settings
from hypothesis import strategies as st
from shares import share
from tokenizers import Tokenizer, decoders, models
from vocabularies import TEXTS, UNSEEN

from pdl.masks import Vocabulary, VocabularyError, save, vocabulary_of
from pdl.masks.sources.tokenizer_data import (
    TokenizerData,
    VocabularyOptions,
    byte_level,
    to_vocabulary,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ENDS = {"byte_level": "<|end_of_text|>", "byte_fallback": "</s>", "metaspace": "</s>"}
KINDS = ["byte_level", "byte_fallback", "metaspace", "pieces", "unigram", "ranks"]


def of(kind: str) -> tuple[Any, Vocabulary]:
    """A tokenizer and its vocabulary."""
    tokenizer = made.pieces("unigram") if kind == "unigram" else getattr(made, kind)()
    return tokenizer, vocabulary_of(tokenizer, eos=ENDS.get(kind))


def numbers(tokenizer: Any, text: str) -> list[int]:
    found = tokenizer.encode(text)
    return list(getattr(found, "ids", found))


@pytest.mark.parametrize("kind", KINDS)
def test_real_text_is_what_its_tokens_say(kind: str) -> None:
    """A blank in front of a whole text aside, which some put there and take away again."""
    tokenizer, held = of(kind)
    for text in TEXTS if kind == "metaspace" else (*TEXTS, UNSEEN):
        tokens = numbers(tokenizer, text)
        data = b"".join(held.tokens[token] for token in tokens)
        own = tokenizer.decode(tokens)
        assert data.decode() in {own, f" {own}"}
        if kind != "metaspace":  # which joins blanks, and line ends with them
            assert data.decode() in {text, f" {text}"}


@pytest.mark.parametrize("kind", KINDS)
def test_each_token_is_what_it_decodes_to_amid_a_text(kind: str) -> None:
    """Those that are whole characters; others are bytes, of which text is made above."""
    tokenizer, held = of(kind)
    anchor = numbers(tokenizer, "a")
    before = tokenizer.decode(anchor)
    for token in set(range(len(held))) - held.special:
        piece = held.tokens[token]
        try:
            text = piece.decode()
        except UnicodeDecodeError:
            continue
        assert tokenizer.decode([*anchor, token]) == before + text


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "metaspace"])
@settings(max_examples=share(40))
@given(text=st.text())
def test_any_text_is_what_its_tokens_say(kind: str, text: str) -> None:
    """Also that of characters which no tokenizer knows, by their bytes."""
    tokenizer, held = of(kind)
    if kind in {"pieces", "unigram"} and set(text) & set("\0▁"):
        return  # SentencePiece takes both for something else
    if kind == "byte_fallback" and "▁" in text:
        return
    if any(held.tokens[token] in text.encode() for token in held.special if held.tokens[token]):
        return  # it is no text then
    tokens = [token for token in numbers(tokenizer, text) if token not in held.special]
    data = b"".join(held.tokens[token] for token in tokens)
    assert data.decode() in {text, f" {text}"}


@pytest.mark.parametrize("kind", KINDS)
def test_no_byte_is_missing_but_where_there_are_no_bytes(kind: str) -> None:
    assert bool(of(kind)[1].missing_bytes) == (kind == "metaspace")


def test_what_a_tokenizer_says_of_its_special_tokens_is_kept() -> None:
    tokenizer, held = of("byte_level")
    names = ["<|begin|>", "<|end_of_text|>", "<|eot_id|>"]
    assert held.special == {tokenizer.token_to_id(name) for name in names}
    assert [held.tokens[tokenizer.token_to_id(name)] for name in names] == [
        name.encode() for name in names
    ]
    thinking = tokenizer.token_to_id("<think>")
    assert thinking not in held.special
    two = vocabulary_of(tokenizer, eos=["<|end_of_text|>", "<|eot_id|>"], special=["<think>"])
    assert two.eos == {tokenizer.token_to_id(name) for name in names[1:]}
    assert two.special == held.special | {thinking}


def test_special_pieces_are_those_that_are_no_text() -> None:
    processor, held = of("pieces")
    assert held.eos == {processor.eos_id()}
    expected = {processor.piece_to_id(name) for name in ("<unk>", "<s>", "</s>", "[INST]")}
    assert held.special == expected
    assert held.tokens[processor.piece_to_id("<0x0A>")] == b"\n"
    assert held.tokens[processor.piece_to_id("<mask>")] == b"<mask>"


def test_gaps_and_the_rest_of_the_logits_are_special_tokens_without_bytes() -> None:
    encoding, held = of("ranks")
    top = encoding.n_vocab
    gaps = set(range(top)) - {encoding.encode_single_token(one) for one in _all(encoding)}
    assert len(gaps) == 6
    assert gaps <= held.special
    assert held.tokens[min(gaps)] == b""
    larger = vocabulary_of(encoding, size=top + 50, eos="<|im_end|>")
    assert (len(larger), len(held)) == (top + 50, top)
    assert larger.special == held.special | set(range(top, top + 50))
    assert larger.eos == {encoding.encode_single_token("<|im_end|>")}
    with pytest.raises(ValueError, match=f"size must be at least {top}"):
        vocabulary_of(encoding, size=top - 1)
    with pytest.raises(ValueError, match="size must be at most 10,000,000, not 1,000,000,000"):
        vocabulary_of(encoding, size=10**9)
    for size in (True, 1e4, "9000"):
        with pytest.raises(TypeError, match="size must be the number of logits"):
            vocabulary_of(encoding, size=size)  # type: ignore[arg-type]  # the mistake itself


def test_one_token_or_several_are_named_by_number_or_text() -> None:
    """A text is one token, never its characters."""
    tokenizer, _ = of("byte_level")
    think = tokenizer.token_to_id("<think>")
    several: Any = (["<think>"], iter([think]), np.array([think]), np.int64(think))
    for special in ("<think>", think, *several):
        held = vocabulary_of(tokenizer, eos="<|eot_id|>", special=special)
        plain = vocabulary_of(tokenizer, eos=tokenizer.token_to_id("<|eot_id|>"))
        assert held.special - plain.special == {think}
        assert held.eos == plain.eos


@pytest.mark.parametrize("wrong", [b"<think>", True, 1.5, [b"<think>"], [["<think>"]], [None]])
def test_what_names_no_token_is_refused(wrong: Any) -> None:
    tokenizer, _ = of("byte_level")
    for name in ("eos", "special"):
        given = {"eos": "<|eot_id|>", name: wrong}
        with pytest.raises(TypeError, match=f"{name} must be the IDs or texts of tokens, not"):
            vocabulary_of(tokenizer, **given)
    for number in (-1, 99_999):
        with pytest.raises(VocabularyError, match=f"eos names token {number}, which does") as e:
            vocabulary_of(tokenizer, eos=number)
        assert e.value.problem.hint == "token IDs are 0 to 702"


def _all(encoding: tiktoken.Encoding) -> list[str | bytes]:
    return [*encoding.token_byte_values(), *encoding.special_tokens_set]


def test_what_ends_a_text_must_be_known() -> None:
    with pytest.raises(VocabularyError, match="no token is known to end a text") as error:
        vocabulary_of(made.byte_level())
    assert error.value.problem.hint == (
        "pass `eos`, on the command line `--eos`, as the IDs or the texts of tokens; special"
        " tokens are `<|begin|>`, `<|end_of_text|>`, `<|eot_id|>`"
    )
    with pytest.raises(
        VocabularyError, match="eos names `<eot_id>`, which is not a token"
    ) as error:
        vocabulary_of(made.byte_level(), eos="<eot_id>")
    assert error.value.problem.hint == "did you mean `<|eot_id|>`?"


def test_a_folder_of_a_model_says_what_ends_a_text(tmp_path: Path) -> None:
    tokenizer = made.byte_level()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    names = ("<|end_of_text|>", "<|eot_id|>")
    ends = [token for name in names if (token := tokenizer.token_to_id(name))]
    _write(tmp_path / "generation_config.json", {"eos_token_id": ends[:1]})
    _write(tmp_path / "tokenizer_config.json", {"eos_token": {"content": "<|eot_id|>"}})
    held = vocabulary_of(tmp_path)
    assert held.eos == set(ends)
    assert held.digest == vocabulary_of(tokenizer, eos=ends).digest
    assert vocabulary_of(str(tmp_path / "tokenizer.json")).digest == held.digest
    assert vocabulary_of(tmp_path, eos=ends[1]).eos == {ends[1]}


TWO = (
    {"generation_config": {"eos_token_id": [1, 700]}},
    {"generation_config": {"eos_token_id": 700}, "config": {"eos_token_id": 1}},
    {"config": {"eos_token_id": 1, "text_config": {"eos_token_id": [700]}}},
    {"config": {"text_config": {"eos_token_id": [1, 700]}}, "generation_config": {}},
    {"config": {"eos_token_id": 700}, "special_tokens_map": {"eos_token": "<|end_of_text|>"}},
    {
        "config": {"eos_token_id": 700},
        "tokenizer_config": {"eos_token": "<|end_of_text|>"},
        "special_tokens_map": {"eos_token": "what another version of it had"},
    },
)


@pytest.mark.parametrize("files", TWO)
def test_all_files_of_a_folder_say_what_ends_a_text(
    files: dict[str, object], tmp_path: Path
) -> None:
    made.byte_level().save(str(tmp_path / "tokenizer.json"))
    for name, document in files.items():
        _write(tmp_path / f"{name}.json", document)
    assert vocabulary_of(tmp_path).eos == {1, 700}


def test_they_do_so_beside_a_model_of_sentencepiece(tmp_path: Path) -> None:
    """Which names one end alone, and chat models have others."""
    processor = made.pieces()
    (tmp_path / "tokenizer.model").write_bytes(processor.serialized_model_proto())
    _write(tmp_path / "generation_config.json", {"eos_token_id": [2, 5]})
    assert vocabulary_of(tmp_path).eos == {2, 5}
    assert vocabulary_of(tmp_path, eos=2).eos == {2}


@pytest.mark.parametrize(
    ("name", "document", "reason"),
    [
        ("generation_config", {"eos_token_id": 99_999}, "_id` is 99,999, but there are only 703"),
        ("config", {"eos_token_id": "0"}, '_id` is "0", which is not a token ID'),
        ("config", {"text_config": {"eos_token_id": [True]}}, "_id` is true, which is not"),
        ("generation_config", {"eos_token_id": -1}, "_id` is -1, which is not a token ID"),
        ("tokenizer_config", {"eos_token": "nix"}, '`eos_token` is "nix", which is not a token'),
        (
            "tokenizer_config",
            {"eos_token": {"content": 3}},
            "`eos_token` is 3, which is not a token",
        ),
        ("special_tokens_map", {"eos_token": [1]}, r"`eos_token` is \[1\], which is not a token"),
        ("config", [], "this JSON is not an object"),
    ],
)
def test_a_file_of_a_folder_that_is_wrong_is_named(
    name: str, document: object, reason: str, tmp_path: Path
) -> None:
    """It matters only where the ends are not asked for by the caller."""
    made.byte_level().save(str(tmp_path / "tokenizer.json"))
    _write(tmp_path / f"{name}.json", document)
    with pytest.raises(VocabularyError, match=rf"{name}\.json: .*{reason}"):
        vocabulary_of(tmp_path)
    assert vocabulary_of(tmp_path, eos=1).eos == {1}


def test_a_wrong_text_has_a_hint(tmp_path: Path) -> None:
    made.byte_level().save(str(tmp_path / "tokenizer.json"))
    _write(tmp_path / "tokenizer_config.json", {"eos_token": "<eot_id>"})
    with pytest.raises(VocabularyError) as error:
        vocabulary_of(tmp_path)
    hint = "did you mean `<|eot_id|>`? fix the file, or pass `eos`, on the command line `--eos`"
    assert error.value.problem.hint == hint


def test_files_are_read_by_what_they_hold(tmp_path: Path) -> None:
    processor = made.pieces()
    path = tmp_path / "tokenizer.model"
    path.write_bytes(processor.serialized_model_proto())
    assert vocabulary_of(tmp_path).digest == vocabulary_of(processor).digest
    path.write_bytes(b"IQ== 0\nIg== 1\n")
    with pytest.raises(VocabularyError, match="this file of ranks lacks the special tokens"):
        vocabulary_of(path)
    path.write_bytes(b"\x0a\x00nothing")
    with pytest.raises(VocabularyError, match="this is not a SentencePiece model"):
        vocabulary_of(path)
    for other in (b"", b'root ::= "a"', b"[1]"):
        path.write_bytes(other)
        with pytest.raises(VocabularyError, match="tokens cannot be read from this file") as error:
            vocabulary_of(path)
        assert error.value.problem.hint.startswith("use a `tokenizer.json`, a `tekken.json`")
    path.write_text("{nothing")
    with pytest.raises(VocabularyError, match="this is not JSON"):
        vocabulary_of(path)
    path.write_text('{"some": 1}')
    with pytest.raises(VocabularyError, match="it has no `model`"):
        vocabulary_of(path)


def doubled() -> tiktoken.Encoding:
    """An encoding in which a special token has the text of an ordinary one."""
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"stop": 256, b" the": 257}
    return tiktoken.Encoding(
        "doubled",
        pat_str=r"\s+|\S+",
        mergeable_ranks=ranks,
        special_tokens={"stop": 260, "<|endoftext|>": 261},
    )


def test_a_special_token_may_have_the_text_of_an_ordinary_one() -> None:
    held = vocabulary_of(doubled())
    assert {256, 260, 261} - held.special == {256}
    assert vocabulary_of(doubled(), eos="stop").eos == {260}
    assert vocabulary_of(doubled(), eos=256).eos == {256}


def test_tokens_that_are_text_are_named_by_it(tmp_path: Path) -> None:
    """By what they stand for; how a tokenizer writes them is looked at if nothing does."""
    assert vocabulary_of(doubled(), eos=" the").eos == {257}
    tokenizer = made.byte_level()
    plain = vocabulary_of(tokenizer, eos=1)
    for text in (" the", "é", "\n"):
        (token,) = (at for at, piece in enumerate(plain.tokens) if piece == text.encode())
        assert vocabulary_of(tokenizer, eos=text).eos == {token}
    assert vocabulary_of(tokenizer, eos="Ġthe").eos == vocabulary_of(tokenizer, eos=" the").eos
    with pytest.raises(VocabularyError, match="eos names `Ġno`, which is not a token"):
        vocabulary_of(tokenizer, eos="Ġno")
    path = tmp_path / "twice.npz"
    save(Vocabulary([b"a", b"b", b"", b"a", b"</s>"], eos=4), path)
    with pytest.raises(
        VocabularyError, match="special names `a`, which is the text of sev"
    ) as error:
        vocabulary_of(path, special="a")
    assert error.value.problem.hint == "use the ID of one of them: 0, 3"
    with pytest.raises(VocabularyError, match="eos names ``, which is not a token"):
        vocabulary_of(path, eos="")


class Looked(dict[int, bytes]):
    """Tokens that count how often all of them are looked at."""

    times = 0

    def __iter__(self) -> Iterator[int]:
        self.times += 1
        return super().__iter__()


@pytest.mark.parametrize("special", [1, 200])
def test_tokens_are_looked_at_equally_often_however_many_are_special(special: int) -> None:
    pieces = Looked({number: b"%d" % number for number in range(300)})
    held = to_vocabulary(
        TokenizerData("x", pieces, frozenset(range(special)), frozenset([0])), VocabularyOptions()
    )
    assert len(held.special) == special
    assert pieces.times < 5


def test_what_is_no_tokenizer_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="source must be a path or a tokenizer of tokenizers, tra"):
        vocabulary_of(3)


def tokenizer_with(change: Callable[[dict[str, Any]], None]) -> Tokenizer:
    document = json.loads(made.byte_fallback().to_str())
    change(document)
    return Tokenizer.from_str(json.dumps(document))


def decoder(*steps: dict[str, Any] | None) -> Callable[[dict[str, Any]], None]:
    held = steps[0] if len(steps) == 1 else {"type": "Sequence", "decoders": list(steps)}
    return lambda document: document.__setitem__("decoder", held)


REPLACE = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
FUSE = {"type": "Fuse"}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (decoder(None), "it has no decoder, so there are spaces between all tokens"),
        (decoder({"type": "BPEDecoder", "suffix": "</w>"}), "a step `BPEDecoder`: whether a space"),
        (decoder({"type": "WordPiece", "prefix": "##", "cleanup": True}), "a step `WordPiece`"),
        (
            decoder(
                {"type": "CTC", "pad_token": "p", "word_delimiter_token": "|", "cleanup": True}
            ),
            "a step `CTC`: a token that occurs twice",
        ),
        (decoder({**REPLACE, "pattern": {"Regex": "a+"}}), "a replacement of a pattern"),
        (decoder(FUSE, {**REPLACE, "pattern": {"String": "ab"}}), "or across tokens"),
        (decoder(BYTES, REPLACE), "a step `Replace` after `ByteLevel`"),
        (decoder(FUSE, BYTES), "a step `ByteLevel`: its effect on a token"),
    ],
)
def test_decoders_whose_tokens_have_no_bytes_are_refused(
    change: Callable[[dict[str, Any]], None], reason: str
) -> None:
    with pytest.raises(VocabularyError, match=reason) as error:
        vocabulary_of(tokenizer_with(change), eos="</s>")
    assert error.value.problem.code == "vocabulary/unsupported"


def test_wordpiece_is_refused_with_the_reason() -> None:
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}, unk_token="[UNK]"))  # noqa: S106
    tokenizer.decoder = decoders.WordPiece()
    with pytest.raises(VocabularyError, match="whether a space precedes one depends on"):
        vocabulary_of(tokenizer, eos=0)


@pytest.mark.parametrize(
    "change",
    [
        decoder(REPLACE, {"type": "ByteFallback"}, FUSE),
        decoder({"type": "ByteFallback"}, FUSE, REPLACE),
        decoder({"type": "Strip", "content": "▁", "start": 1, "stop": 1}, REPLACE, FUSE),
        decoder({**REPLACE, "content": "__"}, {"type": "ByteFallback"}, FUSE),
    ],
)
def test_other_orders_of_steps_are_followed(change: Callable[[dict[str, Any]], None]) -> None:
    tokenizer = tokenizer_with(change)
    held = vocabulary_of(tokenizer, eos="</s>")
    for text in TEXTS:
        tokens = [token for token in numbers(tokenizer, text) if token not in held.special]
        data = b"".join(held.tokens[token] for token in tokens)
        assert data.decode(errors="replace") == tokenizer.decode(tokens)


def test_a_character_that_stands_for_no_byte_leaves_a_token_as_it_is() -> None:
    tokenizer, held = of("byte_level")
    assert byte_level("Straße x") is None
    assert held.tokens[tokenizer.token_to_id("Straße x")] == "Straße x".encode()


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value))
