"""Cases of the compiler: a schema, what its grammar takes and refuses, and what its report says.

A file of `valid` holds the `schema`; `values` and `others`, JSON values that satisfy it and that do
not; `unordered`, values whose keys stand in another order than the schema's; `texts` and
`no-texts`, for spellings; and `options`, for which of `OPTIONS` all that holds. If the report has
entries that are not EXACT, with the first of these options, they stand in a file beside it. A file
of `invalid` holds a schema that no value satisfies, with the text of the error beside it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from llama import llama, needs_llama
from snapshots import CASES, Snapshot

import pdl
from pdl.gbnf import Options
from pdl.reply.validation.compiled import validator_of

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = CASES / "gbnf" / "compile"
VALID = sorted((FOLDER / "valid").glob("*.json"))
INVALID = sorted((FOLDER / "invalid").glob("*.json"))
OPTIONS = {
    "default": Options(),
    "any-order": Options(key_order="any"),
    "generate": Options.generate(),
    "accept": Options.accept(),
    "closed": Options(objects="closed"),
    "compact": Options(whitespace="compact"),
    "spaced": Options(whitespace="spaced"),
}
USUAL = ("default", "any-order", "generate", "accept")


def _name(path: Path) -> str:
    return path.stem


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _wrongly(case: dict[str, Any], compiled: pdl.gbnf.Compiled, options: Options) -> list[str]:
    """What a grammar decides in another way than a case does."""
    takes = [json.dumps(value, ensure_ascii=False) for value in case["values"]]
    refuses = [json.dumps(value, ensure_ascii=False) for value in case["others"]]
    unordered = [json.dumps(value, ensure_ascii=False) for value in case.get("unordered", ())]
    takes += case.get("texts", ())
    refuses += case.get("no-texts", ())
    takes += unordered if options.key_order == "any" else []
    return [text for text in takes if not compiled.grammar.match(text)] + [
        text for text in refuses if compiled.grammar.match(text)
    ]


@pytest.mark.parametrize("path", VALID, ids=_name)
def test_texts(path: Path) -> None:
    case = _read(path)
    schema = pdl.Schema.from_json_schema(case["schema"])
    names = case.get("options", USUAL)
    wrong = {}
    for name in names:
        compiled = pdl.gbnf.compile(schema, OPTIONS[name])
        wrong[name] = _wrongly(case, compiled, OPTIONS[name])
    assert not any(wrong.values()), wrong


@pytest.mark.parametrize("path", VALID, ids=_name)
def test_report(path: Path, snapshot: Snapshot) -> None:
    case = _read(path)
    first = case.get("options", USUAL)[0]
    report = pdl.gbnf.compile(pdl.Schema.from_json_schema(case["schema"]), OPTIONS[first]).report
    told = [str(entry) for entry in report if entry.level != "EXACT"]
    beside = path.with_suffix(".report")
    if told or beside.exists():
        snapshot.check(beside, "\n".join(told))


@pytest.mark.parametrize("path", VALID, ids=_name)
def test_values_are_what_the_case_says(path: Path) -> None:
    case = _read(path)
    verdict = validator_of(pdl.Schema.from_json_schema(case["schema"]).document).is_valid
    assert all(map(verdict, case["values"] + case.get("unordered", [])))
    assert not any(map(verdict, case["others"]))


@needs_llama
@pytest.mark.parametrize("path", VALID, ids=_name)
def test_llama_reads_it(path: Path) -> None:
    case = _read(path)
    schema = pdl.Schema.from_json_schema(case["schema"])
    for name in case.get("options", USUAL):
        with llama(str(pdl.gbnf.compile(schema, OPTIONS[name]).grammar)) as judge:
            assert judge is not None


@pytest.mark.parametrize("path", INVALID, ids=_name)
def test_errors(path: Path, snapshot: Snapshot) -> None:
    schema = pdl.Schema.from_json_schema(_read(path)["schema"])
    with pytest.raises(pdl.SchemaError) as caught:
        pdl.gbnf.compile(schema)
    snapshot.check(path.with_suffix(".error"), str(caught.value))
