"""Completion in `input`, `schema` and `tools` turns: types, names, constraints, values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pdl.edit.document import Range
from pdl.edit.features.offers import offer
from pdl.edit.template import words
from pdl.edit.template.callables import said_of
from pdl.edit.template.shapes import shape
from pdl.edit.template.types import Type, is_kind, literals, name_of
from pdl.schema.dsl.constraints import constraints_of
from pdl.schema.dsl.words import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.edit.document import Typed
    from pdl.edit.features.offers import Completion, Request
    from pdl.edit.notation import Expected, Token

_WORDY = ("type", "literal", "key", "constraint", "value", "definition", "error", "tool")
_MANY = 300  # definitions whose types are not written out, since nobody reads them all
_LANGUAGES = ("py", "python", "js", "ts", "json", "yaml", "html", "css", "sql", "sh", "rust", "go")


def complete_typed(request: Request, typed: Typed) -> list[Completion]:
    """Return what can be typed at a place in the schema DSL."""
    if typed.language != "dsl":
        return []
    return list(_Place(request, typed).offers())


class _Place:
    """A cursor among the tokens of a typed turn."""

    def __init__(self, request: Request, typed: Typed) -> None:
        self.request = request
        self.typed = typed
        self.notation = typed.notation
        self.tokens = typed.notation.tokens
        offset = request.offset
        at = self.notation.at(offset)
        if at > 0 and self.tokens[at].start == offset and self.tokens[at - 1].end == offset:
            at -= self.tokens[at - 1].role in _WORDY
        self.current: Token | None = self.tokens[at] if at >= 0 else None
        self.index = at
        start = offset
        if self.current is not None and self.current.role in _WORDY:
            start = self.current.start
        self.start = start
        expected: tuple[Expected, int] = self.notation.expected(start)
        self.expected, self.frame = expected
        end = self.current.end if self.current is not None and start < offset else offset
        if self._is_in_string() and self.current is not None and self.current.role == "error":
            end = offset  # it has no end, so what follows is not its own
        self.range = Range(start, max(end, offset))

    def _is_in_string(self) -> bool:
        """Whether the cursor is within a string, or at its end."""
        current = self.current
        return (
            current is not None
            and current.text[:1] in ('"', "'")
            and current.start < self.request.offset
        )

    def offers(self) -> Iterator[Completion]:
        """What can be typed."""
        current = self.current
        if (
            current is not None
            and current.role == "comment"
            and current.start < self.request.offset
        ):
            return
        if self.expected != "value" and self._is_in_string():
            return
        kind = self.notation.frames[self.frame].kind
        if self.expected in ("type", "start"):
            if not (self.typed.turn.role == "tools" and kind == "text"):
                yield from self._types(kind)
        elif self.expected == "constraint":
            yield from self._constraints()
        elif self.expected == "value":
            yield from self._values()
        elif self.expected == "key" and kind == "rest":
            yield offer("str", "keyword", self.range, documentation="The key of a map is a string.")
        elif self.expected == "key" and kind in ("object", "params"):
            yield from self._keys()
        elif self.expected == "after" and kind == "text":
            yield from self._definitions()

    def _types(self, kind: str) -> Iterator[Completion]:
        turn = self.typed.turn
        at_root = kind == "text" and self.expected == "start"
        if at_root and turn.role == "input":
            insert = "{\n  ${1:name}: ${2:str},\n}" if self.request.snippets else "{ "
            yield offer(
                "{ … }",
                "snippet",
                self.range,
                insert=insert,
                is_snippet=self.request.snippets,
                detail="the inputs",
            )
            return
        definitions = shape(self.typed).definitions
        for name, schema in definitions.items():
            is_short = len(definitions) > _MANY
            shown = "" if is_short else name_of(Type(schema, {"$defs": definitions}))
            said = schema.get("description", "")
            yield offer(name, "name", self.range, detail=shown, documentation=said)
        for order, (name, word) in enumerate(words.TYPES.items()):
            if name in words.FORMS and not at_root:
                continue
            yield offer(
                name,
                "type",
                self.range,
                detail="the whole answer" if name in words.FORMS else "type",
                documentation=said_of(word),
                order=10 + order,
            )
        for name in ("true", "false"):
            yield offer(name, "value", self.range, detail="a constant", order=40)
        yield from self._brackets()
        yield from self._missing_names()

    def _brackets(self) -> Iterator[Completion]:
        if not self.request.snippets or self.range.start != self.range.end:
            return
        for label, insert, detail in (
            ("[ … ]", "[${1:str}]", "an array"),
            ("{ … }", "{ ${1:name}: ${2:str} }", "an object"),
            ('"…" | "…"', '"${1:a}" | "${2:b}"', "one of some values"),
        ):
            yield offer(
                label,
                "snippet",
                self.range,
                insert=insert,
                is_snippet=True,
                detail=detail,
                order=41,
            )

    def _missing_names(self) -> Iterator[Completion]:
        """Names that are used, but not defined."""
        defined = set(shape(self.typed).definitions)
        for at, token in enumerate(self.tokens):
            is_name = token.role == "type" and token.text[:1].isupper() and at != self.index
            if is_name and token.text not in defined:
                defined.add(token.text)
                yield offer(token.text, "name", self.range, detail="not yet defined", order=42)

    def _definitions(self) -> Iterator[Completion]:
        """A definition after the answer's type, for the names that lack one."""
        for one in self._missing_names():
            insert = f"{one.label} = " + ("${1:{ $2 \\}}" if self.request.snippets else "")
            yield offer(
                f"{one.label} = …",
                "snippet",
                self.range,
                insert=insert,
                is_snippet=self.request.snippets,
                detail="a definition",
            )

    def _owner(self) -> Token | None:
        owner = self.notation.frames[self.frame].owner
        return self.tokens[owner] if owner >= 0 else None

    def _constraints(self) -> Iterator[Completion]:
        owner = self._owner()
        present = {
            one.text for one in self.tokens if one.role == "constraint" and one.frame == self.frame
        }
        if self.current is not None and self.start < self.request.offset:
            present.discard(self.current.text)
        after = self.request.document.text[self.range.end : self.range.end + 2].lstrip()
        tail = "" if after.startswith(":") else ": "
        for order, (name, value) in enumerate(constraints_of(self._kind(owner)).items()):
            if name not in present:
                yield offer(
                    name,
                    "constraint",
                    self.range,
                    insert=name + tail,
                    detail=value,
                    documentation=said_of(words.CONSTRAINTS.get(name)),
                    order=order,
                )

    def _kind(self, owner: Token | None) -> str:
        """The kind of the type that braces follow."""
        if owner is None:
            return "any"
        if owner.role == "operator":
            kind = self.notation.frames[owner.frame].kind
            return "array" if kind == "array" else kind
        if owner.role == "literal":
            return "literal"
        if owner.text in ("time", "datetime"):
            return "moment"
        known = TYPES.get(owner.text)
        if known is not None:
            return str(known.get("type", "any"))
        return owner.text if owner.text in words.FORMS else "name"

    def _values(self) -> Iterator[Completion]:
        set_by = self._set_by()
        if set_by < 0:
            return
        token = self.tokens[set_by]
        if token.role == "constraint":
            yield from self._constraint_values(token)
            return
        schema = shape(self.typed).schema(set_by)
        if schema is None:
            return
        whole = Type(schema, {"$defs": shape(self.typed).definitions})
        known = literals(whole)
        if is_kind(whole, "boolean"):
            known = [True, False]
        may_be_null = "null" in str(schema.get("type", "")) or None in known
        known = [*known, *([None] if may_be_null and None not in known else [])]
        if is_kind(whole, "array"):
            yield offer("[]", "value", self.range)
        for order, one in enumerate(known):
            yield offer(json.dumps(one, ensure_ascii=False), "value", self.range, order=order)

    def _set_by(self) -> int:
        """The key or the constraint that a value belongs to."""
        frame = self.notation.frames[self.frame]
        if frame.kind in ("list", "map"):
            return frame.owner
        at = self.notation.before(self.start)
        while at >= 0:
            token = self.tokens[at]
            if token.frame == self.frame and token.role in ("key", "constraint"):
                return at
            at -= 1
        return -1

    def _constraint_values(self, token: Token) -> Iterator[Completion]:
        if token.text in ("unique", "zone"):
            yield offer("true", "value", self.range)
            yield offer("false", "value", self.range, order=1)
        if token.text == "lang":
            for name in _LANGUAGES:
                yield offer(f'"{name}"', "value", self.range)

    def _keys(self) -> Iterator[Completion]:
        if not self.request.snippets or self.range.start != self.range.end:
            return
        yield offer(
            "name: type",
            "snippet",
            self.range,
            insert="${1:name}: ${2:str},",
            is_snippet=True,
            detail="a field",
        )
        if self.typed.turn.role != "tools":
            yield offer(
                "[str]: type",
                "snippet",
                self.range,
                insert="[str]: ${1:any},",
                is_snippet=True,
                detail="all other keys",
            )
