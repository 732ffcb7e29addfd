"""What a model reads about tools when only words tell it of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.tools.writing.text import write

if TYPE_CHECKING:
    from pdl.tools.formats import Format
    from pdl.tools.toolset import ToolSet

_OPTIONAL = "A parameter with `?` may be left out."


def describe(tools: ToolSet, form: Format) -> str:
    """The tools, and how one and several calls are written, without a final newline."""
    text = write(tools)
    lines = ["You can call these tools:", "", text, ""]
    if not text.startswith("```"):
        lines.append(_OPTIONAL)
    lines += ["To call a tool, write:", one(form)]
    if len(tools) > 1 or form.between:
        lines += ["To call several, write:", several(form)]
    return "\n".join(lines)


def one(form: Format) -> str:
    """One call, with the names of what is to be filled in."""
    return f"{form.opener}{_call(form, 'NAME')}{form.closer}"


def several(form: Format) -> str:
    """Two calls."""
    calls = form.between.join(_call(form, name) for name in ("FIRST", "SECOND"))
    return f"{form.opener}{calls}{form.closer}"


def _call(form: Format, name: str) -> str:
    arguments = '{"PARAMETER": VALUE}'
    if not form.name_key:
        return f"{name}{form.named}{arguments}"
    return f'{{"{form.name_key}": "{name}", "{form.arguments_key}": {arguments}}}'
