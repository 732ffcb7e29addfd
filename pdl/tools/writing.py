"""Tools as text and as dicts: signatures, the dicts of OpenAI and of MCP (and back), descriptions.

Signatures are the text that `ToolSet.parse` reads (`write_signatures`); `write_tools` writes such a
text for any schemas. `describe` describes the tools to a model without native tool calling.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from pdl.errors import PdlError, Problem, SchemaError, error_from
from pdl.schema import Schema
from pdl.schema.dsl.notes import described, notes_of
from pdl.schema.dsl.tree import Field, Item, Object, Type, lines_of, parse
from pdl.schema.formats import standard
from pdl.schema.json_schema import Bundle
from pdl.source import Source
from pdl.tools.tool import Tool, convert_all, of_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.tools.formats import Format


_NOTHING: dict[str, Json] = {"type": "object", "additionalProperties": False}
"""The parameters of a tool without any: at OpenAI, omitting `parameters` means an empty list."""
_SCHEMAS = ("parameters", "inputSchema", "input_schema")
"""The keys of the schema of the arguments: at OpenAI, in MCP, at Anthropic."""


def to_openai(tool: Tool) -> dict[str, Any]:
    """`{"type": "function", "function": {"name", "description"?, "parameters"}}`."""
    return {"type": "function", "function": _fields(tool, "parameters")}


def to_mcp(tool: Tool) -> dict[str, Any]:
    """`{"name", "description"?, "inputSchema"}`."""
    return _fields(tool, "inputSchema")


def _fields(tool: Tool, key: str) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    document = {"type": "object", "properties": {}, **standard(tool.schema.to_json_schema())}
    return {"name": tool.name, **described, key: document}


def read(tools: Any) -> tuple[Tool, ...]:
    """Return the tools of a list of dicts, as OpenAI (chat and responses), MCP or Anthropic.

    Objects with `model_dump`, such as those of MCP's own package, count as the dicts that it
    returns. Raises ToolError and SchemaError with all problems, each with the tool or its number.
    """
    if isinstance(tools, Mapping | str) or not isinstance(tools, Iterable):
        message = f"tools must be a list of dicts, not a value of type {type(tools).__name__}"
        raise error_from([Problem("tool/not-a-list", message)])
    numbered = enumerate(map(_plain, tools), 1)
    return convert_all(numbered, lambda each: _tool(each[1], each[0]))


def listed(tools: Any) -> Any:
    """Return the list in an MCP server's answer to `tools/list`, or a list unchanged."""
    answer = _plain(tools)
    return answer["tools"] if isinstance(answer, Mapping) and "tools" in answer else tools


def _plain(one: Any) -> Any:
    dump = getattr(one, "model_dump", None)
    return dump(mode="json", by_alias=True, exclude_none=True) if callable(dump) else one


def _tool(one: Any, number: int) -> Tool:
    if not isinstance(one, Mapping):
        _refuse(f"tool {number} must be a dict, not a value of type {type(one).__name__}")
    inner = one.get("function", one)
    kind = one.get("type") or "function"
    if kind == "custom" and "input_schema" in one:  # what Anthropic calls a function
        kind = "function"
    if not isinstance(inner, Mapping):
        _refuse(f"the `function` of tool {number} must be a dict")
    if kind != "function":
        _refuse(f"tool {number} must be of the type `function`, not `{one.get('type')}`")
    name = inner.get("name")
    if not isinstance(name, str):
        _refuse(f"tool {number} has no name")
    description = inner.get("description") or ""
    if not isinstance(description, str):
        _refuse(f"the description of the tool `{name}` must be a string")
    keys = [key for key in _SCHEMAS if inner.get(key) is not None]
    if len(keys) > 1:
        _refuse(f"the tool `{name}` has both `{keys[0]}` and `{keys[1]}`")
    return Tool(name, arguments(name, inner[keys[0]] if keys else _NOTHING), description)


def arguments(name: str, document: Any) -> Schema:
    """Return the schema of a tool's arguments, an object. Raises errors that name the tool."""
    try:
        schema = Schema.from_json_schema(document)
    except PdlError as error:
        raise error_from(of_parameters(name, error.problems)) from error
    kind = schema.document.get("type", "object")
    if kind != "object":
        _refuse(f"the arguments of the tool `{name}` must be an object, not of the type `{kind}`")
    document = {"type": "object", **schema.document}
    if document.get("properties") == {}:
        del document["properties"]
    return Schema(document)


def _refuse(message: str) -> NoReturn:
    raise error_from([Problem("tool/bad-tool", message)])


_WIDTH = 88
_STEP = "  "


def write_signatures(tools: tuple[Tool, ...]) -> str:
    """Return (signature | NAME '=' type)*, each on one line if it is short.

    Raises SchemaError for what the DSL can't express.
    """
    text = Schema(_document(tools)).to_dsl()
    parsed = parse(Source(text))
    fields = _members(parsed.root)
    signatures = (
        _described(tool, _signature(text, tool, field))
        for tool, field in zip(tools, fields, strict=True)
    )
    definitions = text[parsed.root.end :].strip("\n")
    return "\n".join([*signatures, *([definitions] if definitions else [])])


def _document(tools: tuple[Tool, ...]) -> dict[str, Json]:
    """One object with the tools as its keys, without their descriptions."""
    bundle = Bundle()
    fields = {
        tool.name: bundle.add(tool.schema.document, ("properties", tool.name)) for tool in tools
    }
    definitions = {"$defs": bundle.definitions} if bundle.definitions else {}
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
    """NAME '(' field,* ')', from the tool's object in the DSL."""
    item = field.type
    inner = item.atom if isinstance(item, Item) and not _has_more(item) else item
    if not isinstance(inner, Object):
        message = (
            f"the parameters of the tool `{tool.name}` are not a plain list, as in a signature"
        )
        raise SchemaError(Problem("schema/no-notation", message))
    body = text[inner.start + 1 : inner.end - 1]
    lines = [line.removeprefix(_STEP) for line in body.split("\n")]
    inside = "\n".join(lines) if lines[1:] else body.strip()
    return f"{tool.name}({inside})"


def _has_more(item: Item) -> bool:
    return item.is_constrained or item.nullable


def _described(tool: Tool, signature: str) -> str:
    """The signature with its description: after it, if both fit on one line, else above."""
    document = tool.schema.document
    words = " ".join(lines_of(document.get("description", "")))
    notes = notes_of(document, tool.name)
    if words and words != " ".join(lines_of(tool.description)):
        notes.insert(0, words)
    lines = lines_of(described(tool.description, notes))
    line = f"{signature} // {lines[0]}" if len(lines) == 1 else ""
    if line and "\n" not in signature and len(line) <= _WIDTH:
        return line
    return "".join(f"// {line}".rstrip() + "\n" for line in lines) + signature


def write_tools(tools: tuple[Tool, ...]) -> str:
    """Return signatures, or the dicts of OpenAI in a fence if the DSL can't express them."""
    try:
        return write_signatures(tools)
    except SchemaError:
        dicts = [to_openai(tool) for tool in tools]
        return f"```json\n{json.dumps(dicts, ensure_ascii=False, indent=2)}\n```"


_OPTIONAL = "A parameter with `?` may be left out."


def describe(tools: tuple[Tool, ...], form: Format) -> str:
    """Return the tools, and how to write one and several calls, without a final newline."""
    text = write_tools(tools)
    lines = ["You can call these tools:", "", text, ""]
    if not text.startswith("```"):
        lines.append(_OPTIONAL)
    lines += ["To call a tool, write:", one(form)]
    if len(tools) > 1 or form.between:
        lines += ["To call several, write:", several(form)]
    return "\n".join(lines)


def one(form: Format) -> str:
    """Return one call with placeholders."""
    return f"{form.opener}{_call(form, 'NAME')}{form.closer}"


def several(form: Format) -> str:
    """Return two calls with placeholders."""
    calls = form.between.join(_call(form, name) for name in ("FIRST", "SECOND"))
    return f"{form.opener}{calls}{form.closer}"


def _call(form: Format, name: str) -> str:
    arguments = '{"PARAMETER": VALUE}'
    if not form.name_key:
        return f"{name}{form.named}{arguments}"
    return f'{{"{form.name_key}": "{name}", "{form.arguments_key}": {arguments}}}'
