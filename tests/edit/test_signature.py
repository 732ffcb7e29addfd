"""The signature of a call that is being typed, and the parameter that is next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from marked import unmarked

from pdl.edit.document import Document
from pdl.edit.features.signature import signature_help
from pdl.edit.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

MACRO = "{% macro f(a, b=1, c='x') %}{% endmacro %}\n"

CASES = [  # a text, the label, and the active parameter; None: no signature
    (MACRO + "{{ f(¦) }}", 'f(a, b=1, c="x")', "a"),
    (MACRO + "{{ f(1,¦", 'f(a, b=1, c="x")', "b=1"),
    (MACRO + "{{ f(1, ¦2, 3) }}", 'f(a, b=1, c="x")', "b=1"),
    (MACRO + "{{ f(g(1, 2), [1, 2, 3¦], c=2) }}", 'f(a, b=1, c="x")', "b=1"),
    (MACRO + "{{ f('a,b(', ¦) }}", 'f(a, b=1, c="x")', "b=1"),
    (MACRO + "{{ f(c=¦) }}", 'f(a, b=1, c="x")', 'c="x"'),
    (MACRO + "{{ f(c=1, ¦) }}", 'f(a, b=1, c="x")', None),
    (MACRO + "{{ f(1, 2, 3, ¦) }}", 'f(a, b=1, c="x")', None),
    (MACRO + "{{ x | join(f(¦)) }}", 'f(a, b=1, c="x")', "a"),
    (MACRO + "{{ self::f(1, ¦) }}", 'f(a, b=1, c="x")', "b=1"),
    (MACRO + "{% call f(¦) %}{% endcall %}", 'f(a, b=1, c="x")', "a"),
    (MACRO + "{% if f(1, ¦) %}", 'f(a, b=1, c="x")', "b=1"),
    ("{{ range(1, ¦) }}", "range(start, end, step_by=1)", "end"),
    ("{{ range(step_by=¦) }}", "range(start, end, step_by=1)", "step_by=1"),
    ("{{ cycler(1, 2, ¦) }}", "cycler(*items)", "*items"),
    ("{{ x | round(¦) }}", 'value | round(precision=0, method="common")', "precision=0"),
    ("{{ x | join(attribute=¦", 'value | join(d="", attribute=None)', "attribute=None"),
    ("{% filter indent(¦) %}", "value | indent(width=4, first=False, blank=False)", "width=4"),
    ("{{ x is divisibleby(¦) }}", "value is divisibleby(divisor)", "divisor"),
    ("{{ x is not divisibleby(¦) }}", "value is divisibleby(divisor)", "divisor"),
    ("<|tools|>\ngo(¦to: str, day?: date)", "go(to: str, day?: date)", "to: str"),
    ("<|tools|>\ngo(to: str, d¦ay?: date)", "go(to: str, day?: date)", "day?: date"),
    ("<|tools|>\ngo(to: str)\nup(¦n: int", "up(n: int)", "n: int"),
]
NOTHING = [
    "¦",
    "<|user|>\nf(¦)",
    MACRO + "{{ f(1)¦ }}",
    MACRO + "{{ f¦(1) }}",
    "{{ (¦1) }}",
    "{{ [¦1] }}",
    "{{ unknown(¦) }}",
    "{{ x.unknown(¦) }}",
    "{% macro f(¦) %}",
    "<|tools|>\ngo(to: str)¦",
    "<|tools|>\ng¦o(to: str)",
    "<|schema|>\n{ a: (¦int) }",
]


@pytest.mark.parametrize(("text", "label", "active"), CASES)
def test_the_signature_of_a_call(text: str, label: str, active: str | None) -> None:
    """Macros, functions, filters, tests, tools."""
    plain = unmarked(text)
    found = signature_help(Workspace(), Document(plain.text), plain.cursor)
    assert found is not None
    assert found.label == label
    assert (found.parameters[found.active] if found.active >= 0 else None) == active
    at = 0
    for one in found.parameters:  # in the order of the label
        at = found.label.index(one, at) + len(one)


@pytest.mark.parametrize("text", NOTHING)
def test_no_signature_outside_of_calls(text: str) -> None:
    """Nor of what is not known."""
    plain = unmarked(text)
    assert signature_help(Workspace(), Document(plain.text), plain.cursor) is None


@pytest.mark.parametrize(
    "text",
    [
        "{% from 'lib.pdl' import row %}{{ row(1, ¦) }}",
        "{% from 'lib.pdl' import row as r %}{{ r(1, ¦) }}",
        "{% import 'lib.pdl' as m %}{{ m.row(1, ¦) }}",
        "{% import 'lib.pdl' as m %}{{ m::row(1, ¦) }}",
    ],
)
def test_imported_macros(text: str, tmp_path: Path) -> None:
    """By each way to import one."""
    (tmp_path / "lib.pdl").write_text("{% macro row(item, n=1) %}{% endmacro %}")
    plain = unmarked(text)
    workspace = Workspace((tmp_path,))
    document = workspace.open(tmp_path / "main.pdl", plain.text)
    found = signature_help(workspace, document, plain.cursor)
    assert found is not None
    assert (found.label, found.active) == ("row(item, n=1)", 1)
