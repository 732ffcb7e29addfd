"""Records as Python classes: dataclasses, TypedDicts and pydantic models."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.schema.code.layout import (
    STEP,
    Chain,
    Doc,
    Either,
    Group,
    call,
    flat,
    lay_out,
    literal,
    statement,
    value,
)
from pdl.schema.code.python_types import Expressions, names_in, opened
from pdl.schema.json_schema import free_name
from pdl.schema.records import NO_DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json
    from pdl.schema.code.named_types import Field, Named, Type

_MODEL_NAMES = frozenset(
    {
        *("copy", "construct", "dict", "from_orm", "json", "parse_file", "parse_obj"),
        *("parse_raw", "schema", "schema_json", "update_forward_refs", "validate"),
    }
)
"""The methods of pydantic's models that do not begin with `model_`."""

_LINE = re.compile(r'(?!["\s])[^\\\x00-\x1f\x7f]*[^\\"\s\x00-\x1f\x7f]|')


@dataclass(frozen=True)
class Records:
    """Writes the records of one target."""

    types: Expressions

    def write(self, one: Named) -> str:
        """Return the definition of a record."""
        if self.types.target == "pydantic":
            return self._model(one)
        is_dataclass = self.types.target == "dataclass"
        fields = one.fields or ()
        if is_dataclass and not one.is_open:
            members = [self._dataclass_field(field) for field in fields]
            if _are_names([field.key for field in fields], members):
                lines = _class(f"class {one.name}:", one, members)
                return f"{self._decorator(one)}@dataclass(kw_only=True)\n{''.join(lines)}"
        reason = "such keys" if not one.is_open else "other keys"
        why = f"# A TypedDict, since a dataclass cannot have {reason}.\n" if is_dataclass else ""
        members = [
            (field.key, _not_required(field, self.types.type(field.type, field.default)), None)
            for field in fields
        ]
        if not _are_names([field.key for field in fields], members):
            return why + self._functional(one)
        head = lay_out(Group(f"class {one.name}(", ("TypedDict",), "):"), "", 0)
        lines = _class(head, one, members)
        return why + self._decorator(one) + "".join(lines)

    def _said(self, one: Named, *, is_documented: bool) -> dict[str, Doc]:
        """The arguments of `record` that a class needs."""
        found: dict[str, Doc] = {}
        if one.extra is not None:
            found["extra_items"] = self._eager(one.extra, self.types.type(one.extra))
        keywords = _keywords(one, is_documented=is_documented)
        return found | ({"keywords": value(keywords)} if keywords else {})

    def _decorator(self, one: Named) -> str:
        said = self._said(one, is_documented=_is_docstring(one))
        return statement(Chain(("@", call("record", said)))) if said else ""

    def _eager(self, one: Type, doc: Doc) -> Doc:
        """A type that Python reads at once, as a string if it might name what comes later."""
        return self.types.quoted(doc) if one.has_names else doc

    def _functional(self, one: Named) -> str:
        """A TypedDict whose keys are not names of Python."""
        entries = []
        for field in one.fields or ():
            doc = self.types.type(field.type, field.default)
            doc = _not_required(field, self._eager(field.type, doc))
            entries.append(Chain((f"{literal(field.key)}: ", doc)))
        fields = Group("{", tuple(entries), "}")
        made = Group("TypedDict(", (literal(one.name), fields), ")")
        said = self._said(one, is_documented=False)
        opens = statement(Chain((call("record", said), f"({one.name})"))) if said else ""
        return statement(Chain((f"{one.name} = ", made))) + opens

    def _dataclass_field(self, field: Field) -> _Member:
        """A field, and the value of what can be absent: its default, or None."""
        data = field.default
        if field.required or data is NO_DEFAULT:
            doc = self.types.type(field.type, data)
            return (field.key, *((doc, None) if field.required else _or_none(doc, "Absent")))
        made = self.types.default(field.type, data)
        if made is None:
            doc = self.types.type(field.type, data)
            return (field.key, *_or_none(doc, "Absent"))
        if isinstance(made, str):
            return field.key, self.types.type(field.type), made
        if flat(made) in ("[]", "{}"):
            made_by = call("field", {"default_factory": type(data).__name__})
            return field.key, self.types.type(field.type), made_by
        factory = call("field", {"default_factory": Chain(("lambda: ", made))})
        return field.key, self.types.type(field.type, data), factory

    def _model(self, one: Named) -> str:
        """A pydantic model, which refuses other keys unless its schema allows them."""
        keywords = opened(_keywords(one, is_documented=_is_docstring(one)))
        if one.extra is None and one.is_open:
            keywords["additionalProperties"] = False  # the other keys fit a pattern
        fields = one.fields or ()
        members = [self._model_field(field, field.key) for field in fields]
        extras: list[_Member] = []
        if one.extra is not None and (extra := self.types.type(one.extra)) != "Any":
            values = Group("dict[", ("str", extra), "]")
            extras.append(("__pydantic_extra__", values, "Field(init=False)"))
        names = _attributes([field.key for field in fields], [*extras, *members])
        members = [
            self._model_field(field, name) for field, name in zip(fields, names, strict=True)
        ]
        settings = {"extra": literal("allow" if one.is_open else "forbid")}
        if any(field.key != name for field, name in zip(fields, names, strict=True)):
            settings["populate_by_name"] = "True"
        given = [Chain((f"{key}=", text)) for key, text in settings.items()]
        if keywords:
            given.append(Chain(("json_schema_extra=", value(keywords))))
        head = lay_out(Group(f"class {one.name}(", ("BaseModel", *given), "):"), "", 0)
        return "".join(_class(head, one, [*extras, *members]))

    def _model_field(self, field: Field, name: str) -> _Member:
        data = field.default
        doc = self.types.type(field.type)
        given: dict[str, Doc] = {}
        if field.required:
            doc = self.types.type(field.type, data)
        elif data is NO_DEFAULT and self.types.accepts_null(field.type):
            given["default_factory"] = "lambda: None"
        elif data is NO_DEFAULT:
            doc, given["default"] = _or_none(doc, "SkipJsonSchema[None]")
        elif (made := self.types.default(field.type, data)) is None:
            doc, given["default"] = _or_none(doc, "SkipJsonSchema[None]")
            given["json_schema_extra"] = value({"default": data})
        elif flat(made) == flat(value(data)):
            given["default"] = made
        else:
            doc = self.types.type(field.type, data)
            given["default_factory"] = Chain(("lambda: ", made))
        given |= {"alias": literal(field.key)} if name != field.key else {}
        if given.keys() == {"default"}:
            return name, doc, given["default"]
        return name, doc, call("Field", given) if given else None


_Member = tuple[str, Doc, Doc | None]
"""A name, its type, and its value if it can be absent."""


def _not_required(field: Field, doc: Doc) -> Doc:
    return doc if field.required else Group("NotRequired[", (doc,), "]", comma=False)


def _or_none(doc: Doc, mark: str) -> tuple[Doc, Doc]:
    """A type that is None where its key is absent, and that value."""
    broken = doc.broken if isinstance(doc, Either) else doc
    is_union = isinstance(broken, Group) and broken.opening == "Union["
    parts = broken.items if isinstance(broken, Group) and is_union else (doc,)
    line = f"{flat(doc)} | {mark}"
    return Either(line, Group("Union[", (*parts, mark), "]")), "None"


def _class(head: str, one: Named, members: list[_Member]) -> Iterable[str]:
    """The lines of a class, without decorators."""
    yield f"{head}\n"
    if _is_docstring(one):
        lines = one.type.description.splitlines()
        rest = "".join(f"{STEP}{line}".rstrip() + "\n" for line in lines[1:])
        yield f'{STEP}"""{lines[0]}{chr(10) + rest + STEP if rest else ""}"""\n'
        yield "\n" if members else ""
    elif not members:
        yield f"{STEP}pass\n"
    for name, doc, default in members:
        parts = (f"{name}: ", doc) if default is None else (f"{name}: ", doc, " = ", default)
        yield statement(Chain(parts), STEP)


def _keywords(one: Named, *, is_documented: bool) -> dict[str, Json]:
    """The keywords of a record, with a description that no docstring says."""
    keywords = dict(one.type.keywords)
    if one.type.description and not is_documented:
        keywords["description"] = one.type.description
    return keywords


def _is_docstring(one: Named) -> bool:
    """Whether a description is the same after formatters have seen it as a docstring."""
    text = one.type.description
    if not text or text.startswith(f"{one.name}(") or '"""' in text:
        return False
    lines = text.split("\n")
    return bool(lines[0] and lines[-1]) and all(_LINE.fullmatch(line) for line in lines)


def _are_names(keys: list[str], members: list[_Member]) -> bool:
    """Whether keys can be names in a class whose types and values use none of them."""
    used = _used(members)
    return all(_is_name(key) and key not in used for key in keys)


def _used(members: list[_Member]) -> set[str]:
    docs = [doc for _, *both in members for doc in both if doc is not None]
    return {name for doc in docs for name in names_in(flat(doc))}


def _is_name(key: str) -> bool:
    is_normal = key.isascii()  # Python reads other names in normal form NFKC
    return key.isidentifier() and is_normal and not keyword.iskeyword(key) and key[:2] != "__"


def _attributes(keys: list[str], members: list[_Member]) -> list[str]:
    """The attributes of a pydantic model for keys: the keys themselves where that is possible."""
    used = _used(members) | _MODEL_NAMES | set(keyword.kwlist)
    found: dict[str, str] = {}
    for key in keys:
        is_free = _is_name(key) and key not in used and not key.startswith(("_", "model_"))
        name = key
        if not is_free:
            name = re.sub(r"[^0-9A-Za-z]+", "_", key).strip("_") or "field"
            name = f"field_{name}" if name[0].isdigit() or name.startswith("model_") else name
            name = f"{name}_" if name in used else name
            name = free_name(name, {*keys, *found.values()})
        found[key] = name
    return list(found.values())
