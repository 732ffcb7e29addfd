"""Inclusion of answers that are not JSON: text, yes or no, code, task lists."""

from __future__ import annotations

from typing import Any

import pytest

import pdl
from pdl import compare
from pdl.schema import Schema

STRING = {"type": "string"}
SHORT = {"type": "string", "maxLength": 5}
BLANK = {"type": "string", "pattern": "^ *$"}


def text(document: dict[str, Any]) -> Schema:
    return Schema(document, "text")


def code(lang: str | None, document: dict[str, Any] = STRING) -> Schema:
    return Schema(document, "code", lang)


def tasks(least: int | None, most: int | None) -> Schema:
    return Schema(STRING, "tasklist", None, (least, most))


YESNO = Schema({"type": "boolean"}, "yesno")
CASES = (
    (text(STRING), text(SHORT), "aaaaaa", "included"),
    (text({"type": "string", "minLength": 1}), text(STRING), "included", "included"),
    (text(BLANK), text({"enum": ["x"]}), "included", "x"),
    (text({"enum": [" a ", "b"]}), text({"enum": ["b"]}), "included", "included"),
    (text({"enum": ["a", "b"]}), text({"enum": ["b", "c"]}), "a", "c"),
    (YESNO, Schema({"const": True}, "yesno"), "no", "included"),
    (code("python"), code(None), "included", "```\na\n```"),
    (code("python"), code("sql"), "```python\na\n```", "```sql\na\n```"),
    (code("python"), code("python", SHORT), "```python\naaaaaa\n```", "included"),
    (tasks(1, 3), tasks(1, 5), "included", "- [ ] a\n- [ ] a\n- [ ] a\n- [ ] a\n- [ ] a"),
    (tasks(2, None), tasks(None, None), "included", "- [ ] a"),
    (tasks(None, None), tasks(1, None), "included", "included"),
    (tasks(None, None), text(STRING), "Tasks:\n\n- [ ] a", "a"),
    (YESNO, Schema({"type": "integer"}), "yes", "0"),
    (YESNO, Schema({"type": "boolean"}), "yes", "?"),
    (text(STRING), Schema({"type": "integer"}), "a", "0"),
    (Schema({"enum": []}), code("python"), "included", "```python\na\n```"),
)  # fmt: skip


def told(found: compare.Yes | compare.No | compare.Unknown) -> str:
    if isinstance(found, compare.No):
        return found.witness
    return "?" if isinstance(found, compare.Unknown) else "included"


@pytest.mark.parametrize(("old", "new", "forward", "backward"), CASES)
def test_forms(old: Schema, new: Schema, forward: str, backward: str) -> None:
    for one, other, wanted in ((old, new, forward), (new, old, backward)):
        found = compare.includes(one, other)
        if isinstance(found, compare.No):
            taken, other_taken = (pdl.check(each, found.witness) for each in (one, other))
            assert taken.value == found.value
            assert not other_taken.ok or other_taken.value != found.value
        assert told(found) == wanted
