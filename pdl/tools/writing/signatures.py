"""Tools as signatures: the text that `ToolSet.parse` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import Problem, SchemaError
from pdl.schema import Schema
from pdl.schema.notation.language import SCHEMA
from pdl.schema.notation.tree import Field, Item, Object, Type
from pdl.schema.prose import lines_of
from pdl.source import Source
from pdl.tools.schemata import Collected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.schema.notation.tree import Text
    from pdl.tools.tool import Tool

_WIDTH = 88
_STEP = "  "


def write(tools: tuple[Tool, ...]) -> str:
    """(signature | NAME '=' type)*, each on a line of its own if it is short.

    Raises SchemaError for what the notation has no way to write.
    """
    text = Schema(_document(tools)).to_dsl()
    parsed: Text = SCHEMA.parse(Source(text))
    fields = _members(parsed.root)
    signatures = (
        _described(tool, _signature(text, tool, field))
        for tool, field in zip(tools, fields, strict=True)
    )
    behind = text[parsed.root.end :].strip("\n")
    return "\n".join([*signatures, *([behind] if behind else [])])


def _document(tools: tuple[Tool, ...]) -> dict[str, Json]:
    """One object that has the tools as its keys, without their descriptions."""
    collected = Collected()
    fields = {
        tool.name: collected.add(tool.schema.document, ("properties", tool.name)) for tool in tools
    }
    definitions = {"$defs": collected.definitions} if collected.definitions else {}
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
        **definitions,
    }


def _members(root: Type) -> Iterator[Field]:
    inner = root.atom if isinstance(root, Item) else root
    if isinstance(inner, Object):
        yield from (member for member in inner.members if isinstance(member, Field))


def _signature(text: str, tool: Tool, field: Field) -> str:
    """NAME '(' field,* ')', from the place where the notation has the tool's object."""
    item = field.type
    inner = item.atom if isinstance(item, Item) and not _has_more(item) else item
    if not isinstance(inner, Object):
        message = (
            f"the parameters of the tool `{tool.name}` are no plain list, as a signature's are"
        )
        raise SchemaError(Problem("schema/no-notation", message))
    body = text[inner.start + 1 : inner.end - 1]
    lines = [line.removeprefix(_STEP) for line in body.split("\n")]
    inside = "\n".join(lines) if lines[1:] else body.strip()
    return f"{tool.name}({inside})"


def _has_more(item: Item) -> bool:
    return item.is_constrained or item.nullable


def _described(tool: Tool, signature: str) -> str:
    """The signature with its description: behind it, if both fit on one line, else above."""
    lines = lines_of(tool.description)
    beside = f"{signature} // {lines[0]}" if len(lines) == 1 else ""
    if beside and "\n" not in signature and len(beside) <= _WIDTH:
        return beside
    return "".join(f"// {line}".rstrip() + "\n" for line in lines) + signature
