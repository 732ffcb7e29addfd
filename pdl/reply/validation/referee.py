"""The violations of a value that does not fit, with jsonschema as the referee.

Its Draft202012Validator, extended by our patterns, formats, and decimals, judges each part of the
value by itself. This module walks from subschemas to parts and asks the compiled tests first: each
part that does not fit is looked at once by each of its subschemas, and only the nearest branch of a
union is reported.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl._types import Json, JsonPath
from pdl.reply.phrases import brief, kinds, row, say
from pdl.reply.result import Violation
from pdl.reply.validation import messages
from pdl.reply.validation.compiled import Validator, rest_of, validator_of
from pdl.reply.validation.json_types import KINDS, equal, key, kind_of
from pdl.reply.validation.keywords import ARRAY, assertion
from pdl.reply.validation.messages import MOST, violation
from pdl.reply.validation.schema_walk import (
    Document,
    conjoined,
    literals,
    literals_of,
    of_index,
    of_key,
    resolve,
    root_kinds,
    type_names,
)
from pdl.schema.keywords import DRAFT_4_INTEGER, ONE_SCHEMA, SCHEMA_ARRAYS, SCHEMA_MAPS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from pdl.reply.validation.keywords import Memo

Task: TypeAlias = tuple[Json, Json, JsonPath]
"""A subschema, a part of the value that does not fit it, and the path of that part."""

Found: TypeAlias = "Iterator[Violation | Task]"
Tag: TypeAlias = "tuple[str, bool, dict[Hashable, tuple[int, Json]]]"
"""A key that distinguishes the branches of a union, as `kind` or `type` often does.

With whether all of them require it, and the number of the branch for each of its values.
"""

TagOf: TypeAlias = "Callable[[list[Json]], Tag | None]"

_KEPT = 60  # violations of one branch of a union that are collected


def violations_of(document: Document, value: Json) -> tuple[Violation, ...]:
    """All that is wrong with a value, in the order of its parts; an empty tuple if it fits."""
    return tuple(_in_order(value, Referee(validator_of(document)).violations(document, value)))


def _in_order(value: Json, found: list[Violation]) -> list[Violation]:
    """Violations of a part before those of the next one, and of a whole before its parts."""
    positions: dict[int, dict[Any, int]] = {}

    def place(violation: Violation) -> list[Any]:
        at: list[Any] = []
        part = value
        for step in violation.path:
            if isinstance(part, dict) and id(part) not in positions:
                positions[id(part)] = {name: number for number, name in enumerate(part)}
            at.append(positions[id(part)][step] if isinstance(part, dict) else step)
            part = part[step]
        return at

    return sorted(found, key=place)


class Referee:
    """Finds the violations of one value by any subschema of a document."""

    def __init__(self, validator: Validator) -> None:
        self._validator = validator
        self._document = validator.document
        self._suggestions = messages.Suggestions()
        self._memo: Memo = {}
        self._branches: dict[tuple[int, JsonPath], list[Violation]] = {}
        self._choices: dict[int, frozenset[Hashable]] = {}
        self._tags: dict[int, Tag | None] = {}

    def violations(
        self, schema: Json, value: Json, path: JsonPath = (), most: int = MOST
    ) -> list[Violation]:
        """The violations of a part by a subschema, each once, at most `most`."""
        found: dict[tuple[JsonPath, str, str], Violation] = {}
        seen: set[tuple[int, JsonPath]] = set()
        pending: list[Task] = [(schema, value, path)]
        while pending and len(found) < most:
            sub, part, at = pending.pop()
            if (id(sub), at) in seen or self._fits(sub, part):
                continue
            seen.add((id(sub), at))
            further: list[Task] = []
            for one in self._look(sub, part, at):
                if isinstance(one, Violation):
                    found.setdefault((one.path, one.keyword, one.message), one)
                else:
                    further.append(one)
                if len(found) >= most:
                    break
            pending += reversed(further)
        if not found and not self._fits(schema, value):  # a cycle of references
            return [violation("schema", path, value, say("a-fit"), say("misfit"))]
        return list(found.values())

    def _fits(self, schema: Json, value: Json) -> bool:
        return self._validator.fits(schema, value, self._memo)

    def _look(self, schema: Json, value: Json, path: JsonPath) -> Found:
        """The violations of the part itself, and the remaining tasks."""
        if schema is False:
            yield messages.unwelcome("false", value, path)
            return
        failed = {error.validator for error in _judge()(schema).iter_errors(value)}
        literal = list(self._literal(schema, value, path))
        yield from literal
        if "type" not in failed:
            for word in messages.ASSERTIONS:
                if word in failed:
                    yield from messages.violated(word, schema[word], value, path)
            yield from self._applied(schema, value, path)
        elif not literal:  # literals say more than their types
            yield messages.wrong_type(schema["type"], value, path)

    def _literal(
        self, schema: Mapping[str, Any], value: Json, path: JsonPath
    ) -> Iterator[Violation]:
        """`const`, `enum`."""
        if "const" in schema and not equal(value, schema["const"]):
            yield self._suggestions.not_among("const", [schema["const"]], value, path)
        if "enum" in schema:
            choices = schema["enum"]
            if id(choices) not in self._choices:
                self._choices[id(choices)] = frozenset(map(key, choices))
            if key(value) not in self._choices[id(choices)]:
                yield self._suggestions.not_among("enum", choices, value, path)

    # The applicators (2020-12 core, 10 and 11)

    def _applied(self, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
        if "$ref" in schema:
            yield resolve(self._document, schema["$ref"]), value, path
        if isinstance(value, dict):
            yield from self._properties(schema, value, path)
        elif isinstance(value, ARRAY):
            yield from self._items(schema, value, path)
        yield from ((sub, value, path) for sub in schema.get("allOf", ()))
        for word in ("anyOf", "oneOf"):
            if word in schema:
                yield from self._union(word, schema[word], value, path)
        if "not" in schema and self._fits(schema["not"], value):
            yield messages.forbidden(schema["not"], value, path)
        if "if" in schema:
            word = "then" if self._fits(schema["if"], value) else "else"
            yield schema.get(word, True), value, path
        if "unevaluatedProperties" in schema or "unevaluatedItems" in schema:
            yield from self._unevaluated(schema, value, path)

    def _properties(
        self, schema: Mapping[str, Any], value: dict[str, Json], path: JsonPath
    ) -> Found:
        known = schema.get("properties", {})
        extra: list[str] = []
        for name, part in value.items():
            subs = of_key(schema, name)
            if subs == [False] and name not in known:
                extra.append(name)
            elif part is None and name in known and name not in schema.get("required", ()):
                yield from self._needless_null(subs, (*path, name))
            else:
                yield from ((sub, part, (*path, name)) for sub in subs)
            if "propertyNames" in schema and not self._fits(schema["propertyNames"], name):
                yield self._bad_name(schema["propertyNames"], name, path)
        if extra:
            absent = [name for name in known if name not in value] or list(known)
            yield self._suggestions.unnecessary("additionalProperties", extra, absent, value, path)
        for name, sub in schema.get("dependentSchemas", {}).items():
            if name in value:
                yield sub, value, path

    def _needless_null(self, subs: Iterable[Json], path: JsonPath) -> Iterator[Violation]:
        """The violations of null for an optional key; models write it for a missing value."""
        for sub in subs:
            for found in self.violations(sub, None, path):
                yield replace(found, message=say("or-left-out", why=found.message))

    def _bad_name(self, schema: Json, name: str, path: JsonPath) -> Violation:
        why = self.violations(schema, name, (*path, name))[0]
        message = say("bad-key-why", found=brief(name), why=why.message)
        return violation("propertyNames", path, name, why.wanted, message)

    def _items(self, schema: Mapping[str, Any], value: Sequence[Json], path: JsonPath) -> Found:
        most = len(schema.get("prefixItems", ()))
        if schema.get("items") is False and len(value) > most:
            yield from messages.violated("items", most, value, path)
            value = value[:most]
        for index, part in enumerate(value):
            yield from ((sub, part, (*path, index)) for sub in of_index(schema, index))
        if "contains" in schema:
            fitting = sum(self._fits(schema["contains"], part) for part in value)
            yield from messages.contained(schema, fitting, value, path)

    def _unevaluated(self, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
        word = "unevaluatedProperties" if isinstance(value, dict) else "unevaluatedItems"
        if word not in schema or not isinstance(value, (dict, *ARRAY)):
            return
        rest = rest_of(self._document, self._validator.cell, schema, value, self._memo)
        if schema[word] is False and rest and isinstance(value, dict):
            yield self._suggestions.unnecessary(word, rest, [], value, path)
        else:
            yield from ((schema[word], value[step], (*path, step)) for step in rest)

    # Unions: which branch was meant

    def _union(self, word: str, schemas: list[Json], value: Json, path: JsonPath) -> Found:
        fitting = [str(at) for at, sub in enumerate(schemas, 1) if self._fits(sub, value)]
        if fitting:
            if word == "oneOf" and len(fitting) > 1:
                yield messages.several_fit(len(schemas), fitting, value, path)
            return
        tag = self._tag(schemas) if isinstance(value, dict) else None
        if tag is None or not (tag[1] or value.get(tag[0]) is not None):
            yield from self._nearest(word, schemas, value, path)
            return
        name, _, branches = tag
        if name not in value:
            values = [literal for _, literal in branches.values()]
            yield messages.missing_tag(name, values, value, path)
        elif (meant := branches.get(key(value[name]))) is None:
            values = [literal for _, literal in branches.values()]
            yield self._suggestions.not_among("enum", values, value[name], (*path, name))
        else:
            yield schemas[meant[0]], value, path

    def _tag(self, schemas: list[Json]) -> Tag | None:
        if id(schemas) not in self._tags:
            self._tags[id(schemas)] = None  # for a union that contains itself
            self._tags[id(schemas)] = _tag(self._document, schemas, self._tag)
        return self._tags[id(schemas)]

    def _nearest(self, word: str, schemas: list[Json], value: Json, path: JsonPath) -> Found:
        """The violations of the branch that is nearest to the value: by type, then by number."""
        if isinstance(value, (dict, *ARRAY)):
            kind = kind_of(value)
            fitting = [sub for sub in schemas if kind in root_kinds(self._document, sub)]
            if len(fitting) == 1:
                yield fitting[0], value, path
                return
        found = [(sub, errors) for sub in schemas if (errors := self._branch(sub, value, path))]
        meant = [errors for _, errors in found if not _is_alone(errors, path, _PLAIN)]
        if not meant:
            yield self._merged(word, found, value, path)
        elif len(meant) > 1 and all(_is_alone(errors, path, _BOUNDS) for errors in meant):
            wanted = row(dict.fromkeys(errors[0].wanted for errors in meant), "list-or")
            yield messages.must_be(word, path, value, wanted)
        else:
            if len(meant) > 1:
                yield messages.fits_none(word, len(meant), value, path)
            yield from min(meant, key=lambda errors: _distance(errors, path))

    def _branch(self, schema: Json, value: Json, path: JsonPath) -> list[Violation]:
        """The violations of a branch, which are looked for once at each part of the value."""
        mark = id(schema), path
        if mark not in self._branches:
            self._branches[mark] = []  # for a branch that refers to itself
            self._branches[mark] = self.violations(schema, value, path, _KEPT)
        return self._branches[mark]

    def _merged(
        self, word: str, found: list[tuple[Json, list[Violation]]], value: Json, path: JsonPath
    ) -> Violation:
        """One violation for branches that all expect another type or another literal."""
        names: dict[str, None] = {}
        choices: list[Json] = []
        for sub, [error] in found:
            if error.keyword == "type":
                names.update(dict.fromkeys(type_names(self._document, sub)))
            else:
                choices += literals(self._document, sub)
        if not choices:
            return messages.wrong_type(list(names), value, path)
        if not names:
            return self._suggestions.not_among(word, choices, value, path)
        wanted = row(
            dict.fromkeys([*map(brief, choices), *(kinds([name]) for name in names)]), "list-or"
        )
        return messages.must_be(word, path, value, wanted)


_PLAIN = frozenset(["type", "enum", "const", "false"])
_BOUNDS = frozenset(
    (
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("multipleOf", "format", "pattern"),
    )
)
_KEYS = frozenset(["required", "additionalProperties", "unevaluatedProperties"])


def _is_alone(errors: list[Violation], path: JsonPath, keywords: frozenset[str]) -> bool:
    """Whether there is one thing wrong with the part itself, by one of some keywords."""
    return len(errors) == 1 and errors[0].path == path and errors[0].keyword in keywords


def _distance(errors: list[Violation], path: JsonPath) -> tuple[bool, int, int]:
    """How far a value is from a branch: another type, other keys, more violations."""
    plain = [len(fault.path) - len(path) for fault in errors if fault.keyword in _PLAIN]
    keys = sum(fault.keyword in _KEYS for fault in errors)
    return 0 in plain, keys + plain.count(1), len(errors)


def _tag(document: Document, schemas: list[Json], inner: TagOf) -> Tag | None:
    """The first key that distinguishes the branches that are objects, if there is one.

    Rather one that all of them require. `inner` is asked for those of unions in them.
    """
    objects = {
        number: _tags(document, sub, inner)
        for number, sub in enumerate(schemas)
        if "object" in root_kinds(document, sub)
    }
    tags: list[Tag] = []
    for name in next(iter(objects.values()), ()) if len(objects) > 1 else ():
        found: dict[Hashable, tuple[int, Json]] = {}
        given = {at: keys[name] for at, keys in objects.items() if name in keys}
        pairs = [(at, one) for at, (_, values) in given.items() for one in values]
        shared = [key(one) for at, one in pairs if found.setdefault(key(one), (at, one))[0] != at]
        if not shared and objects.keys() == given.keys():
            tags.append((name, all(is_required for is_required, _ in given.values()), found))
    return max(tags, key=lambda tag: tag[1], default=None)


def _tags(document: Document, schema: Json, inner: TagOf) -> dict[str, tuple[bool, list[Json]]]:
    """The keys of a branch that have an enum or a constant: whether required, and its values."""
    whole = list(conjoined(document, schema))
    required = {name for part in whole for name in part.get("required", ())}
    found: dict[str, tuple[bool, list[Json]]] = {}
    for name, sub in chain.from_iterable(part.get("properties", {}).items() for part in whole):
        values = [literals_of(part) for part in conjoined(document, sub)]
        if any(values):
            found.setdefault(name, (name in required, next(filter(None, values))))
    for union in (part[word] for part in whole for word in ("anyOf", "oneOf") if word in part):
        if tag := inner(union):
            name, is_required, branches = tag
            found.setdefault(name, (is_required, [one for _, one in branches.values()]))
    return found


# jsonschema, as it judges a value by itself


_OWN = ("multipleOf", "pattern", "format", "uniqueItems", DRAFT_4_INTEGER)
"""Keywords of ours, where jsonschema does not bound the time, or rounds."""

_APART = ONE_SCHEMA | SCHEMA_ARRAYS | SCHEMA_MAPS | {"$ref", "$dynamicRef", "const", "enum"}
"""Keywords that the referee handles: those with schemas, and literals, which can be many."""


@cache
def _judge() -> Any:
    """The class of jsonschema's validators; importing it takes 60 ms."""
    from jsonschema import (  # noqa: PLC0415 - most replies fit
        Draft202012Validator,
        TypeChecker,
        ValidationError,
        validators,
    )

    def look(word: str) -> Callable[..., Iterator[ValidationError]]:
        def own(_: object, limit: Any, value: Json, __: object) -> Iterator[ValidationError]:
            if not assertion(word, limit)(value, {}):
                yield ValidationError("")

        return own

    types: Any = {name: lambda _, value, fits=fits: fits(value) for name, fits in KINDS.items()}
    words: dict[str, Any] = {word: look(word) for word in _OWN}
    words |= dict.fromkeys(_APART, lambda *_: ())
    extend: Any = validators.extend
    return extend(Draft202012Validator, words, type_checker=TypeChecker(types))
