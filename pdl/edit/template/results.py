"""The types of the parts of expressions: operators, filters, methods, calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.edit.template import types
from pdl.edit.template.expressions import CONSTANTS, unquoted
from pdl.edit.template.types import ANY, BOOL, FLOAT, INT, INTS, NULL, STR, STRS, Type

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.edit.template.expressions import Node
    from pdl.edit.template.inference import Inference

_MOST = 50  # items of a list that are looked at
_DEEPEST = 30  # steps of a path of attributes


def _name(types_: Inference, node: Node) -> Type:
    if node.text in CONSTANTS:
        return NULL if node.text.lower() == "none" else BOOL
    known = types_.variable(node.text, node.start)
    return known.type if known is not None else ANY


def _part(types_: Inference, node: Node) -> Type:
    return types_.found(node) or ANY


def _string(_: Inference, __: Node) -> Type:
    return STR


def _number(_: Inference, node: Node) -> Type:
    return INT if node.text.replace("_", "").isdecimal() else FLOAT


def _list_node(types_: Inference, node: Node) -> Type:
    return types.array(types.union(map(types_.of, node.children[:_MOST])))


def _tuple_node(types_: Inference, node: Node) -> Type:
    parts = [types_.of(one) for one in node.children[:_MOST]]
    whole = types.record({str(at): one for at, one in enumerate(parts)})
    schema = {"type": "array", "prefixItems": list(whole.schema["properties"].values())}
    return whole.to({**schema, "items": False, "minItems": len(parts)})


def _dict_node(types_: Inference, node: Node) -> Type:
    pairs = zip(node.children[::2], node.children[1::2], strict=False)
    return types.record(
        {unquoted(key.text): types_.of(value) for key, value in pairs if key.kind == "string"}
    )


def _unary(types_: Inference, node: Node) -> Type:
    return BOOL if node.text == "not" else types.to_number(types_.of(node.children[0]))


def _binary(types_: Inference, node: Node) -> Type:
    if node.text in ("and", "or"):
        return types.union(map(types_.of, node.children))
    if node.text not in ("+", "-", "*", "/", "//", "%", "**"):
        return STR if node.text == "~" else BOOL
    left, right = map(types_.of, node.children)
    if types.is_kind(left, "string"):
        return STR if node.text in ("+", "*", "%") else ANY
    if types.is_kind(left, "array"):
        return types.union((left, right)) if node.text == "+" else left
    return FLOAT if node.text == "/" else types.to_number(types.union((left, right)))


def _choice(types_: Inference, node: Node) -> Type:
    return types.union([types_.of(one) for one in (node.children[0], *node.children[2:])])


def _test(_: Inference, __: Node) -> Type:
    return BOOL


def _filter(types_: Inference, node: Node) -> Type:
    read = _FILTERS.get(node.text)
    return read(types_, node) if read is not None else _RESULTS.get(node.text, ANY)


def _call(types_: Inference, node: Node) -> Type:
    called = node.children[0]
    if called.kind == "attribute":
        return _method(types_, node, called)
    binding = types_.outline.lookup(called.text, called.start)
    if binding is not None:
        is_macro = binding.kind == "macro" or (
            binding.kind == "imported" and not types_.bound(binding).is_known
        )
        return STR if is_macro else ANY
    if called.text in ("dict", "namespace"):
        pairs = zip(node.names, node.arguments, strict=False)
        return types.record({name: types_.of(one) for name, one in pairs if name not in ("", "*")})
    return INTS if called.text == "range" else STR if called.text in ("caller", "super") else ANY


def _method(types_: Inference, node: Node, called: Node) -> Type:
    """The result of a method of an object or a string, or of a macro of an imported file."""
    subject = called.children[0]
    if subject.kind == "name":
        known = types_.outline.lookup(subject.text, subject.start)
        if known is not None and known.kind == "module":
            return STR
    value = types_.of(subject)
    if called.text == "items":
        return types.pairs(value)
    if called.text == "values":
        return types.array(types.values(value))
    if called.text == "get" and node.arguments and node.arguments[0].kind == "string":
        return types.field(value, unquoted(node.arguments[0].text)) or ANY
    return _METHODS.get(called.text, ANY)


def _subject(types_: Inference, node: Node) -> Type:
    return types.not_null(types_.of(node.children[0]))


def _item(types_: Inference, node: Node) -> Type:
    value = types.item(_subject(types_, node))
    by = node.argument("attribute", -1)
    if node.text == "sum":
        return _dug(value, by) if by is not None else types.to_number(value)
    return value


def _items(types_: Inference, node: Node) -> Type:
    value = _subject(types_, node)
    if node.text == "reverse" and types.is_kind(value, "string"):
        return STR
    return types.array(types.item(value))


def _map(types_: Inference, node: Node) -> Type:
    """`map(attribute="a.b")`, `map("upper")`."""
    by = node.argument("attribute", -1)
    if by is not None:
        return types.array(_dug(types.item(_subject(types_, node)), by))
    name = node.argument("", 0)
    if name is None or name.kind != "string":
        return types.array(ANY)
    return types.array(_RESULTS.get(unquoted(name.text), ANY))


def _dug(value: Type, path: Node) -> Type:
    """The type at a path of attributes that is written out."""
    found: Type | None = value if path.kind == "string" else ANY
    for step in unquoted(path.text).split(".")[:_DEEPEST]:
        if found is None:
            return ANY
        found = types.item(found, int(step)) if step.isdecimal() else types.field(found, step)
    return found or ANY


def _default(types_: Inference, node: Node) -> Type:
    other = node.argument("default_value", 0) or node.argument("value", -1)
    value = types_.of(node.children[0])
    if not value.is_known:
        return ANY
    return types.union((value, types_.of(other) if other is not None else STR))


def _get(types_: Inference, node: Node) -> Type:
    key = node.argument("key" if node.text == "get" else "name", 0)
    if key is None or key.kind != "string":
        return types.values(_subject(types_, node)) if node.text == "get" else ANY
    return types.field(_subject(types_, node), unquoted(key.text)) or ANY


def _groups(types_: Inference, node: Node) -> Type:
    whole = types.array(types.item(_subject(types_, node)))
    if node.text == "group_by":
        return whole.to({"type": "object", "additionalProperties": whole.schema})
    return types.array(types.record({"grouper": Type({}), "list": whole}))


def _columns(types_: Inference, node: Node) -> Type:
    value = _subject(types_, node)
    if node.text == "slice" and not any(not name for name in node.names):
        return value
    return types.array(types.array(types.item(value)))


def _same(types_: Inference, node: Node) -> Type:
    return _subject(types_, node)


def _pairs(types_: Inference, node: Node) -> Type:
    return types.pairs(_subject(types_, node))


def _list(types_: Inference, node: Node) -> Type:
    return types.array(types.item(_subject(types_, node)))


_TEXT_METHODS = (
    "capitalize casefold center format join ljust lower lstrip removeprefix removesuffix replace"
    " rjust rstrip strip swapcase title upper zfill"
)
_SELECTIONS = "filter reject rejectattr reverse select selectattr sort unique"
_STRINGS = (
    "addslashes as_str capitalize center date e escape filesizeformat forceescape format indent"
    " join json_encode linebreaksbr lower pluralize pprint replace safe slugify spaceless string"
    " striptags title tojson trim trim_end trim_end_matches trim_start trim_start_matches truncate"
    " upper urlencode urlencode_strict urlize wordwrap xmlattr"
)
_RESULTS: dict[str, Type] = {
    **dict.fromkeys(_STRINGS.split(), STR),
    **dict.fromkeys(("length", "count", "wordcount", "int"), INT),
    **dict.fromkeys(("float", "round"), FLOAT),
    "split": STRS,
}
_METHODS: dict[str, Type] = {
    **dict.fromkeys(
        _TEXT_METHODS.split(),
        STR,
    ),
    **dict.fromkeys(("split", "rsplit", "splitlines", "keys"), STRS),
    **dict.fromkeys(("startswith", "endswith", "isdigit", "isalpha", "isupper", "islower"), BOOL),
    **dict.fromkeys(("count", "find", "index", "rfind"), INT),
}
_FILTERS: dict[str, Callable[[Inference, Node], Type]] = {
    **dict.fromkeys(("first", "last", "random", "min", "max", "nth", "sum"), _item),
    **dict.fromkeys(_SELECTIONS.split(), _items),
    "list": _list,
    "map": _map,
    "default": _default,
    "d": _default,
    "get": _get,
    "attr": _get,
    "group_by": _groups,
    "groupby": _groups,
    "batch": _columns,
    "slice": _columns,
    "abs": _same,
    "concat": _same,
    "dictsort": _pairs,
    "items": _pairs,
}
READERS: dict[str, Callable[[Inference, Node], Type]] = {
    "name": _name,
    "attribute": _part,
    "item": _part,
    "string": _string,
    "number": _number,
    "list": _list_node,
    "tuple": _tuple_node,
    "dict": _dict_node,
    "unary": _unary,
    "binary": _binary,
    "choice": _choice,
    "test": _test,
    "filter": _filter,
    "call": _call,
}
"""The type of a node, by its kind."""
