"""The canonical text of a schema in the schema DSL: a pretty-printer.

A text fits on a line or breaks at its brackets (Oppen 1980, Prettyprinting).
"""

from __future__ import annotations

import json
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.schema.dsl.constraints import KEYWORDS
from pdl.schema.dsl.normal_form import normal_form
from pdl.schema.dsl.notes import described, notes_of
from pdl.schema.dsl.tree import NULL, lines_of
from pdl.schema.formats import FORMATS, ZONED
from pdl.schema.keywords import SIZES
from pdl.trampoline import Recur, call, gather, run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json, JsonSchema
    from pdl.schema.parts import SchemaParts


_WIDTH = 88
_STEP = "  "


class Sequence(NamedTuple):
    """Parts that follow each other with nothing between."""

    parts: tuple[Doc, ...]
    flat: str | None


class Alternatives(NamedTuple):
    """Parts with bars between; on several lines, each but the first begins with its bar."""

    parts: tuple[Doc, ...]
    flat: str | None


class Entry(NamedTuple):
    """A line of a block, with the lines of its comment."""

    doc: Doc
    comment: tuple[str, ...] = ()


class Block(NamedTuple):
    """Entries in brackets, separated by commas."""

    brackets: str
    entries: tuple[Entry, ...]
    flat: str | None


Doc: TypeAlias = str | Sequence | Alternatives | Block
"""A text that might not fit on one line; `flat` is the line, None if it is too long."""


def _flat(doc: Doc) -> str | None:
    return doc if isinstance(doc, str) else doc.flat


def _joined(texts: Iterable[str | None], separator: str = "") -> str | None:
    """Texts on one line, or None if they are too long for one."""
    found: list[str] = []
    size = 0
    for text in texts:
        size += len(text or "")
        if text is None or size > _WIDTH:
            return None
        found.append(text)
    return separator.join(found)


def sequence(*parts: Doc) -> Doc:
    """Parts that follow each other."""
    some = tuple(part for part in parts if part != "")
    return some[0] if len(some) == 1 else Sequence(some, _joined(map(_flat, some)))


def alternatives(parts: tuple[Doc, ...]) -> Doc:
    """Parts with bars between."""
    return Alternatives(parts, _joined(map(_flat, parts), " | "))


def block(brackets: str, entries: tuple[Entry, ...], pad: str = "") -> Block:
    """Entries in a pair of brackets; `pad` is inside the brackets on one line."""
    if not entries:
        return Block(brackets, entries, brackets)
    inside = _joined((None if entry.comment else _flat(entry.doc) for entry in entries), ", ")
    return Block(brackets, entries, _joined((brackets[0], pad, inside, pad, brackets[1])))


def render(doc: Doc) -> str:
    """The text of a doc, with each bracket on one line that fits there."""
    page = _Page()
    run(page.put(doc, "", 0))
    return "".join(page.pieces)


def comment_lines(lines: tuple[str, ...], indent: str) -> str:
    """Lines of comments, each with its newline."""
    return "".join(f"{indent}// {line}".rstrip() + "\n" for line in lines)


class _Page:
    """The text so far, and the column where it ends."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._column = 0

    def put(self, doc: Doc, indent: str, tail: int) -> Recur[None]:
        """Write a doc; `tail` columns must be left for what follows it on its last line."""
        flat = _flat(doc)
        if isinstance(doc, str):
            self._write(doc)
        elif flat is not None and self._column + len(flat) + tail <= _WIDTH:
            self._write(flat)
        elif isinstance(doc, Sequence):
            yield from self._put_sequence(doc, indent, tail)
        elif isinstance(doc, Alternatives):
            yield from self._put_alternatives(doc, indent, tail)
        else:
            yield from self._put_block(doc, indent)

    def _write(self, text: str) -> None:
        self.pieces.append(text)
        self._column += len(text)

    def _start_line(self, indent: str) -> None:
        self.pieces.append(f"\n{indent}")
        self._column = len(indent)

    def _put_sequence(self, doc: Sequence, indent: str, tail: int) -> Recur[None]:
        widths = [_WIDTH if (flat := _flat(part)) is None else len(flat) for part in doc.parts]
        after = sum(widths)
        for part, width in zip(doc.parts, widths, strict=True):
            after -= width
            yield from call(self.put(part, indent, tail + min(after, _WIDTH)))

    def _put_alternatives(self, doc: Alternatives, indent: str, tail: int) -> Recur[None]:
        deeper = indent + _STEP
        for index, part in enumerate(doc.parts):
            if index:
                self._start_line(deeper)
                self._write("| ")
            yield from call(self.put(part, deeper, tail if index == len(doc.parts) - 1 else 0))

    def _put_block(self, doc: Block, indent: str) -> Recur[None]:
        self._write(doc.brackets[0])
        deeper = indent + _STEP
        for entry in doc.entries:
            after = _beside(entry, deeper)
            if entry.comment and not after:
                self.pieces.append("\n" + comment_lines(entry.comment, deeper).rstrip("\n"))
            self._start_line(deeper)
            yield from call(self.put(entry.doc, deeper, 1))
            self._write(f",{after}")
        self._start_line(indent)
        self._write(doc.brackets[1])


def _beside(entry: Entry, indent: str) -> str:
    """The comment to be written after an entry's comma, if it fits there."""
    if len(entry.comment) != 1:
        return ""
    comment = f" // {entry.comment[0]}"
    flat = _flat(entry.doc)
    fits = flat is not None and len(indent) + len(flat) + 1 + len(comment) <= _WIDTH
    return comment if fits else ""


_BARE_KEY = re.compile(r"[^\W\d][\w-]*")
_RAW = re.compile(r"[^'\\\"\x00-\x1f\x7f]*+[\\\"][^'\x00-\x1f\x7f]*")
_TYPES = MappingProxyType(
    {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "null"}
)


def write(parts: SchemaParts, *, exact: bool = False) -> str:
    """schema: type (NAME '=' type)*, on one line if that is short.

    Raises SchemaError with each assertion that the DSL cannot express; if the text must be
    `exact`, for annotations too that it could only mention.
    """
    if parts.form in ("yesno", "code", "tasklist"):
        words = described(parts.document.get("description", ""), notes_of(parts.document))
        return _described({"description": words}, render(_form(parts)))
    whole = normal_form(parts.document, exact=exact)
    texts = [_described(whole.root, render(run(_type(whole.root))))]
    for name, schema in whole.definitions.items():
        doc = sequence(f"{name} = ", run(_type(schema)))
        texts.append(_described(schema, render(doc)))
    return "\n".join(texts)


def _described(schema: JsonSchema, text: str) -> str:
    return comment_lines(tuple(lines_of(schema.get("description", ""))), "") + text


def _form(parts: SchemaParts) -> Doc:
    """A root that is `yesno`, `code bounds? constraints?` or `tasklist bounds?`."""
    low, high = parts.tasks
    if parts.form == "code":
        low, high = parts.document.get("minLength"), parts.document.get("maxLength")
    braces = {} if parts.lang is None else {"lang": parts.lang}
    return sequence(parts.form + _bounds(low, high, exact=True), *_constraints(braces))


def _type(schema: JsonSchema) -> Recur[Doc]:
    """type: item ('|' item)*, the form that a schema in normal form has."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema or "enum" in schema:
        return _choice(schema)
    if "anyOf" in schema:
        return (yield from _union(schema["anyOf"]))
    kind = schema.get("type")
    if kind is None:
        return "any"
    if isinstance(kind, list):
        return sequence((yield from _item(schema, kind[0])), "?")
    return (yield from _item(schema, kind))


def _choice(schema: JsonSchema) -> Doc:
    values = schema["enum"] if "enum" in schema else [schema["const"]]
    literals = tuple(map(_literal, values))
    return literals[0] if len(literals) == 1 else alternatives(literals)


def _union(branches: list[JsonSchema]) -> Recur[Doc]:
    others = [branch for branch in branches if branch != NULL]
    if len(others) == 1 and "enum" not in others[0]:
        return sequence((yield from call(_type(others[0]))), "?")
    parts: list[Doc] = []
    for branch in branches:
        doc = yield from call(_type(branch))
        parts += doc.parts if isinstance(doc, Alternatives) else [doc]
    return alternatives(tuple(parts))


def _item(schema: JsonSchema, kind: str) -> Recur[Doc]:
    """item: atom bounds? constraints?."""
    if kind == "array":
        atom = yield from _array(schema)
    elif kind == "object":
        atom = yield from _object(schema)
    else:
        atom = FORMATS[schema["format"]].word if "format" in schema else _TYPES[kind]
    is_tuple = "prefixItems" in schema
    size = SIZES.get(kind)
    low = schema.get(f"min{size}" if size else "minimum") if not is_tuple else None
    high = schema.get(f"max{size}" if size else "maximum")
    braces = {
        word: schema[key]
        for word, key in KEYWORDS.items()
        if key in schema and word not in ("min", "max")
    }
    if schema.get("format") in ZONED.values():
        braces["zone"] = True
    bounds = _bounds(low, high, exact=size is not None)
    return sequence(atom, bounds, *_constraints(braces))


def _bounds(low: Json, high: Json, *, exact: bool) -> str:
    """bounds: '<' lo? ',' hi? '>' | '<' n '>'."""
    if low is None and high is None:
        return ""
    if exact and low == high:
        return f"<{_literal(low)}>"
    ends = ("" if end is None else _literal(end) for end in (low, high))
    return f"<{','.join(ends)}>"


def _constraints(braces: dict[str, Json]) -> tuple[Doc, ...]:
    """constraints: '{' (key ':' value),* '}'."""
    if not braces:
        return ()
    entries = tuple(Entry(f"{word}: {_literal(value)}") for word, value in braces.items())
    return (" ", block("{}", entries, " "))


def _array(schema: JsonSchema) -> Recur[Doc]:
    """array: '[' ']' | '[' type ']' | '[' type ',' type … ']'."""
    items = schema.get("prefixItems") or ([schema["items"]] if "items" in schema else [])
    docs = yield from gather(map(_type, items))
    return block("[]", tuple(map(Entry, docs)))


def _object(schema: JsonSchema) -> Recur[Doc]:
    """object: '{' (field),* '}'."""
    required = frozenset(schema.get("required", ()))
    entries = []
    for key, field in schema.get("properties", {}).items():
        name = _key(key) if key in required else f"{_key(key)}?"
        entries.append((yield from _field(f"{name}: ", field)))
    rest = schema["additionalProperties"]
    if rest is not False:
        entries.append((yield from _field("[str]: ", {} if rest is True else rest)))
    return block("{}", tuple(entries), " ")


def _field(start: str, schema: JsonSchema) -> Recur[Entry]:
    """field: key '?'? ':' type ('=' literal)?."""
    default = f" = {_value(schema['default'])}" if "default" in schema else ""
    doc = sequence(start, (yield from call(_type(schema))), default)
    return Entry(doc, tuple(lines_of(schema.get("description", ""))))


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)


def _literal(value: Json) -> str:
    """A scalar; a string that JSON would have to escape is written raw if possible."""
    if isinstance(value, str) and _RAW.fullmatch(value):
        return f"'{value}'"
    return _value(value)


def _value(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
