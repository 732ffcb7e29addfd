"""Functions and types as tools, described by their docstrings.

Docstrings follow the conventions of Google, NumPy or Sphinx; the text shows which one it is.

Sources: Google's Python style guide (3.8.3), numpydoc's style guide, Sphinx's field lists.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, NotRequired, TypedDict, get_type_hints

from pdl.errors import Problem, error_from
from pdl.schema import Schema
from pdl.schema.annotations import name_of as name_of_type
from pdl.schema.dsl.typecheck import TypeChecker
from pdl.schema.keywords import DEFINITIONS
from pdl.schema.records import NO_DEFAULT, json_default, refuse_field
from pdl.schema.refusals import undefined
from pdl.tools.tool import Tool, convert_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


_PARAMETERS = frozenset(
    {"args", "arguments", "parameters", "params", "keyword args", "keyword arguments"}
    | {"other parameters"}
)
_OTHER = frozenset(
    {"returns", "return", "yields", "yield", "raises", "raise", "receives", "warns", "warnings"}
    | {"warning", "note", "notes", "example", "examples", "see also", "references", "attributes"}
    | {"methods", "todo"}
)
_GOOGLE = re.compile(r"(?P<name>[A-Za-z][A-Za-z ]*?):[ \t]*")
_UNDERLINE = re.compile(r"-{3,}[ \t]*")
_FIELD = re.compile(r":(?P<kind>[A-Za-z]+)(?:[ \t]+(?P<words>[^:]*?))?:(?:[ \t]+(?P<text>.*))?")
_SPHINX = frozenset({"param", "parameter", "arg", "argument", "key", "keyword"})
_ENTRY = re.compile(
    r"\*{0,2}(?P<name>\w++)[ \t]*+(?:\((?P<type>.*?)\)[ \t]*+)?:(?!:)[ \t]*(?P<text>.*)"
)
_NAMES = re.compile(r"\*{0,2}\w+(?:[ \t]*,[ \t]*\*{0,2}\w+)*")


@dataclass
class Docstring:
    """`text` is everything before the first section, without surrounding whitespace."""

    text: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def read_docstring(docstring: str | None) -> Docstring:
    """Return the description of a function and of its parameters. Reads each line once."""
    found = Docstring()
    lines = inspect.cleandoc(docstring or "").split("\n")
    text: list[str] = []
    at, before = 0, True
    while at < len(lines):
        body = _body(lines, at)
        if body is None:
            text += [lines[at]] if before else []
            at += 1
            continue
        before = False
        at = _section(lines, at, body, found)
    found.text = "\n".join(text).strip()
    return found


def _body(lines: list[str], at: int) -> int | None:
    """The line at which the content of the section headed here begins; None if there is no head."""
    line = lines[at]
    if _FIELD.fullmatch(line):
        return at
    google = _GOOGLE.fullmatch(line)
    if google and google["name"].lower() in _PARAMETERS | _OTHER:
        return at + 1
    below = lines[at + 1] if at + 1 < len(lines) else ""
    if line.strip().lower() in _PARAMETERS | _OTHER and _UNDERLINE.fullmatch(below):
        return at + 2
    return None


def _section(lines: list[str], at: int, body: int, found: Docstring) -> int:
    """Read the section headed at a line; return where the next one can begin."""
    end = body + (body == at)
    while end < len(lines) and _body(lines, end) is None:
        if body == at + 1 and lines[end].strip() and not lines[end][0].isspace():
            break  # Google's sections are indented
        end += 1
    name = lines[at].strip().rstrip(":").strip().lower()
    if body == at:
        _field(lines[at:end], found)
    elif name in _PARAMETERS:
        _entries(lines[body:end], found, numpy=body == at + 2)
    return end


def _field(lines: list[str], found: Docstring) -> None:
    """:param type name: text, and its continuation lines."""
    match = _FIELD.fullmatch(lines[0])
    assert match is not None
    words = (match["words"] or "").split()
    if match["kind"].lower() in _SPHINX and words:
        found.parameters[words[-1].lstrip("*")] = _joined([match["text"] or "", *lines[1:]])


def _entries(lines: list[str], found: Docstring, *, numpy: bool) -> None:
    """The parameters of a section: each begins in the first column, and continues indented."""
    filled = [line for line in lines if line.strip()]
    margin = min((_indent(line) for line in filled), default=0)
    block: list[str] = []
    for line in lines:
        if line.strip() and _indent(line) == margin:
            _entry(block, found, numpy=numpy)
            block = []
        block.append(line[margin:])
    _entry(block, found, numpy=numpy)


def _entry(lines: list[str], found: Docstring, *, numpy: bool) -> None:
    if not lines:
        return
    if numpy:
        names = lines[0].partition(":")[0].strip()
        text = _joined(lines[1:])
        if _NAMES.fullmatch(names):
            found.parameters.update({one.strip(" \t*"): text for one in names.split(",")})
        return
    match = _ENTRY.fullmatch(lines[0])
    if match:
        found.parameters[match["name"]] = _joined([match["text"], *lines[1:]])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _joined(lines: list[str]) -> str:
    """Lines of one paragraph as one line; paragraphs stay separate."""
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            paragraphs[-1].append(line.strip())
        elif paragraphs[-1]:
            paragraphs.append([])
    return "\n".join(" ".join(one) for one in paragraphs if one)


_VARIADIC = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def from_functions(functions: Iterable[Any]) -> tuple[Tool, ...]:
    """Return a tool for each function. Raises an error with the problems of all."""
    return convert_all(functions, _function)


def from_types(types: Iterable[Any]) -> tuple[Tool, ...]:
    """Return a tool for each pydantic model, dataclass or TypedDict."""
    return convert_all(types, _type)


def hints_of(function: Callable[..., Any], *, takes_others: bool = False) -> dict[str, Any]:
    """Return the annotations of a function's parameters; Any for a missing one.

    `takes_others`: `**arguments` is allowed, and has no annotation. Raises ToolError for an
    undefined name in one, and for a parameter that can't be passed by name.
    """
    name = name_of(function)
    target = target_of(function)
    try:
        parameters = inspect.signature(function).parameters
        annotations = get_type_hints(target, include_extras=True)
    except NameError as error:
        _refuse(f"the annotations of `{name}` use {undefined(error)}")
    except (AttributeError, SyntaxError, TypeError, ValueError) as error:
        _refuse(f"the signature of `{name}` cannot be read: {error}")
    for one in parameters.values():
        if takes_others and one.kind is inspect.Parameter.VAR_KEYWORD:
            annotations.pop(one.name, None)
        elif one.kind in _VARIADIC:
            shown = f"{_VARIADIC[one.kind]}{one.name}"
            _refuse(f"`{name}` takes `{shown}`, which a schema can't describe")
    if next(iter(parameters), "") == "self" and "self" not in annotations:
        _refuse(f"`{name}` is an unbound method: pass the method of an object, `thing.{name}`")
    if (
        parameters
        and not annotations
        and not inspect.isfunction(getattr(target, "__func__", target))
    ):
        _refuse(f"`{name}` is built in and has no types: pass your own function that calls it")
    return {one: annotations.get(one, Any) for one in parameters}


def target_of(function: Any) -> Any:
    """Return the function inside wrappers, partial functions and callable objects."""
    while hasattr(function, "func") or hasattr(function, "__wrapped__"):
        function = getattr(function, "func", None) or function.__wrapped__
    return function if inspect.isroutine(function) else type(function).__call__


def name_of(function: Any) -> str:
    """Return the name of a function, or of an object's class."""
    inner = getattr(function, "func", function)  # of functools.partial
    return str(getattr(inner, "__name__", type(inner).__name__))


def _function(function: Any) -> Tool:
    if isinstance(function, list | tuple | set):
        kind = type(function).__name__
        _refuse(f"a {kind} is not a function: pass its functions one by one, `*functions`")
    if not callable(function) or isinstance(function, type):
        _refuse(f"{function!r:.60} is not a function")
    name = name_of(function)
    doc = read_docstring(inspect.getdoc(getattr(function, "func", function)))
    schema = _schema(name, hints_of(function), inspect.signature(function).parameters)
    document = dict(schema.document)
    document.pop("description", None)
    fields = document.get("properties", {})
    described = {
        key: {**field, "description": doc.parameters[key]}
        if doc.parameters.get(key) and "description" not in field
        else field
        for key, field in fields.items()
    }
    document |= {"properties": described} if fields else {}
    return Tool(name, Schema(document), doc.text, function)


def _schema(
    name: str, hints: Mapping[str, Any], parameters: Mapping[str, inspect.Parameter]
) -> Schema:
    """The schema of an object with the parameters as its keys."""
    optional = {key for key, one in parameters.items() if one.default is not one.empty}
    for key in optional:
        try:
            refuse_field(key, parameters[key].default)
        except TypeError as error:
            _refuse(f"`{name}` can't be a tool: {error}")
    fields = {key: NotRequired[hint] if key in optional else hint for key, hint in hints.items()}
    record: Any = TypedDict(name, fields)  # type: ignore[misc]  # made of what the function has
    document = dict(Schema.from_type(record).document)
    checker = TypeChecker(document.get("$defs", {}))
    properties = dict(document.get("properties", {}))
    for key in optional:
        default = json_default(parameters[key].default)  # which Python lets be of any type
        if default is not NO_DEFAULT and checker.accepts(default, properties[key]):
            properties[key] = {**properties[key], "default": default}
    document |= {"properties": properties} if properties else {}
    return Schema(document)


def _type(form: Any) -> Tool:
    name = name_of_type(form)
    document = _root(Schema.from_type(form).document)
    if document.get("type") != "object":
        _refuse(f"`{name}` is not a type with named fields")
    description = read_docstring(document.pop("description", "")).text
    return Tool(name, Schema(document, python_type=form), description)


def _root(document: Mapping[str, Any]) -> dict[str, Any]:
    """A schema whose root is the definition to which it refers, as that of a recursive type."""
    found = dict(document)
    definitions = found.get("$defs", {})
    while (name := str(found.get("$ref", "")).removeprefix(DEFINITIONS)) in definitions:
        rest = {key: value for key, value in found.items() if key != "$ref"}
        found = {**definitions[name], **rest}
    return found


def _refuse(message: str) -> NoReturn:
    raise error_from([Problem("tool/bad-function", message)])
