"""Fingerprints of files that others name, and where they are reported."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import pickle
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from snapshots import CASES

import pdl
from pdl.models import AskError, ask, run_tools, transcript
from pdl.prompt.fingerprint import content_of

NOW = datetime(2026, 7, 1, tzinfo=UTC)
GIF, OTHER_GIF = b"GIF87a", b"GIF89a"


class Change(NamedTuple):
    """A prompt, and a file before and after a change; None if it is missing."""

    text: str
    file: str
    before: bytes | None
    after: bytes | None


DIFFERENT = {
    "an included file": Change('<|user|>\n{% include "a.txt" %}', "a.txt", b"a", b"b"),
    "a missing file": Change('{% include "a.txt" ignore missing %}', "a.txt", None, b"a"),
    "an empty file": Change('{% include "a.txt" ignore missing %}', "a.txt", None, b""),
    "a name in two strings": Change("{% include 'a' '.txt' %}", "a.txt", b"a", b"b"),
    "one of several": Change('{% include ["b.txt", "a.txt"] %}', "a.txt", b"a", b"b"),
    "a file for some values": Change('{% include "a.txt" if x else "b" %}', "a.txt", b"a", b"b"),
    "a file that is included below": Change('{% include "outer" %}', "a.txt", b"a", b"b"),
    "an imported file": Change('{% import "a.txt" as a %}', "a.txt", b"a", b"b"),
    "an imported macro": Change('{% from "a.txt" import a %}', "a.txt", b"a", b"b"),
    "a layout": Change('{% extends "a.txt" %}', "a.txt", b"a", b"b"),
    "a file with a mistake": Change('{% include "a.txt" %}', "a.txt", b"{{", b"{{ x"),
    "a file that includes itself": Change(
        '{% include "a.txt" %}', "a.txt", b'a{% include "a.txt" %}', b'b{% include "a.txt" %}'
    ),
    "a line in an imported file": Change(
        '{% import "a.txt" as a %}{{ a }}', "a.txt", b"a\n<|user|>\nb", b"a\n\n<|user|>\nb"
    ),
    "a line in a file that is a value": Change(
        '{% set a %}{% include "a.txt" %}{% endset %}',
        "a.txt",
        b"a\n<|user|>\nb",
        b"a\n\n<|user|>\nb",
    ),
    "a line in a file that is a value of another": Change(
        '{% include "value" %}', "a.txt", b"a\n<|user|>\nb", b"a\n\n<|user|>\nb"
    ),
    "a line in a file that a value may name": Change(
        '{% include "a.txt" %}{% set a %}{% include x %}{% endset %}',
        "a.txt",
        b"a\n<|user|>\nb",
        b"a\n\n<|user|>\nb",
    ),
    "a line in a block that a layout filters": Change(
        '{% extends "filters" %}{% block b %}{% include "a.txt" %}{% endblock %}',
        "a.txt",
        b"a\n<|user|>\nb",
        b"a\n\n<|user|>\nb",
    ),
    "a picture": Change("<|user|>\n<|media(a.gif)|>", "a.gif", GIF, OTHER_GIF),
    "a missing picture": Change("<|user|>\n<|media(a.gif)|>", "a.gif", None, GIF),
    "a picture in a macro": Change(
        "{% macro m() %}<|media( a.gif )|>{% endmacro %}", "a.gif", GIF, OTHER_GIF
    ),
    "a picture of an included file": Change('{% include "picture" %}', "a.gif", GIF, OTHER_GIF),
    "a schema": Change("<|schema|>\n@a.json", "a.json", b'{"type": "null"}', b'{"type": "array"}'),
    "a missing schema": Change("<|schema|>\n@a.json", "a.json", None, b'{"type": "null"}'),
    "the order of a schema": Change(
        "<|schema|>\n@a.json",
        "a.json",
        b'{"properties": {"a": {}, "b": {}}}',
        b'{"properties": {"b": {}, "a": {}}}',
    ),
    "what is not JSON": Change("<|schema|>\n@a.json", "a.json", b"{", b"["),
    "a schema of some values": Change(
        "<|schema|>\n{% if x %}@a.json{% else %}int{% endif %}", "a.json", b"{}", b"true"
    ),
    "a schema of an included file": Change('{% include "schema" %}', "a.json", b"{}", b"true"),
    "a schema below a comment": Change("<|schema|>\n{# c #}\n@a.json", "a.json", b"{}", b"true"),
}
SAME = {
    "a comment of an included file": Change(
        '{% include "a.txt" %}', "a.txt", b"a{{ x }}", b"{# c #}a{{x}}"
    ),
    "line endings": Change('{% include "a.txt" %}', "a.txt", b"a\nb", b"\xef\xbb\xbfa\r\nb"),
    "blank lines of an included file": Change(
        '{% include "a.txt" %}', "a.txt", b"a\n<|user|>\nb", b"a\n\n<|User|>\nb"
    ),
    "blank lines of a layout": Change(
        '{% extends "a.txt" %}', "a.txt", b"a\n<|user|>\nb", b"a\n\n<|User|>\nb"
    ),
    "the layout of a JSON file": Change(
        "<|schema|>\n@a.json", "a.json", b'{"type":"null"}', b'{\n  "type": "null"\n}\n'
    ),
    "another file": Change('<|user|>\n{% include "b.txt" %}', "a.txt", b"a", b"b"),
    "a file that a value names": Change("<|user|>\n<|media({{ x }})|>", "a.gif", GIF, OTHER_GIF),
    "a name in text": Change('<|user|>\n{# {% include "a.txt" %} #}"a.txt"', "a.txt", b"a", b"b"),
}
PARTS = {
    "outer": '{% include "a.txt" %}',
    "value": '{% set a %}{% include "a.txt" %}{% endset %}',
    "filters": "{% filter wordcount %}{% block b %}{% endblock %}{% endfilter %}",
    "picture": "<|user|>\n<|media(a.gif)|>",
    "schema": "<|schema|>\n@a.json",
}


def _fingerprints(change: Change, folder: Path) -> tuple[str, str]:
    for name, text in PARTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    found = []
    for data in (change.before, change.after):
        if data is not None:
            (folder / change.file).write_bytes(data)
        found.append(pdl.loads(change.text, base=folder, strict=False).fingerprint)
    return found[0], found[1]


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_a_file_contains_counts(name: str, tmp_path: Path) -> None:
    before, after = _fingerprints(DIFFERENT[name], tmp_path)
    assert before != after


@pytest.mark.parametrize("name", SAME)
def test_notation_and_other_files_do_not_count(name: str, tmp_path: Path) -> None:
    before, after = _fingerprints(SAME[name], tmp_path)
    assert before == after


@pytest.mark.parametrize(
    "text",
    ['{% include "../a.json" %}', "<|user|>\n<|media(../a.json.gif)|>", "<|schema|>\n@../a.json"],
)
def test_no_file_outside_is_read(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    before = pdl.loads(text, base=folder, strict=False).fingerprint
    for name in ("a.json", "a.json.gif"):
        (tmp_path / name).write_bytes(GIF)
    assert pdl.loads(text, base=folder, strict=False).fingerprint == before
    assert pdl.loads(text, strict=False).fingerprint == before


def test_a_template_counts_as_it_is_rendered(tmp_path: Path) -> None:
    """A prompt in use keeps its templates; it reads pictures for each rendering."""
    (tmp_path / "a.pdl").write_text(
        '<|user|>\n{% include "a.txt" %}{% if x %}{% include "b.txt" ignore missing %}'
        "<|media(a.gif)|>{% endif %}",
        encoding="utf-8",
    )
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    prompt = pdl.load(tmp_path / "a.pdl")
    assert not content_of(prompt).is_fixed
    seen = [prompt.fingerprint]
    (tmp_path / "a.txt").write_text("A", encoding="utf-8")
    assert [prompt.fingerprint] == seen
    assert prompt.render(x=False).messages[0].text == "a"
    for name, data in (("b.txt", b"b"), ("a.gif", GIF), ("a.gif", OTHER_GIF)):
        (tmp_path / name).write_bytes(data)
        seen.append(prompt.fingerprint)
    assert prompt.render(x=True).messages[0].text == "ab"
    assert len({*seen, pdl.load(tmp_path / "a.pdl").fingerprint}) == 5


def test_which_prompts_read_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    for text, is_fixed in (
        ('<|user|>\n{{ x }}{% include "a.txt" %}<|media({{ x }})|>', True),
        ('<|user|>\n{% include "b.txt" ignore missing %}', False),
        ("<|user|>\n<|media(a.gif)|>", False),
        ("<|user|>\n<|media(https://a.org/a.gif)|>", True),
        ("<|user|>\na\n<|schema|>\n@a.json", False),
    ):
        assert content_of(pdl.loads(text, base=tmp_path)).is_fixed == is_fixed, text


def test_a_file_of_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "fingerprinted"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    prompt = pdl.loads("<|user|>\na\n<|schema|>\n@fingerprinted:a.json")
    seen = {prompt.fingerprint}
    for text in ("{}", '{"type": "null"}'):
        (package / "a.json").write_text(text, encoding="utf-8")
        seen.add(prompt.fingerprint)
    assert len(seen) == 3


def test_a_type_counts_where_it_is_allowed() -> None:
    one = dataclasses.make_dataclass("Person", [("name", str)])
    other = dataclasses.make_dataclass("Person", [("name", str), ("age", int)])
    text = "<|user|>\na\n<|schema|>\n@type:Person"
    found = [pdl.loads(text, types={"Person": form}).fingerprint for form in (one, other, one)]
    assert found[0] == found[2]
    assert len({*found, pdl.loads(text).fingerprint}) == 3


def _again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - what this test wrote


PINNED = {
    "009d453c5411ec284fcd6da3a4d60fdb6c7d0bdbd581158fcef37d2d4dcedca4": (
        "<|user|>\nGreet {{ name | trim }}.\n"
    ),
    "ef53b032774faa74923961c185a4ae775729f5bbf159c935df07af163e454b24": (
        "<|input|>\n{ text: str, n: int = 3 }\n<|system|>\nBe kind.\n<|user|>\n"
        "{% for i in range(n) %}{{ text }}{% endfor %}\n<|config|>\ntemperature: 0.5\n"
        "<|schema|>\n{ a: int<1,5>, b?: str }\n<|tools|>\nf(a: int) // Do it\n"
    ),
}
"""Another value for these is another algorithm, with another name than `h1`."""


@pytest.mark.parametrize("digest", PINNED)
def test_the_algorithm_has_not_changed(digest: str) -> None:
    assert pdl.loads(PINNED[digest]).fingerprint == f"h1:{digest}"


def test_processes_agree() -> None:
    file = Path(__file__).parents[2] / "prompts" / "event.pdl"
    code = f"import pdl; print(pdl.load({str(file)!r}).fingerprint)"
    found = {
        subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout.strip()
        for seed in ("0", "1")
    }
    assert found == {pdl.load(file).fingerprint}


def test_each_prompt_has_one() -> None:
    """Also one that is invalid, if it was loaded all the same."""
    files = sorted((CASES / "turns").glob("*/*.pdl"))
    for file in files:
        assert pdl.load(file, strict=False).fingerprint.startswith("h1:")
    assert len(files) > 100


@pytest.fixture
def prompt() -> pdl.Prompt:
    return pdl.loads("<|user|>\nHow old is {{ name }}?\n<|schema|>\nint<0,120>")


def test_what_is_rendered_keeps_it(prompt: pdl.Prompt, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without being another value for it, and without compiling the template again."""
    rendered = prompt.render(name="Ann")
    copies = [_again(rendered), copy.deepcopy(rendered), copy.copy(rendered)]
    monkeypatch.setattr("pdl.prompt.prompt.compile_template", None)
    copies += [_again(one) for one in (rendered, *copies)]
    copies += [dataclasses.replace(rendered), dataclasses.replace(rendered, schema=None)]
    assert {one.fingerprint for one in copies} == {rendered.fingerprint} == {prompt.fingerprint}
    assert rendered == dataclasses.replace(rendered, origin=None) == copies[0]
    assert prompt.render(name="Bob", schema=str).fingerprint == prompt.fingerprint
    assert pdl.Rendered(rendered.messages).fingerprint == ""
    assert "origin" not in repr(rendered)


def test_answers_have_it(prompt: pdl.Prompt, tmp_path: Path) -> None:
    rendered = prompt.render(name="Ann")
    answer = ask(rendered, lambda _: "34")
    default = ask(rendered, lambda _: "?", retries=0, default=7)
    run = run_tools(rendered, lambda _: "34", [])
    with pytest.raises(AskError) as caught:
        ask(rendered, lambda _: "?", retries=0)
    told: list[Any] = [answer, default, run, caught.value, _again(answer)]
    assert [one.fingerprint for one in told] == [prompt.fingerprint] * 5
    request = answer.attempts[-1].request
    kept = transcript.Run("who.pdl", "function", NOW, request, answer.attempts, answer)
    written = transcript.write(kept, tmp_path).with_suffix(".json")
    assert json.loads(written.read_text(encoding="utf-8"))["fingerprint"] == prompt.fingerprint
