"""Keys of the inputs' objects, and the attributes of the template that are these keys.

The types of expressions say which: `step.choice` is the key `choice` of what `steps` holds. An
attribute is certain if each name that leads to it has one definition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.document import Range
from pdl.edit.template import types
from pdl.edit.template.bindings import outline
from pdl.edit.template.expressions import unquoted
from pdl.edit.template.inference import Inference
from pdl.edit.template.linked import Linked, Occurrence
from pdl.edit.template.names import Name, names_of
from pdl.edit.template.shapes import document_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import JsonSchema
    from pdl.edit.document import Document, Typed
    from pdl.edit.template.expressions import Node
    from pdl.edit.template.names import NameAccess
    from pdl.edit.template.types import Type
    from pdl.edit.workspace import Workspace

_SCALARS = frozenset({"null", "string", "integer", "number", "boolean"})
_PARTS = re.compile(r"[.,]")
_BY_ATTRIBUTE = {"map": -1, "sort": 2, "unique": 1, "min": 1, "max": 1, "sum": 0} | dict.fromkeys(
    ("groupby", "group_by", "selectattr", "rejectattr", "filter"), 0
)
"""Filters that read an attribute of the items, and the position of its name (-1: none)."""
_SURE = frozenset({"input", "variable", "loop", "free"})


class Key(NamedTuple):
    """A key of an object that an `input` turn declares."""

    document: Document
    range: Range


class Access(NamedTuple):
    """`value.key` or `value["key"]`: the value, and where the key is, without quotes.

    In `value | map(attribute="key")` it is a key of the items.
    """

    document: Document
    value: Node
    range: Range
    text: str
    of_items: bool = False


class Keys:
    """What the attributes of a document, and of those that share its inputs, are keys of."""

    def __init__(self, workspace: Workspace, document: Document) -> None:
        self.workspace = workspace
        self.document = document
        self.linked = Linked(workspace, document)
        self._inferences: dict[Document, Inference] = {}
        self._places: dict[int, list[Key]] = {}  # by the identities of `properties`
        self._schemas: set[int] = set()
        self._objects: list[object] = []
        self._indexed: list[JsonSchema] = []  # kept, so that no other object gets their identity

    def access_at(self, offset: int) -> Access | None:
        """Return the attribute that a cursor touches."""
        tag = self.document.tag_at(offset)
        if tag is None:
            return None
        for value in outline(self.document).statement(tag).values:
            for node in reversed(value.path(offset)):
                found = _access(self.document, node)
                if found is not None and found.range.holds(offset):
                    return found
        return None

    def declarations(self, access: Access) -> list[Key]:
        """Return the keys that an attribute can be."""
        given = self._type(access)
        found: dict[Key, None] = {}
        for schema in types.alternatives(given):
            properties = schema.get("properties")
            if isinstance(properties, dict) and access.text in properties:
                keys = [*self._places.get(id(properties), ()), *self._alike(given, properties)]
                found |= dict.fromkeys(key for key in keys if _text(key) == access.text)
        return list(found)

    def _alike(self, given: Type, properties: object) -> Iterator[Key]:
        """Keys of other files: a choice of types of several files has equal ones only once."""
        if not self._is_own(given):
            own = {key.document for key in self._places.get(id(properties), ())}
            for other in self._objects:
                if other == properties:
                    keys = self._places[id(other)]
                    yield from (key for key in keys if key.document not in own)

    def is_certain(self, access: Access) -> bool:
        """Whether an attribute is exactly what its declarations say, or nothing of the inputs."""
        if any(one.kind == "name" and one.text == "loop" for one in access.value.walk()):
            return access.value.kind == "name"
        is_known = self._is_written(self._type(access))
        return is_known and self._is_single(access.document, access.value, set())

    def _is_written(self, given: Type) -> bool:
        """Whether a type is one that is written, or a choice of those, so that no key is lost."""
        if not self._is_own(given):
            return False
        if id(given.schema) in self._schemas:
            return True
        found = types.alternatives(given)
        objects = [one["properties"] for one in found if isinstance(one.get("properties"), dict)]
        scalars = [one for one in found if _SCALARS.issuperset(types.kinds_of(one) or "?")]
        are_known = all(
            id(one) in self._places and sum(one == other for other in self._objects) == 1
            for one in objects
        )
        return are_known and len(objects) + len(scalars) == len(found)

    def _is_own(self, given: Type) -> bool:
        """Whether a type is of one file alone."""
        return any(given.document is one for one in self._indexed)

    def _is_single(self, document: Document, node: Node, seen: set[tuple[Document, int]]) -> bool:
        """Whether all names of an expression, and of those that define them, are defined once."""
        names = names_of(document)
        for one in node.walk():
            name = names.at(one.place) if one.kind == "name" else None
            if name is None or (document, name.symbol) in seen:
                continue
            seen.add((document, name.symbol))
            if not self._is_defined_once(document, name, seen):
                return False
        return True

    def _is_defined_once(
        self, document: Document, name: Name, seen: set[tuple[Document, int]]
    ) -> bool:
        names = [Occurrence(document, one) for one in names_of(document).same(name.symbol)]
        if name.kind != "input":
            names = Linked(self.workspace, document, self.linked.graph).occurrences(name)
        found = [one for one in names if one.name.access != "read"]
        if len(found) != 1 or found[0].name.kind not in _SURE:
            return False
        other, start = found[0].document, found[0].name.start
        tag = other.tag_at(start)
        if tag is None:  # a key of the `input` turn
            return True
        return all(
            self._is_single(other, one, seen) for one in outline(other).statement(tag).values
        )

    def accesses(self, text: str) -> Iterator[Access]:
        """Yield all attributes of a name in the document and in those that it includes."""
        for document in self.documents():
            names = names_of(document)
            for statement in outline(document).statements():
                nodes = (node for value in statement.values for node in value.walk())
                for found in (_access(document, node) for node in nodes):
                    is_named = found is not None and found.text == text
                    if found is not None and is_named and names.at(found.range.start) is None:
                        yield found

    def documents(self) -> list[Document]:
        """The document, and those that it includes."""
        return self._reached(self.document, upwards=False)

    def _reached(self, document: Document, *, upwards: bool) -> list[Document]:
        """A document and those that it includes, or else those that include it."""
        graph, found, known = self.linked.graph, [document], {document.path}
        for one in found:
            path = None if one.path is None else self.workspace.canonical(one.path)
            known.add(path)
            edges = graph.includers if upwards else graph.targets
            for include in edges.get(path, ()) if path is not None else ():
                at = include.includer if upwards else include.target
                other = None if at in known else self.workspace.document(at)
                if other is not None:
                    known.add(at)
                    found.append(other)
        return found

    def _type(self, access: Access) -> Type:
        inference = self._inferences.get(access.document)
        if inference is None:
            inference = Inference(self.workspace, access.document)
            self._inferences[access.document] = inference
            for one in self._reached(access.document, upwards=True):
                self._index(one)
        given = inference.of(access.value)
        return types.item(given) if access.of_items else given

    def _index(self, document: Document) -> None:
        """Note which keys of the text the objects of the inputs' schema have."""
        for typed in document.typed:
            is_input = typed.turn.role == "input" and typed.language == "dsl"
            schema = document_of(typed) if is_input else {}
            if schema and not any(schema is one for one in self._indexed):
                self._indexed.append(schema)
                chains = _chains(typed)
                for at, chain in _objects(schema):
                    self._schemas.add(id(at))
                    keys = [
                        Key(document, where)
                        for name in at.get("properties", {})
                        for where in chains.get((*chain, name), ())
                    ]
                    if isinstance(at.get("properties"), dict):
                        self._objects.append(at["properties"])
                        self._places[id(at["properties"])] = keys


class Same(NamedTuple):
    """The keys and the attributes that are the same; `doubts` is what may be the same too."""

    keys: list[Key]
    accesses: list[Access]
    doubts: list[Key]


def same_keys(workspace: Workspace, document: Document, offset: int) -> Same | None:
    """Return what is the same as the input's key, or the attribute, at an offset."""
    own = Keys(workspace, document)
    name = names_of(document).at(offset)
    if name is None:
        access = own.access_at(offset)
        keys = own.declarations(access) if access is not None else []
    else:
        typed = document.typed_at(name.start)
        is_key = name.kind == "key" and typed is not None and typed.turn.role == "input"
        keys = [Key(document, name.range)] if is_key else []
    if not keys:
        return None
    accesses: dict[tuple[Document, int], Access] = {}
    doubts: dict[tuple[Document, int], Key] = {}
    known = set(keys)
    for key in keys:  # an attribute can be one of several keys, which are the same then
        reader = Keys(workspace, key.document)
        for one in reader.documents():
            doubts |= {(one, where.start): Key(one, where) for where in _quoted(one, _text(key))}
        for access in reader.accesses(_text(key)):
            found = reader.declarations(access)
            at = access.document, access.range.start
            doubts.pop(at, None)
            if not reader.is_certain(access):
                doubts[at] = Key(access.document, access.range)
            if known & set(found):
                accesses[at] = access
                keys += [one for one in found if one not in known]
                known |= set(found)
    return Same(keys, list(accesses.values()), list(doubts.values()))


def _quoted(document: Document, text: str) -> Iterator[Range]:
    """Strings in tags, such as `attribute="a.key"`, and defaults, that have a key by its name."""
    for piece in document.pieces:
        for token in document.tag_tokens(piece):
            if token.kind == "string":
                parts = _PARTS.split(document.text[token.start + 1 : token.end - 1])
                if text in parts:
                    yield Range(token.start + 1, token.end - 1)
    for typed in document.typed:
        for one in typed.notation.tokens:
            is_value = one.role == "key" and typed.notation.frames[one.frame].kind == "map"
            if is_value and typed.turn.role == "input" and one.text.strip("\"'") == text:
                yield Range(one.start, one.end)


def occurrences_at(
    workspace: Workspace, document: Document, offset: int, *, aliases: bool = False
) -> tuple[Name | None, list[Occurrence]]:
    """Return the name at an offset, and all names in all files that are the same.

    With `aliases` these can be other words: `import a as b`. An attribute that is a key of an
    input is a name of the kind `key`, without a symbol.
    """
    name = names_of(document).at(offset)
    same = same_keys(workspace, document, offset)
    if same is None:
        linked = Linked(workspace, document)
        found = [] if name is None else linked.occurrences(name, aliases=aliases)
        return name, found
    found = [Occurrence(one.document, _name(one, "definition")) for one in same.keys]
    found += [Occurrence(one.document, _name(one, "read")) for one in same.accesses]
    touched = (one.name for one in found if one.document is document)
    return next((one for one in touched if one.range.holds(offset)), None), found


def _name(one: Key | Access, access: NameAccess) -> Name:
    text = one.document.text[one.range.start : one.range.end]
    return Name(*one.range, text, "key", access, -1)


def _text(key: Key) -> str:
    return key.document.text[key.range.start : key.range.end]


def _access(document: Document, node: Node) -> Access | None:
    if node.kind == "attribute" and node.text and node.children:
        where = Range(node.at, node.at + len(node.text))
        return Access(document, node.children[0], where, node.text)
    if node.kind == "item" and len(node.children) > 1 and node.children[1].kind == "string":
        return _quoted_access(document, node.children[0], node.children[1])
    if node.kind == "filter" and node.text in _BY_ATTRIBUTE and node.children:
        string = node.argument("attribute", _BY_ATTRIBUTE[node.text])
        if string is not None and string.kind == "string":
            return _quoted_access(document, node.children[0], string)._replace(of_items=True)
    return None


def _quoted_access(document: Document, value: Node, string: Node) -> Access:
    text = unquoted(string.text)
    where = Range(string.place + 1, string.place + 1 + len(text))
    return Access(document, value, where, text)


def _chains(typed: Typed) -> dict[tuple[str, ...], list[Range]]:
    """The keys of a turn by the names that lead to them."""
    notation = typed.notation
    found: dict[tuple[str, ...], list[Range]] = {}
    for index, token in enumerate(notation.tokens):
        if token.role == "key" and notation.frames[token.frame].kind == "object":
            names = [notation.tokens[one].text.strip("\"'") for one in notation.path(index)]
            quoted = token.text[0] in "\"'"
            where = Range(token.start + quoted, token.end - quoted)
            found.setdefault(tuple(names), []).append(where)
    return found


def _objects(schema: JsonSchema) -> list[tuple[JsonSchema, tuple[str, ...]]]:
    """All subschemas, each with the definition and the keys that lead to it."""
    found: list[tuple[JsonSchema, tuple[str, ...]]] = [(schema, ())]
    for one, chain in found:
        for keyword, value in one.items():
            if keyword in ("properties", "$defs") and isinstance(value, dict):
                start = chain if keyword == "properties" else ()
                inner = [(each, (*start, name)) for name, each in value.items()]
            elif keyword in ("items", "additionalProperties"):
                inner = [(value, chain)]
            elif keyword in ("anyOf", "oneOf", "allOf", "prefixItems") and isinstance(value, list):
                inner = [(each, chain) for each in value]
            else:
                continue
            found += [(each, names) for each, names in inner if isinstance(each, dict)]
    return found
