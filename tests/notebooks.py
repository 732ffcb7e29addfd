"""Notebooks, run as IPython does it, but without it: what cells print, and what their ends show."""

from __future__ import annotations

import ast
import io
import json
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_SHOWN = ("text/html", "text/markdown")
_REPRS = {"text/html": "_repr_html_", "text/markdown": "_repr_markdown_"}


def cells_of(path: Path) -> dict[str, Any]:
    """The document of a notebook (nbformat 4)."""
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def run(document: dict[str, Any], name: str) -> dict[str, Any]:
    """A notebook with the outputs of its cells, which are run in order."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells, count = [], 0
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            source = "".join(cell["source"])
            outputs = _outputs(source, f"{name}[{count}]", namespace, count)
            cells.append({**cell, "execution_count": count, "outputs": outputs})
        else:
            cells.append(cell)
    return {**document, "cells": cells}


def text_of(document: dict[str, Any]) -> str:
    """A notebook as nbformat writes it."""
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def told(output: dict[str, Any]) -> dict[str, str]:
    """What people see of an output: the richest of its forms."""
    if output["output_type"] == "stream":
        return {output["name"]: "".join(output["text"])}
    data = output["data"]
    best = next(form for form in (*_SHOWN, "text/plain") if form in data)
    return {best: "".join(data[best])}


def _outputs(source: str, name: str, namespace: dict[str, Any], count: int) -> list[dict[str, Any]]:
    tree = ast.parse(source, name)
    last = tree.body[-1] if tree.body else None
    shown = tree.body.pop() if isinstance(last, ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, name, "exec"), namespace)  # noqa: S102 - our own notebooks
        value = None
        if isinstance(shown, ast.Expr):
            value = eval(compile(ast.Expression(shown.value), name, "eval"), namespace)  # noqa: S307
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        found.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        found.append(
            {
                "data": _data(value),
                "execution_count": count,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return found


def _data(value: Any) -> dict[str, list[str]]:
    """The richest form of a value."""
    for form in _SHOWN:
        method = getattr(value, _REPRS[form], None)
        if method is not None:
            return {form: method().splitlines(keepends=True)}
    return {"text/plain": [repr(value)]}
