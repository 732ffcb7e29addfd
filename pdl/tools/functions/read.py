"""Functions and types as tools."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NoReturn, NotRequired, TypedDict, get_type_hints

from pdl.errors import PdlError, Problem, error_from
from pdl.schema import Schema
from pdl.schema.notation.fits import Fits
from pdl.schema.typed.defaults import NO_DEFAULT, json_default
from pdl.tools.functions.docstrings import read as read_docstring
from pdl.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_VARIADIC = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def from_functions(functions: Iterable[Any]) -> tuple[Tool, ...]:
    """A tool for each function. Raises an error with the problems of all."""
    return _all(functions, _function)


def from_types(types: Iterable[Any]) -> tuple[Tool, ...]:
    """A tool for each pydantic model, dataclass, TypedDict: its name, docstring and fields."""
    return _all(types, _type)


def _all(given: Iterable[Any], convert: Callable[[Any], Tool]) -> tuple[Tool, ...]:
    found: list[Tool] = []
    problems: list[Problem] = []
    for one in given:
        try:
            found.append(convert(one))
        except PdlError as error:
            problems += error.problems
    if problems:
        raise error_from(problems)
    return tuple(found)


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function's parameters; Any where there is none.

    Raises ToolError for one that names what does not exist, and for a parameter that no call by
    name can fill.
    """
    name = name_of(function)
    target = target_of(function)
    try:
        parameters = inspect.signature(function).parameters
        annotations = get_type_hints(target, include_extras=True)
    except NameError as error:
        _refuse(f"the annotations of `{name}` name `{error.name}`, which is not defined there")
    except (TypeError, ValueError) as error:
        _refuse(f"the signature of `{name}` cannot be read: {error}")
    for one in parameters.values():
        if one.kind in _VARIADIC:
            shown = f"{_VARIADIC[one.kind]}{one.name}"
            _refuse(f"`{name}` takes `{shown}`, which no list of parameters can describe")
    if next(iter(parameters), "") == "self" and "self" not in annotations:
        _refuse(f"`{name}` is a method without its object: pass that of an object, `thing.{name}`")
    if (
        parameters
        and not annotations
        and not inspect.isfunction(getattr(target, "__func__", target))
    ):
        _refuse(f"`{name}` is built in, without types: pass a function of your own that calls it")
    return {one: annotations.get(one, Any) for one in parameters}


def target_of(function: Any) -> Any:
    """The function behind wrappers, partial functions and objects that can be called."""
    while hasattr(function, "func") or hasattr(function, "__wrapped__"):
        function = getattr(function, "func", None) or function.__wrapped__
    return function if inspect.isroutine(function) else type(function).__call__


def name_of(function: Any) -> str:
    """The name of a function, or of an object's class."""
    inner = getattr(function, "func", function)  # of functools.partial
    return str(getattr(inner, "__name__", type(inner).__name__))


def _function(function: Any) -> Tool:
    if isinstance(function, list | tuple | set):
        kind = type(function).__name__
        _refuse(f"a {kind} is no function: pass its functions one by one, `*functions`")
    if not callable(function) or isinstance(function, type):
        _refuse(f"{function!r:.60} is no function")
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
    """The schema of an object that has the parameters as its keys."""
    optional = {key for key, one in parameters.items() if one.default is not one.empty}
    fields = {key: NotRequired[hint] if key in optional else hint for key, hint in hints.items()}
    record: Any = TypedDict(name, fields)  # type: ignore[misc]  # made of what the function has
    document = dict(Schema.from_type(record).document)
    fits = Fits(document.get("$defs", {}))
    properties = dict(document.get("properties", {}))
    for key in optional:
        default = json_default(parameters[key].default)  # which Python lets be of any type
        if default is not NO_DEFAULT and fits(default, properties[key]):
            properties[key] = {**properties[key], "default": default}
    document |= {"properties": properties} if properties else {}
    return Schema(document)


def _type(form: Any) -> Tool:
    name = str(getattr(form, "__name__", form))
    document = dict(Schema.from_type(form).document)
    if document.get("type") != "object":
        _refuse(f"`{name}` is no type with named fields, so its values are no arguments")
    description = read_docstring(document.pop("description", "")).text
    return Tool(name, Schema(document), description)


def _refuse(message: str) -> NoReturn:
    raise error_from([Problem("tool/bad-function", message)])
