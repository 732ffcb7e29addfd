"""Calls of the public names, right and wrong, with what they give: `tests/cases/calls/NAME.txt`.

A line `>>> …` is run (`... …` goes on with it), and what it gives stands below: what it printed,
the repr of its value, or the error that it raised.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
from typing import TYPE_CHECKING, Any

import pytest
from snapshots import CASES, Snapshot

if TYPE_CHECKING:
    from pathlib import Path
    from types import CodeType

_CALL = re.compile(r"^>>> .*(?:\n\.\.\. ?.*)*", re.MULTILINE)


@pytest.mark.parametrize("path", sorted((CASES / "calls").glob("*.txt")), ids=lambda p: p.stem)
def test_what_calls_give(path: Path, snapshot: Snapshot) -> None:
    names: dict[str, Any] = {"__name__": "case"}
    calls = _CALL.findall(path.read_text(encoding="utf-8"))
    snapshot.check(path, "\n".join(f"{call}\n{_outcome(call, names)}" for call in calls))


def _outcome(call: str, names: dict[str, Any]) -> str:
    """What a call prints, its value and its error, each on lines of its own."""
    *before, last = ast.parse("\n".join(line[4:] for line in call.splitlines())).body
    printed, value = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(printed):
            if not isinstance(last, ast.Expr):
                before.append(last)
            exec(_compiled(ast.Module(before, []), "exec"), names)  # noqa: S102 - our own files
            if isinstance(last, ast.Expr):
                value = eval(_compiled(ast.Expression(last.value), "eval"), names)  # noqa: S307
    except Exception as error:  # noqa: BLE001 - it is the outcome
        return f"{printed.getvalue()}{type(error).__name__}: {error}\n"
    return printed.getvalue() + ("" if value is None else f"{value!r}\n")


def _compiled(tree: ast.Module | ast.Expression, mode: str) -> CodeType:
    return compile(tree, "<case>", mode, dont_inherit=True)
