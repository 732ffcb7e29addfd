"""Named types as a Python module: dataclasses, pydantic models or TypedDicts."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pdl.schema.code.layout import Chain, Doc, Group, literal, statement, value
from pdl.schema.code.python_records import Records
from pdl.schema.code.python_types import Expressions, names_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.schema.code.named_types import Named, Section
    from pdl.schema.code.python_types import PythonTarget
    from pdl.schema.model import Schema

_STANDARD = MappingProxyType(
    {
        "dataclasses": ("dataclass", "field"),
        "ipaddress": ("IPv4Address", "IPv6Address"),
        "typing": (
            *("Annotated", "Any", "Literal", "NotRequired", "TypeAlias", "TypedDict", "Union"),
        ),
        "uuid": ("UUID",),
    }
)
_OTHERS = MappingProxyType(
    {
        "pdl.schema": ("Absent", "AnswerForm", "Constraints", "record"),
        "pydantic": ("AwareDatetime", "BaseModel", "Field"),
        "pydantic.json_schema": ("SkipJsonSchema",),
        "typing_extensions": ("TypeAliasType",),
    }
)
"""The names that code can import, in the order of formatters."""

_TABLES = (*_STANDARD.values(), *_OTHERS.values())
_EXTRA = "\n    __pydantic_extra__: "
RESERVED = frozenset({"True", "False", "None"}.union(*_TABLES))
"""The names that no type can have."""


def write_python(sections: Sequence[Section], target: PythonTarget) -> str:
    """Return the module of all sections; the types get notes of what the target cannot say."""
    named = {one.name: one for section in sections for one in section.types}
    types = Expressions(target, named)
    body = "\n".join(_section(section, types) for section in sections)
    used = names_in(body) | {name for one in types.strings for name in names_in(one)}
    # pydantic documents `__pydantic_extra__` as it is written here, and pyright refuses it.
    pragma = "# pyright: reportIncompatibleVariableOverride=false\n\n" if _EXTRA in body else ""
    start = f"{pragma}from __future__ import annotations\n"
    return f"{start}{_imports(used)}{body}"


def _imports(used: set[str]) -> str:
    """The imports of the names that are used, as isort sorts them."""
    text = "\n"
    for is_first, table in ((True, _STANDARD), (False, _OTHERS)):
        lines = ["import datetime as dt\n"] if is_first and "dt" in used else []
        for module, names in table.items():
            found = [name for name in names if name in used]
            lines += [f"from {module} import {', '.join(found)}\n"] if found else []
        text += "".join(lines) + ("\n" if lines else "")
    return text.rstrip("\n") + "\n" if text.strip() else ""


def _section(section: Section, types: Expressions) -> str:
    return f"\n{section.title('#')}" + "".join(
        f"\n\n{_notes(one, types)}{_definition(one, types, is_lazy=is_lazy)}"
        for one, is_lazy in _ordered(section.types)
    )


def _notes(one: Named, types: Expressions) -> str:
    if types.target != "pydantic" and any(field.key == "" for field in one.fields or ()):
        one.notes.append('pyright does not accept the key `""` of a TypedDict')
    return "".join(f"# Not exact: {note}.\n" for note in dict.fromkeys(one.notes))


def _definition(one: Named, types: Expressions, *, is_lazy: bool) -> str:
    if one.fields is not None:
        return Records(types).write(one)
    doc = types.type(one.type, further=() if one.form is None else (_form(one.form),))
    if is_lazy:
        made = Group("TypeAliasType(", (literal(one.name), types.quoted(doc)), ")")
        return statement(Chain((f"{one.name} = ", made)))
    return statement(Chain((f"{one.name}: TypeAlias = ", doc)))


def _form(schema: Schema) -> Doc:
    """What says how an answer is written that is not JSON."""
    given: list[Doc] = [value(schema.form)]
    given += [] if schema.lang is None else [Chain(("lang=", value(schema.lang)))]
    given += [] if schema.tasks == (None, None) else [f"tasks={schema.tasks}"]
    return Group("AnswerForm(", tuple(given), ")")


def _ordered(types: Sequence[Named]) -> list[tuple[Named, bool]]:
    """Types so that what an alias mentions is defined, and whether that cannot be.

    The types of records are read when all of a module is defined. An alias that contains itself
    needs the same, and comes first, since pyright cannot infer it from its uses.
    """
    left = {one.name: one for one in types}
    lazy: list[tuple[Named, bool]] = []
    others: list[tuple[Named, bool]] = []
    while left:
        found = next((one for one in left.values() if _is_ready(one, left)), None)
        one = found or next(iter(left.values()))
        (others if found else lazy).append((one, found is None))
        del left[one.name]
    return [*lazy, *others]


def _is_ready(one: Named, left: dict[str, Named]) -> bool:
    return one.fields is not None or not any(part.name in left for part in one.type.inside())
