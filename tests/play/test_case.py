"""A case that the page saves is read back as what it was made of."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped import PROMPTS, examples

import pdl
from pdl.play.case import WrittenCase, write_case
from pdl.testing import Case, parts_of, read_cases
from pdl.testing.running import run_case

if TYPE_CHECKING:
    from pdl.testing.cases import Parts

_SCHEMAS = (
    "{ stars: int<1,5>, refund: bool, tags?: [str] }",
    '"bug" | "question"',
    "[int]",
    "str",
    "yesno",
    'code { lang: "python" }',
    "tasklist",
)
_TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
_ODD = st.sampled_from(
    [
        "\n\n",
        "\r\n",
        "<|case|> another\n",
        "  <|reply|>\n",
        "<|user|>\n",
        "<|expct|>",
        "\ud800",
        "\ufeff",
        "@file.txt",
        "# comment\n",
        "🙂",
        "<think>so</think>",
        "```json\n",
        '{"stars": 4, "refund": true}',
        '{"stars": 4, "refund": true, "tags": ["\\ud800"]}',
        "'bug'",
        "[1, 2,]",
        "yes",
        "- [ ] do it\n",
        "```python\nx = 1\n```",
    ]
)
_REPLIES = st.lists(_ODD | _TEXTS, max_size=4).map("".join)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | _TEXTS | _ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)
_DATA = st.dictionaries(_TEXTS, _VALUES, max_size=3).map(json.dumps) | st.sampled_from(
    ["", "\n", "a: 1", "a: |+\n  x\n\n\n", "\ufeffa: 1\r\nb: [x, y]\r\n", "? a\n: <|case|>\n"]
)


def _read(written: WrittenCase, folder: Path) -> tuple[Case, Parts]:
    """The only case of a file with a text, and what it holds."""
    for name, text in written.files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    path = folder / "prompt.tests.pdl"
    path.write_bytes(written.text.encode())
    file = read_cases(path)
    assert not file.problems
    (case,) = file.cases
    parts = parts_of(case)
    assert not parts.problems
    return case, parts


@given(st.text(max_size=20) | _ODD, _DATA, _REPLIES, st.sampled_from(_SCHEMAS))
def test_a_case_reads_back_as_what_it_was_made_of(
    name: str, data: str, reply: str, schema: str
) -> None:
    check = pdl.check(pdl.Schema.parse(schema), reply)
    written = write_case(name, data, reply, check)
    with TemporaryDirectory() as folder:
        case, parts = _read(written, Path(folder))
    assert case.name == (" ".join(name.encode(errors="replace").decode().split()) or "a reply")
    assert parts.data == (_data(data) if data.strip() else None)
    (recording,) = parts.recordings
    assert recording.reply is not None
    assert recording.reply.text == reply
    assert recording.refused == (check.reason or "")
    if check.ok:
        assert parts.expectation is not None
        assert parts.expectation.exact == (check.data,)
    else:
        assert parts.expectation is None


def _data(text: str) -> Any:
    yaml = pytest.importorskip("yaml")
    is_json = text.lstrip("\ufeff").startswith("{")
    return json.loads(text) if is_json else yaml.safe_load(text.removeprefix("\ufeff"))


def test_what_a_case_looks_like() -> None:
    schema = pdl.Schema.parse("{ stars: int<1,5> }")
    reply = "Sure: {'stars': 4}"
    text = write_case("a good one", "review: fine\n", reply, pdl.check(schema, reply)).text
    assert text == (
        "<|case|> a good one\n"
        "<|data|>\nreview: fine\n"
        "<|reply|>\nSure: {'stars': 4}\n"
        '<|expect|> {"stars": 4}\n'
    )
    text = write_case("a bad one", "", "9", pdl.check(schema, "9")).text
    assert text == "<|case|> a bad one\n<|reply|> refused wrong-schema\n9\n"


def test_an_expectation_of_ones_own_replaces_the_value() -> None:
    schema = pdl.Schema.parse("{ stars: int<1,5> }")
    reply = '{"stars": 4}'
    check = pdl.check(schema, reply)
    written = write_case("a", "", reply, check, expect=" { stars: 4 | 5 }\n")
    assert written.text.endswith("<|expect|> { stars: 4 | 5 }\n")
    with pytest.raises(pdl.CasesError, match="marks"):
        write_case("a", "", reply, check, expect="{\n<|reply|>\n}")


def test_data_that_are_no_object_are_refused() -> None:
    with pytest.raises(pdl.PdlError, match="object"):
        write_case("a", "[1]", "x", pdl.check(None, "x"))


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: path.stem)
def test_a_saved_case_of_a_shipped_prompt_passes(path: Path, tmp_path: Path) -> None:
    example = next(one for one in examples() if one.prompt == path)
    rendered = pdl.load(path).render(example.data)
    reply = "It is unclear what to answer.\n"
    written = write_case("unclear", json.dumps(example.data), reply, rendered.check(reply))
    for name, text in written.files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    cases = tmp_path / "prompt.tests.pdl"
    cases.write_text(written.text, encoding="utf-8")
    (case,) = read_cases(cases).cases
    outcome = run_case(case, prompt=pdl.load(path))
    assert not outcome.failures
