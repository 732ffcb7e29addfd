"""A type as the list of its alternatives, parentheses and question marks taken apart."""

from __future__ import annotations

from pdl.schema.notation.tree import Array, Group, Item, Object, Scalar, Type, Union
from pdl.schema.notation.words import CONSTANTS


def alternatives(node: Type) -> list[Scalar | Array | Object | Item]:
    """The alternatives in the order of the text; an `Item` is one that has constraints.

    `(A | B)?` has the alternatives A, B and null, as `A | B | null` has.
    """
    found: list[Scalar | Array | Object | Item] = []
    pending: list[Type] = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, Union):
            pending += reversed(one.items)
        elif isinstance(one, Group):
            pending.append(one.inner)
        elif isinstance(one, Item):
            if one.nullable:
                pending.append(Scalar(one.end - 1, one.end, "word", "null"))
            if one.is_constrained:
                found.append(one)
            else:
                pending.append(one.atom)
        else:
            found.append(one)
    return found


def is_literal(node: Scalar | Array | Object | Item) -> bool:
    """Whether the type is a value itself: a number, a string, `true` or `false`."""
    if not isinstance(node, Scalar):
        return False
    return node.kind != "word" or (node.text in CONSTANTS and node.text != "null")
