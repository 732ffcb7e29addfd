"""Whatever is typed, looking at it raises nothing, and says nothing of the machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st
from shipped import PROMPTS, examples
from snapshots import CASES

from pdl.play.look import PARTS, look

if TYPE_CHECKING:
    from pathlib import Path

_TEXTS = [path.read_text(encoding="utf-8") for path in PROMPTS]
_TEXTS += [
    path.read_bytes().decode("utf-8", "replace")
    for path in sorted((CASES / "lint").glob("*.pdl"))[::7]
]
_PIECES = st.sampled_from(
    [
        *(
            "<|user|>\n",
            "<|schema|>\n",
            "<|input|>\n",
            "<|tools|>\n",
            "<|config|>\n",
            "\n<|",
            "|>\n",
        ),
        *("{{ schema }}", "{{ x }}", "{{", "}}", "{% if x %}", "{% endif %}", "{% for a in x %}"),
        *("{% include 'part.pdl' %}", "<|media(x.png)|>", "<|raw_media(png:AAAA)|>", "@file.json"),
        *("{ a: int }", "[str]", "f(a: int)", "model: openai:x", "temperature: 0.1", "```json\n{}"),
        *('{"a": 1}', "{'a': 1,}", "<think>", "</think>", "```", "<tool_call>", '{"name": "f",'),
        *("🙂", "\r\n", "\ufeff", "\ud800", "\x00", "\u2028", "&lt;|", "yes", "- [ ] a", "\n"),
        *("enum", "str{^(a+)+$}", "int<1,", "A = [A]", "{ a: A }\nA = { b?: A }", "1e999", "NaN"),
    ]
)
_MADE = st.lists(_PIECES | st.text(max_size=8), max_size=12).map("".join)


@st.composite
def _mutated(draw: st.DrawFn) -> str:
    """A prompt in which some parts are removed, and others put in."""
    text = draw(st.sampled_from(_TEXTS))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(start + draw(st.sampled_from([0, 1, 3, 30])), len(text))
        text = text[:start] + draw(_PIECES | st.text(max_size=3) | st.just("")) + text[end:]
    return text


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
_NAMES = st.sampled_from(["text", "x", "question", "documents", "data", "a", "b"])
_YAML = ["a: &a [*a]", "a: [", "- x", "{", "a: 2025-01-31", "a: .nan", "? [a]\n: b", "\t"]
_DATA = (
    st.just("")
    | st.dictionaries(_NAMES, _VALUES, max_size=4).map(json.dumps)
    | st.sampled_from([json.dumps(one.data) for one in examples()])
    | st.text(max_size=20)
    | st.sampled_from(
        ["a: &a [*a]", "a: [", "- x", "{", "a: 2025-01-31", "a: .nan", "? [a]\n: b", "\t"]
    )
)
_REPLIES = st.none() | _MADE


def _is_sound(found: dict[str, Any]) -> None:
    """Whether a look has all parts, is JSON, and no part failed by a bug."""
    assert set(found) == {"version", "seconds", "failed", *PARTS}
    json.dumps(found, allow_nan=False)
    for part, why in found["failed"].items():
        assert not why["message"].startswith("pdl itself"), (part, why)
        assert found[part] is None


@given(_mutated() | _MADE, _DATA, _REPLIES)
def test_nothing_is_raised_for_any_text(prompt: str, data: str, reply: str | None) -> None:
    _is_sound(look(prompt, data, reply))


@given(_mutated() | _MADE, _DATA, _REPLIES)
def test_nothing_is_raised_for_any_text_that_names_files(
    prompt: str, data: str, reply: str | None
) -> None:
    _is_sound(look(prompt, data, reply, base=PROMPTS[0].parent))


@given(_MADE | _mutated())
def test_places_are_within_the_text(prompt: str) -> None:
    lines = prompt.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for one in look(prompt, options={"parts": ["problems"]})["problems"]:
        if one["file"] is None and one["line"] is not None:
            for line, column in (("line", "column"), ("end_line", "end_column")):
                assert 1 <= one[line] <= len(lines)
                width = len(lines[one[line] - 1].encode("utf-16-le", "surrogatepass")) // 2
                assert 1 <= one[column] <= width + 1


@given(_mutated(), st.sampled_from(["", "x"]), st.none() | _MADE)
def test_what_is_kept_changes_nothing(prompt: str, data: str, reply: str | None) -> None:
    first = look(prompt, data, reply)
    again = look(prompt, data, reply)
    other = look(prompt, data, reply, {"name": "prompt.pdl"})
    assert {**first, "seconds": 0} == {**again, "seconds": 0} == {**other, "seconds": 0}


_NAMING = [
    "<|user|>\n{% include 'absent.pdl' %}",
    "<|user|>\n{% include '../up.pdl' %}",
    "<|user|>\n{% include '/etc/hostname' %}",
    "<|user|>\n{% include 'link.pdl' %}",
    "<|user|>\n{% include 'loop.pdl' %}",
    "<|user|>\n{% include 'folder' %}",
    "<|user|>\n{% include 'wrong.pdl' %}",
    "<|user|>\n{% include 'latin.pdl' %}",
    "<|user|>\n{% import 'wrong.pdl' as m %}{{ m.x() }}",
    "<|user|>\n<|media(absent.png)|>",
    "<|user|>\n<|media(link.png)|>",
    "<|user|>\n<|media(folder/a.png)|>",
    "<|user|>\nx\n<|schema|>\n@absent.json",
    "<|user|>\nx\n<|schema|>\n@folder",
    "<|user|>\nx\n<|schema|>\n@wrong.json",
    "<|user|>\nx\n<|schema|>\n@jinja2:absent.json",
    "<|user|>\nx\n<|schema|>\n@type:os:environ",
    "<|user|>\n{{ x",
    "<|config|>\nmodel: openai:x\n<|user|>\nx",
    "<|config|>\napi_key: x\n<|user|>\nx",
]


def test_no_path_and_no_key_is_in_what_is_shown(tmp_path: Path, monkeypatch: Any) -> None:
    base = tmp_path / "home-of-somebody" / "prompts"
    (base / "folder").mkdir(parents=True)
    (base / "wrong.pdl").write_text("{{ x | uper }}{% if %}", encoding="utf-8")
    (base / "latin.pdl").write_bytes(b"\xe9")
    (base / "wrong.json").write_text('{"type": "strin"}', encoding="utf-8")
    (base.parent / "outside").write_text("x", encoding="utf-8")
    for name in ("link.pdl", "link.png"):
        (base / name).symlink_to(base.parent / "outside")
    (base / "loop.pdl").symlink_to(base / "loop.pdl")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.chdir(base.parent)
    for text in _NAMING:
        for place in (base, None, "prompts"):
            found = look(text, "", "x", base=place)
            _is_sound(found)
            shown = json.dumps(found)
            for secret in ("home-of-somebody", "sk-very-secret", "site-packages", str(tmp_path)):
                assert secret not in shown, text


def test_without_a_folder_nothing_is_read(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "part.pdl").write_text("the file", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for text in ("{% include 'part.pdl' %}", "<|media(part.pdl)|>", "@jinja2:py.typed"):
        found = look(f"<|user|>\n{text}")
        assert "the file" not in json.dumps(found)
    (problem,) = look("<|user|>\n{% include 'part.pdl' %}")["problems"]
    assert "no folder" in problem["message"]
