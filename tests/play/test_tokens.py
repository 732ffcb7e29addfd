"""Which tokens may come at a place of a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from vocabularies import byte_level

from pdl.errors import FileError
from pdl.play.access import RefusedError
from pdl.play.serving import opened
from pdl.play.tokens import tokens

if TYPE_CHECKING:
    from pathlib import Path

    from play.conftest import Start

PROMPT = "<|user|>\n{{ schema }}\n<|schema|>\n{ name: str, age: int<0,120> }\n"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "tokenizer.json"
    byte_level().save(str(path))
    path.with_name("tokenizer_config.json").write_text('{"eos_token": "<|end_of_text|>"}')
    return path


def found(tokenizer: Path, reply: str, at: int | None = None, prompt: str = PROMPT) -> Any:
    at = len(reply.encode("utf-16-le")) // 2 if at is None else at
    given = {"schema_prompt": prompt, "data": "", "reply": reply, "at": at, "base": None}
    return tokens({**given, "tokenizer": str(tokenizer), "eos": []})


def test_what_may_come_is_listed(tokenizer: Path) -> None:
    first = found(tokenizer, "")
    assert first["refused_at"] is None
    assert not first["complete"]
    assert {one["text"][0] for one in first["allowed"]} <= set("{ \n")
    age = found(tokenizer, '{"name": "Ann", "age": 12')
    texts = {one["text"] for one in age["allowed"]}
    assert "0" in texts
    assert "5" not in texts
    assert found(tokenizer, '{"name": "Ann", "age": 12}')["complete"]
    assert found(tokenizer, '{"n')["forced"].startswith('ame"')
    many = found(tokenizer, '{"name": "')
    assert many["count"] > 200
    assert len(many["allowed"]) == 200


@pytest.mark.parametrize(
    ("reply", "at", "refused"),
    [
        ("Sure: {", None, 0),
        ('{"name": "Ann", "age": 121}', None, 25),
        ('{"name": "👍🏽", "age": x', None, 24),
        ('{"name": "👍🏽", "age": x', 22, None),
        ('{"name": "👍', 11, None),
        ('{"name": "Ann"', 10_000, None),
    ],
)
def test_where_a_reply_leaves_the_grammar(
    tokenizer: Path, reply: str, at: int | None, refused: int | None
) -> None:
    assert found(tokenizer, reply, at)["refused_at"] == refused


def test_without_a_schema_any_token_may_come(tokenizer: Path) -> None:
    with pytest.raises(RefusedError, match="has no schema"):
        found(tokenizer, "", prompt="<|user|>\nHi\n")


def test_a_page_asks_for_them(start: Start, tokenizer: Path) -> None:
    asked: dict[str, Any] = {"schema_prompt": PROMPT, "data": "", "reply": "{", "at": 1}
    with start(tokenizers=[str(tokenizer)]) as served:
        assert served.call("hello")[1]["tokenizers"] == ["tokenizer.json"]
        status, told = served.call("tokens", **asked, tokenizer="tokenizer.json")
        assert status == 200
        assert told["count"]
        assert served.call("tokens", **asked, tokenizer=str(tokenizer))[0] == 404
        assert served.call("tokens", **{**asked, "at": -1}, tokenizer="tokenizer.json")[0] == 400
        plain = {**asked, "schema_prompt": "<|user|>\nHi\n"}
        status, told = served.call("tokens", **plain, tokenizer="tokenizer.json")
        assert (status, "no schema" in told["error"]["message"]) == (400, True)


def test_a_tokenizer_without_an_end_takes_the_one_that_is_passed(
    start: Start, tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    byte_level().save(str(path))
    asked = {"schema_prompt": PROMPT, "data": "", "reply": "", "at": 0}
    with start(tokenizers=[str(path)]) as served:
        status, told = served.call("tokens", **asked, tokenizer="tokenizer.json")
        assert (status, "`--eos`" in told["error"]["hint"]) == (400, True)
    with start(tokenizers=[str(path)], eos=["<|end_of_text|>"]) as served:
        assert served.call("tokens", **asked, tokenizer="tokenizer.json")[0] == 200


def test_a_damaged_tokenizer_does_not_tell_where_it_is(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    asked = {"schema_prompt": PROMPT, "data": "", "reply": "", "at": 0}
    with start(tokenizers=[str(path)]) as served:
        status, told = served.call("tokens", **asked, tokenizer="tokenizer.json")
        assert status == 400
        assert str(tmp_path) not in str(told)


def test_a_tokenizer_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        opened(None, tokenizers=[str(tmp_path / "none.json")])
