"""How macros are called, as an editor shows it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pdl.edit.expressions import unquoted

if TYPE_CHECKING:
    from pdl.edit.expressions import Node
    from pdl.edit.tags import Statement


def parameters(statement: Statement) -> tuple[str, ...]:
    """Return the parameters of a macro with their defaults."""
    return tuple(
        word.text if default is None else f"{word.text}={_shown(default)}"
        for word, default in statement.parameters
    )


def signature(statement: Statement) -> str:
    """Return how a macro is called, with its defaults."""
    name = statement.targets[0].text if statement.targets else ""
    return f"{name}({', '.join(parameters(statement))})"


def _shown(default: Node) -> str:
    if default.kind == "string":
        return json.dumps(unquoted(default.text), ensure_ascii=False)[:40]
    return default.text if default.kind in ("name", "number") else "…"
