"""A whole schema text: its answer, its names, and what can be told only of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.schema.notation.comments import descriptions
from pdl.schema.notation.constraints import Kind
from pdl.schema.notation.fits import Fits
from pdl.schema.notation.language import SCHEMA
from pdl.schema.notation.lower import Lowering
from pdl.schema.notation.names import alias_cycle, endless_cycle, reachable
from pdl.schema.notation.outline import outline
from pdl.schema.notation.report import Report
from pdl.schema.notation.tree import Definition, Group, Item, Node, Scalar, Text, Type
from pdl.schema.notation.words import FORMS, TYPES
from pdl.schema.parts import Form, Parts, json_form
from pdl.schema.prose import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import JsonSchema
    from pdl.limits import Limits
    from pdl.source import Source


def read(source: Source, limits: Limits) -> Parts:
    """schema: type (NAME '=' type)*.

    Raises SchemaError with all problems (a problem of the syntax alone), LimitError for a text that
    is too long, too deep, or holds too large an integer.
    """
    comments = outline(source, limits)
    text: Text = SCHEMA.parse(source)
    report = Report(source)
    described = descriptions(source.text, comments, text)
    names = frozenset(definition.name.text for definition in text.definitions)
    lowering = Lowering(report, limits, names, described)
    parts = _root(text.root, lowering)
    definitions = _definitions(text, lowering)
    _check_names(report, text, parts.document, definitions)
    _check_defaults(lowering, definitions)
    report.check()
    if not definitions:
        return parts
    return Parts({**parts.document, "$defs": definitions}, parts.form, parts.lang, parts.tasks)


def _root(root: Type, lowering: Lowering) -> Parts:
    bare: Type = root
    while isinstance(bare, Group) or (
        isinstance(bare, Item) and not bare.is_constrained and not bare.nullable
    ):
        bare = bare.inner if isinstance(bare, Group) else bare.atom
    word = bare.atom if isinstance(bare, Item) else bare
    if isinstance(word, Scalar) and word.kind == "word" and word.text in FORMS:
        return _form(bare, word, root, lowering)
    document = lowering.lower(root, root)
    return Parts(document, json_form(document))


def _form(bare: Type, word: Scalar, root: Node, lowering: Lowering) -> Parts:
    """A root that is `yesno`, `code constraints?` or `tasklist constraints?`."""
    item = bare if isinstance(bare, Item) else _item(word)
    if item.nullable:
        message = f"`{word.text}` is the form of the whole answer, so it cannot be null"
        lowering.report.add("schema/root-only", message, item)
    found = dict(lowering.constraints.keywords(Kind(word.text, f"`{word.text}`"), item))
    lang = found.pop("lang", None)
    tasks = (found.pop("min", None), found.pop("max", None))
    kind = "boolean" if word.text == "yesno" else "string"
    document = lowering.describe({"type": kind, **found}, root)
    form: Form = "yesno" if word.text == "yesno" else "code" if word.text == "code" else "tasklist"
    return Parts(document, form, lang, tasks)


def _item(word: Scalar) -> Item:
    return Item(word.start, word.end, word, bounds=None, constraints=(), nullable=False)


def _definitions(text: Text, lowering: Lowering) -> dict[str, JsonSchema]:
    found: dict[str, JsonSchema] = {}
    for definition in text.definitions:
        _check_name(definition, found, lowering.report)
        found[definition.name.text] = lowering.lower(definition.type, definition)
    return found


def _check_name(definition: Definition, found: Mapping[str, JsonSchema], report: Report) -> None:
    name = definition.name.text
    if name in found:
        report.add("schema/duplicate-name", f"the name `{name}` is defined twice", definition.name)
    elif name in TYPES or name in FORMS:
        message = f"`{name}` is a type of the notation, so it cannot be defined"
        report.add("schema/bad-name", message, definition.name)
    elif not name[:1].isupper() or "." in name:
        hint = f"write `{name[:1].upper()}{name[1:].replace('.', '-')}`"
        message = f"a name begins with a capital letter and has no dots, so `{name}` is none"
        report.add("schema/bad-name", message, definition.name, hint)


def _check_names(
    report: Report, text: Text, root: JsonSchema, definitions: Mapping[str, JsonSchema]
) -> None:
    names = {definition.name.text: definition.name for definition in text.definitions}
    used = reachable(root, definitions)
    for name, node in names.items():
        if name not in used:
            report.add("schema/unused-name", f"the name `{name}` is never used", node)
    aliases = alias_cycle(definitions)
    if aliases:
        message = f"`{aliases[0]}` stands for nothing but itself{_way(aliases)}"
        report.add("schema/endless-name", message, names[aliases[0]])
    elif endless := endless_cycle(definitions):
        message = f"no value of `{endless[0]}` is ever complete: each holds another{_way(endless)}"
        hint = "make a field optional (`key?: T`) or nullable (`T?`), or hold it in an array"
        report.add("schema/endless-name", message, names[endless[0]], hint)


def _way(cycle: list[str]) -> str:
    return f" ({' -> '.join([*cycle, cycle[0]])})" if len(cycle) > 1 else ""


def _check_defaults(lowering: Lowering, definitions: Mapping[str, JsonSchema]) -> None:
    if lowering.report:
        return  # a type that is unknown has no values to compare with
    fits = Fits(definitions)
    for default in lowering.defaults:
        if not fits(default.value, default.schema):
            node = default.node
            shown = quoted(lowering.report.source.text[node.start : node.end])
            message = f"the default {shown} does not fit the field's type"
            lowering.report.add("schema/bad-default", message, node)
