"""Tools as the dicts of OpenAI and of MCP, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from pdl.errors import PdlError, Problem, error_from
from pdl.schema import Schema
from pdl.schema.formats import standard
from pdl.tools.names import of_parameters
from pdl.tools.tool import Tool

if TYPE_CHECKING:
    from pdl._types import Json

_NOTHING: dict[str, Json] = {"type": "object", "additionalProperties": False}
"""The parameters of a tool that names none: `Omitting parameters` is an empty list at OpenAI."""
_SCHEMAS = ("parameters", "inputSchema", "input_schema")
"""Where the schema of the arguments stands: at OpenAI, in MCP, at Anthropic."""


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
    """The tools of a list of dicts, in the shapes of OpenAI (chat and responses), MCP, Anthropic.

    Objects with `model_dump`, such as those of MCP's own package, count as the dicts that they
    give. Raises ToolError and SchemaError with all problems, each naming the tool or its number.
    """
    if isinstance(tools, Mapping | str) or not isinstance(tools, Iterable):
        message = f"tools are a list of dicts, not a value of type {type(tools).__name__}"
        raise error_from([Problem("tool/not-a-list", message)])
    found: list[Tool] = []
    problems: list[Problem] = []
    for number, one in enumerate(tools, 1):
        try:
            found.append(_tool(_plain(one), number))
        except PdlError as error:
            problems += error.problems
    if problems:
        raise error_from(problems)
    return tuple(found)


def listed(tools: Any) -> Any:
    """The list in the answer of an MCP server to `tools/list`; a list is that already."""
    answer = _plain(tools)
    return answer["tools"] if isinstance(answer, Mapping) and "tools" in answer else tools


def _plain(one: Any) -> Any:
    dump = getattr(one, "model_dump", None)
    return dump(mode="json", by_alias=True, exclude_none=True) if callable(dump) else one


def _tool(one: Any, number: int) -> Tool:
    if not isinstance(one, Mapping):
        _refuse(f"tool {number} is no dict, but of type {type(one).__name__}")
    inner = one.get("function", one)
    kind = one.get("type") or "function"
    if kind == "custom" and "input_schema" in one:  # what Anthropic calls a function
        kind = "function"
    if kind != "function" or not isinstance(inner, Mapping):
        _refuse(f"tool {number} is no function, but of the type `{one.get('type')}`")
    name = inner.get("name")
    if not isinstance(name, str):
        _refuse(f"tool {number} has no name")
    description = inner.get("description") or ""
    if not isinstance(description, str):
        _refuse(f"the description of the tool `{name}` is no text")
    keys = [key for key in _SCHEMAS if inner.get(key) is not None]
    if len(keys) > 1:
        _refuse(f"the tool `{name}` has both `{keys[0]}` and `{keys[1]}`")
    return Tool(name, arguments(name, inner[keys[0]] if keys else _NOTHING), description)


def arguments(name: str, document: Any) -> Schema:
    """The schema of a tool's arguments, which are an object. Raises what it says of `name`."""
    try:
        schema = Schema.from_json_schema(document)
    except PdlError as error:
        raise error_from(of_parameters(name, error.problems)) from error
    kind = schema.document.get("type", "object")
    if kind != "object":
        _refuse(f"the arguments of the tool `{name}` are an object, not of the type `{kind}`")
    told = {"type": "object", **schema.document}
    if told.get("properties") == {}:
        del told["properties"]
    return Schema(told)


def _refuse(message: str) -> NoReturn:
    raise error_from([Problem("tool/bad-tool", message)])
