"""What is large, deep or slow is refused with a reason, and what is shown of it is bounded."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from pdl.play.look import look
from pdl.play.looking import schemas
from pdl.play.looking.bounds import MOST_LISTED, MOST_TEXT, PAGE_LIMITS

_USER = "<|user|>\nx\n"
_SCHEMA = f"{_USER}<|schema|>\n"
_MOST = 3_000_000  # characters of a look


def _fenced(document: Any) -> str:
    return f"{_SCHEMA}```json\n{json.dumps(document)}\n```\n"


_REFUSED: dict[str, tuple[str, str, str | None, str, str]] = {
    "a long prompt": (_USER + "words " * 40_000, "", None, "turns", "longer than 100,000"),
    "a deep schema": (f"{_SCHEMA}{'[' * 5_000}int{']' * 5_000}", "", "1", "schema", "deeper than"),
    "a deep template": (
        f"<|user|>\n{'{% if x %}' * 1_000}{'{% endif %}' * 1_000}",
        *("", None, "turns", "too deeply"),
    ),
    "deep parentheses": (
        f"<|user|>\n{{{{ {'(' * 3_000}1{')' * 3_000} }}}}",
        *("", None, "turns", "too deeply"),
    ),
    "a loop that takes long": (
        f"<|user|>\n{'{% for a in range(100000) %}' * 2}{'{% endfor %}' * 2}",
        *("", None, "turns", "took longer than"),
    ),
    "a text that grows": (
        f"<|user|>\n{{% set x = 'a' %}}{'{% set x = x ~ x %}' * 40}{{{{ x }}}}",
        *("", None, "turns", "grew over"),
    ),
    "a macro that calls itself": (
        "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}<|user|>\n{{ m() }}",
        *("", None, "turns", "too often"),
    ),
    "deep data": ("<|user|>\n{{ x }}", '{"x":' * 20_000, None, "turns", "too deeply"),
    "long data": ("<|user|>\n{{ x }}", " " * 300_000, None, "turns", "longer than"),
    "a deep custom grammar": (
        _fenced({"x-gbnf": f'root ::= {"(" * 200}"1"{")" * 200}'}),
        *("", "1", "grammar", "nested deeper"),
    ),
}


@pytest.mark.parametrize(
    ("prompt", "data", "reply", "part", "why"), _REFUSED.values(), ids=_REFUSED
)
def test_what_is_too_much_is_refused(
    prompt: str, data: str, reply: str | None, part: str, why: str
) -> None:
    found = look(prompt, data, reply)
    assert why in found["failed"][part]["message"]
    assert found[part] is None
    assert len(json.dumps(found)) < _MOST


def test_a_grammar_that_takes_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "PAGE_LIMITS", replace(PAGE_LIMITS, grammar_seconds=0))
    found = look(f"{_SCHEMA}{{ name: str, size: int<3,900> }}", "", "{}")
    assert "takes longer than 0 seconds" in found["failed"]["grammar"]["message"]
    assert found["grammar"] is None


_YAML = {
    "deep lists": f"x: {'[' * 20_000}",
    "deep lists in block style": "- " * 50_000,
    "aliases": "".join(
        [
            "a: &a [x, x, x, x, x]\n",
            *(f"{new}: &{new} [{f'*{old}, ' * 9}]\n" for old, new in pairwise("abcdefgh")),
        ]
    ),
}


@pytest.mark.parametrize("data", _YAML.values(), ids=_YAML)
def test_yaml_that_is_too_much_is_refused(data: str) -> None:
    pytest.importorskip("yaml")
    found = look("<|user|>\n{{ x }}", data)
    (problem,) = found["inputs"]["problems"]
    assert "too" in problem["message"]
    assert found["failed"]["turns"]["message"] == problem["message"]


_ODD_REPLIES = {
    "a long reply": "{'a': 1}" * 100_000,
    "deep brackets": "[" * 50_000,
    "brackets": f"{'[' * 150}{']' * 150}",
    "many repairs": "[" + "{'a': 1,}," * 2_000 + "]",
    "many errors": "[" + '"a",' * 5_000 + '"b"]',
    "many marks": "<think>" * 5_000,
    "many fences": "```json\n{}\n```\n" * 1_000,
}


@pytest.mark.parametrize("reply", _ODD_REPLIES.values(), ids=_ODD_REPLIES)
def test_what_is_listed_of_a_reply_is_bounded(reply: str) -> None:
    found = look(f"{_SCHEMA}[{{ a: str }}]\n", "", reply)
    assert not found["failed"]
    check = found["check"]
    for name in ("repairs", "errors", "rejected", "segments"):
        assert len(check[name]) <= MOST_LISTED
    assert len(json.dumps(found)) < _MOST


def test_what_is_left_out_is_counted() -> None:
    reply = f"[{'0x1,' * (MOST_LISTED + 7)}2]"
    check = look(f"{_SCHEMA}[int]\n", "", reply)["check"]
    assert len(check["repairs"]) == MOST_LISTED
    assert check["more"] == 7


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(a?){300}a{300}$", "^.*a.{18}$"])
def test_a_slow_pattern_is_given_up(pattern: str) -> None:
    text = f"{_SCHEMA}{{ a: str {{ pattern: {json.dumps(pattern)} }} }}\n"
    found = look(text, "", json.dumps({"a": f"{'a' * 300}!"}))
    assert "check" not in found["failed"]


def test_a_large_rule_is_not_drawn() -> None:
    text = _fenced({"type": "object", "properties": {"a": {"const": "x" * 7_000}}})
    drawn = [
        look(text, options={"rule": rule})["grammar"]["diagram"]
        for rule in look(text)["grammar"]["rules"]
    ]
    assert any(one["svg"] for one in drawn)
    (left,) = [one for one in drawn if one["svg"] is None]
    assert "too many to draw" in left["note"]


def test_a_large_file_is_not_in_the_page() -> None:
    image = f"iVBORw0KGgo{'A' * 89_000}="
    found = look(f"<|user|>\n<|raw_media(png:{image})|>")
    (media,) = found["turns"]["messages"][0]["parts"]
    assert len(media["data"]) > MOST_TEXT
    request = found["requests"]["openai"]
    assert request["shortened"] == 1
    assert len(json.dumps(request)) < MOST_TEXT + 2_000


def test_files_are_shown_as_long_as_all_are_few(tmp_path: Any) -> None:
    for name in "abc":
        (tmp_path / f"{name}.pdf").write_bytes(b"%PDF-" + bytes(400_000))
    tags = "\n".join(f"<|media({name}.pdf)|>" for name in "abc")
    parts = look(f"<|user|>\n{tags}", base=tmp_path)["turns"]["messages"][0]["parts"]
    files = [one for one in parts if one["kind"] == "document"]
    assert [one["bytes"] for one in files] == [400_005] * 3
    assert [one["data"] is None for one in files] == [False, False, True]


def test_files_that_include_each_other_are_refused(tmp_path: Any) -> None:
    (tmp_path / "a.pdl").write_text("{% include 'b.pdl' %}{% include 'b.pdl' %}", encoding="utf-8")
    (tmp_path / "b.pdl").write_text("{% include 'a.pdl' %}{% include 'a.pdl' %}", encoding="utf-8")
    for number in range(30):
        text = f"{{% include 'f{number + 1}' %}}" * 2
        (tmp_path / f"f{number}").write_text(text, encoding="utf-8")
    (tmp_path / "f30").write_text("x", encoding="utf-8")
    for name in ("a.pdl", "f0"):
        found = look(f"<|user|>\n{{% include '{name}' %}}", base=tmp_path)
        assert found["failed"]["turns"]
        assert all("pdl itself" not in one["message"] for one in found["failed"].values())
