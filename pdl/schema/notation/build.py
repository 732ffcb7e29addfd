"""The notation's grammar, production by production, into its tree."""

from __future__ import annotations

from typing import Any

from pdl.schema.notation import tree
from pdl.syntax.runner import Token

_KINDS: dict[str, Any] = {"WORD": "word", "NUMBER": "number", "STRING": "string", "RAW": "raw"}


class Build:
    """One method a production; each has its production as its docstring."""

    def start(self, root: tree.Type, *definitions: tree.Definition) -> tree.Text:
        """start: union definition*."""
        return tree.Text(root, definitions)

    def definition(self, name: Token, _: Token, type_: tree.Type) -> tree.Definition:
        """definition: WORD EQUALS union."""
        return tree.Definition(name.start, type_.end, _scalar(name), type_)

    def union(self, *items: tree.Type) -> tree.Union:
        """union: item (_BAR item)+."""
        return tree.Union(items[0].start, items[-1].end, items)

    def item(self, atom: tree.Atom, *behind: Any) -> tree.Type:
        """item: atom bounds? constraints? QUESTION?."""
        if not behind:
            return atom
        bounds = next((part for part in behind if isinstance(part, tree.Bounds)), None)
        braces = next((part for part in behind if isinstance(part, tree.MapValue)), None)
        constraints = tuple(
            tree.Constraint(key.start, value.end, key, value)
            for key, value in (braces.entries if braces else ())
        )
        last = behind[-1]
        nullable = isinstance(last, Token)
        end = last.end
        return tree.Item(atom.start, end, atom, bounds, constraints, nullable)

    def scalar(self, token: Token) -> tree.Scalar:
        """atom, value: WORD | STRING | RAW | NUMBER."""
        return _scalar(token)

    def group(self, opener: Token, inner: tree.Type, closer: Token) -> tree.Group:
        """group: OPEN_ROUND union CLOSE_ROUND."""
        return tree.Group(opener.start, closer.end, inner)

    def array(self, opener: Token, *items: Any) -> tree.Array:
        """array: OPEN_SQUARE (union (_COMMA union)* _COMMA?)? CLOSE_SQUARE."""
        return tree.Array(opener.start, items[-1].end, items[:-1])

    def object(self, opener: Token, *members: Any) -> tree.Object:
        """object: OPEN_CURLY (_member (_COMMA _member)* _COMMA?)? CLOSE_CURLY."""
        return tree.Object(opener.start, members[-1].end, members[:-1])

    def field(self, key: tree.Scalar, *rest: Any) -> tree.Field:
        """field: key QUESTION? _COLON union (EQUALS value)?."""
        optional = isinstance(rest[0], Token)
        type_, *default = rest[1:] if optional else rest
        value = default[1] if default else None
        return tree.Field(key.start, (value or type_).end, key, optional, type_, value)

    def rest(self, opener: Token, key: Token, _closer: Token, type_: tree.Type) -> tree.Rest:
        """rest: OPEN_SQUARE WORD CLOSE_SQUARE _COLON union."""
        return tree.Rest(opener.start, type_.end, _scalar(key), type_)

    def key(self, token: Token) -> tree.Scalar:
        """key: WORD | STRING | RAW | NUMBER."""
        return _scalar(token)

    def exact_bounds(self, less: Token, number: Token, more: Token) -> tree.Bounds:
        """bounds: LESS NUMBER MORE."""
        value = _scalar(number)
        return tree.Bounds(less.start, more.end, value, value, exact=True)

    def open_bounds(self, less: Token, more: Token) -> tree.Bounds:
        """bounds: LESS _COMMA MORE."""
        return tree.Bounds(less.start, more.end, None, None)

    def low_bounds(self, less: Token, low: Token, more: Token) -> tree.Bounds:
        """bounds: LESS NUMBER _COMMA MORE."""
        return tree.Bounds(less.start, more.end, _scalar(low), None)

    def high_bounds(self, less: Token, high: Token, more: Token) -> tree.Bounds:
        """bounds: LESS _COMMA NUMBER MORE."""
        return tree.Bounds(less.start, more.end, None, _scalar(high))

    def both_bounds(self, less: Token, low: Token, high: Token, more: Token) -> tree.Bounds:
        """bounds: LESS NUMBER _COMMA NUMBER MORE."""
        return tree.Bounds(less.start, more.end, _scalar(low), _scalar(high))

    def list_value(self, opener: Token, *items: Any) -> tree.ListValue:
        """list_value: OPEN_SQUARE (value (_COMMA value)* _COMMA?)? CLOSE_SQUARE."""
        return tree.ListValue(opener.start, items[-1].end, items[:-1])

    def map_value(self, opener: Token, *entries: Any) -> tree.MapValue:
        """map_value: OPEN_CURLY (entry (_COMMA entry)* _COMMA?)? CLOSE_CURLY."""
        return tree.MapValue(opener.start, entries[-1].end, entries[:-1])

    constraints = map_value

    def entry(self, key: tree.Scalar, value: tree.Value) -> tuple[tree.Scalar, tree.Value]:
        """entry, constraint: key _COLON value."""
        return key, value

    constraint = entry


def _scalar(token: Token) -> tree.Scalar:
    return tree.Scalar(token.start, token.end, _KINDS[token.type], token.text)
