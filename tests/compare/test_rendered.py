"""What changed between two renderings."""

from __future__ import annotations

from typing import Any

import pytest

import pdl
from pdl.compare import compare_rendered

OLD = """\
<|config|>
temperature: 0

<|reasoning|>
Think.

<|system|>
Be nice to {{ name }}.

<|user|>
Hello.

<|tools|>
weather(city: str)

<|schema|>
int<1,{{ most }}>
"""


def told(old: pdl.Rendered[Any], new: pdl.Rendered[Any]) -> list[tuple[str, str, str, str]]:
    changes = compare_rendered(old, new).changes
    return [(one.part, one.path, one.old, one.new) for one in changes]


def test_each_part() -> None:
    new = OLD.replace("nice", "kind").replace("Think.", "Think twice.").replace(": 0", ": 1")
    new = new.replace("<1,", "<0,").replace("city: str", "city: str, day: date")
    data = {"name": "Ann", "most": 9}
    old, changed = pdl.loads(OLD).render(data), pdl.loads(new).render(data)
    assert told(old, changed)[:2] == [
        ("messages", "system", "Be nice to Ann.", "Be kind to Ann."),
        ("reasoning", "reasoning", "Think.", "Think twice."),
    ]
    found = compare_rendered(old, changed)
    assert [one.part for one in found.changes][2:] == ["tools", "config", "schema"]
    assert found.schema is not None
    assert found.schema.verdict == "widened"
    assert found.tools is not None
    assert found.inputs is None
    assert "programs" in found.breaks
    assert compare_rendered(old, pdl.loads(OLD).render(data)).changes == ()


def test_values_are_compared() -> None:
    one, other = (pdl.loads(OLD).render(name=name, most=9) for name in ("Ann", "Bob"))
    (change,) = compare_rendered(one, other).changes
    assert [piece.text for piece in change.words] == ["Be nice to ", "Ann", "Bob", "."]


def test_media_are_compared_by_their_bytes() -> None:
    def rendered(*data: bytes) -> pdl.Rendered[Any]:
        parts: list[pdl.Text | pdl.Media] = [pdl.Text("See")]
        parts += [pdl.Media("png", one) for one in data]
        return pdl.Rendered((pdl.Message("user", parts),))

    assert told(rendered(b"1"), rendered(b"1")) == []
    ((_, path, old, new),) = told(rendered(b"1"), rendered(b"2"))
    assert path == "user"
    assert old.startswith("See[png, 1 bytes, ")
    assert old != new


def test_a_schema_is_new() -> None:
    message = (pdl.Message("user", "Hi"),)
    old, new = pdl.Rendered(message), pdl.Rendered(message, pdl.Schema.parse("{ a: int }"))
    (change,) = compare_rendered(old, new).changes
    assert change.message == "the schema was added: before, every text was an answer"
    assert change.breaks == ("programs", "recordings")


def test_only_renderings_are_compared() -> None:
    with pytest.raises(TypeError, match="old and new must be renderings, not str"):
        compare_rendered("a", "b")  # type: ignore[arg-type]
