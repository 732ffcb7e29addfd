"""The notation: what each text means, its canonical form, and what is said of wrong ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pdl.errors import PromptError
from pdl.schema import Schema

if TYPE_CHECKING:
    from conftest import Snapshot

CASES = Path(__file__).parent.parent / "cases" / "schema"
VALID = sorted(path for path in CASES.glob("valid/*.dsl") if ".canonical" not in path.name)
INVALID = sorted(CASES.glob("invalid/*.dsl"))


def text_of(path: Path) -> str:
    """The text of a case, with its line ends as they are."""
    return path.read_bytes().decode().removesuffix("\n")


def meaning(schema: Schema) -> str:
    """What a case's schema is: its document, and its form if that is not JSON."""
    fields = {"form": schema.form, "lang": schema.lang, "tasks": schema.tasks}
    usual = {"form": "json", "lang": None, "tasks": (None, None)}
    told = {key: value for key, value in fields.items() if value != usual[key]}
    return json.dumps({**told, "document": schema.document}, indent=2, ensure_ascii=False)


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_valid(path: Path, snapshot: Snapshot) -> None:
    """A text means the schema beside it; its canonical form means the same and stays as it is."""
    schema = Schema.parse(text_of(path))
    snapshot.check(path.with_suffix(".json"), meaning(schema))
    canonical = schema.to_dsl()
    snapshot.check(path.with_suffix(".canonical.dsl"), canonical)
    assert Schema.parse(canonical) == schema
    assert Schema.parse(canonical).to_dsl() == canonical
    assert all(len(line) <= 88 or "//" in line for line in canonical.splitlines())


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_valid_as_json_schema(path: Path) -> None:
    """A schema's JSON Schema is read as the same schema, but a text as a JSON string."""
    schema = Schema.parse(text_of(path))
    if schema.form in ("json", "text"):
        read = Schema.from_json_schema(schema.to_json_schema())
        assert (read.document, read.form) == (schema.document, "json")


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_described(path: Path) -> None:
    """Every schema can be described to a model, without the notation's own words."""
    description = Schema.parse(text_of(path)).describe()
    assert description.startswith("Answer with ")


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_invalid(path: Path, snapshot: Snapshot) -> None:
    """A wrong text is refused in the words beside it, with a place for each problem."""
    with pytest.raises(PromptError) as caught:
        Schema.parse(text_of(path), name=path.name)
    error = caught.value
    codes = "".join(f"[{problem.code}]\n" for problem in error.problems)
    snapshot.check(path.with_suffix(".txt"), f"{error}\n{codes}")
    assert all(problem.span is not None for problem in error.problems)
    assert not any(word in str(error) for word in ("OPEN_", "CLOSE_", "_COMMA", "$END", "WORD"))


@pytest.mark.parametrize(
    ("text", "whole", "field"),
    [
        ("{ // whole\n  // n\n  n: int }", "whole", "n"),
        ("{// whole\n // n\n n: int }", "whole", "n"),
        ("{ // whole\n\n  // n\n  n: int }", "whole", "n"),
        ("{ // whole\n  n: int,  // n\n           // more\n}", "whole", "n\nmore"),
        ("// whole\n// more\n{ n: int  // n\n}", "whole\nmore", "n"),
    ],
)
def test_a_comment_after_a_bracket_does_not_go_on_in_those_of_the_first_field(
    text: str, whole: str, field: str
) -> None:
    document = Schema.parse(text).to_json_schema()
    assert document["description"] == whole
    assert document["properties"]["n"]["description"] == field
