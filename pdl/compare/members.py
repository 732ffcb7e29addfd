"""The differences of two objects and of two arrays, and the alternatives of two unions in pairs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from pdl.compare.differences import size_words
from pdl.compare.nodes import ANY, Part, constants, key
from pdl.schema.patterns import matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl._types import Json, JsonSchema
    from pdl.compare.differences import At, Task
    from pdl.compare.drafts import Draft
    from pdl.compare.nodes import Branch


class _Field(NamedTuple):
    """What an object says of a key: the schema of its value, whether it names the key."""

    schema: Json
    is_declared: bool
    is_required: bool


def object_tasks(at: At) -> Iterator[Task]:
    """The differences of two objects, and the schemas inside to be compared."""
    required = [frozenset(one.get("required", ())) for one in (at.one, at.other)]
    names = [dict.fromkeys([*one.get("properties", ()), *one.get("required", ())])
             for one in (at.one, at.other)]  # fmt: skip
    for name in dict.fromkeys([*names[0], *names[1]]):
        before = _field(at.one, name, name in required[0])
        after = _field(at.other, name, name in required[1])
        yield from _key_tasks(at, name, before, after)
    yield from _order(at)
    yield from _pattern_tasks(at)
    yield from _rest_tasks(at)
    yield from _size_drafts(at, "Properties", at.noun)


def _field(node: JsonSchema, name: str, required: bool) -> _Field:  # noqa: FBT001
    properties = node.get("properties", {})
    if name in properties:
        return _Field(properties[name], True, required)  # noqa: FBT003
    patterns = node.get("patternProperties", {})
    found = [inner for pattern, inner in patterns.items() if matches(pattern, name)]
    if not found:
        found = [node.get("additionalProperties", True)]
    return _Field(found[0] if len(found) == 1 else {"allOf": found}, False, required)  # noqa: FBT003


def _key_tasks(at: At, name: str, before: _Field, after: _Field) -> Iterator[Task]:
    step = at.inner("member", name)
    if before.is_declared != after.is_declared:
        yield _added_or_removed(at, name, before, after)
    elif before.is_required != after.is_required:
        was, now = (_object_of(name, before.schema, one.is_required) for one in (before, after))
        words = "became required" if after.is_required else "became optional"
        needs = {"old": _requirement(before), "new": _requirement(after)}
        yield at.within_old(words, was, now, step=step, **at.at_key(name), **needs)
    if before.is_declared and after.is_declared:
        inner = ("properties", name)
        yield at.below(before.schema, after.schema, inner, at.inner("key", name))


def _added_or_removed(at: At, name: str, before: _Field, after: _Field) -> Draft:
    is_added = after.is_declared
    field, side = (after, at.new) if is_added else (before, at.old)
    words = side.words(field.schema)
    need = _requirement(field)
    text = f"{need} {at.noun} {'added' if is_added else 'removed'} ({words})"
    if words == "nothing":
        text = f"{at.noun} {'ruled out' if is_added else 'no longer ruled out'}"
    place = side.place(field.schema, "")
    return at.both(
        text,
        _object_of(name, before.schema, before.is_required),
        _object_of(name, after.schema, after.is_required),
        **at.at_key(name),
        step=at.inner("member", name),
        role="added" if is_added else "removed",
        key=name,
        holds=Part(side, place.node),
        notes=str(place.notes.get("description", "")),
        **{"new" if is_added else "old": words},
    )


def _requirement(field: _Field) -> str:
    return "required" if field.is_required else "optional"


def _object_of(name: str, schema: Json, required: bool) -> JsonSchema:  # noqa: FBT001
    """An object of which only one key matters."""
    need = {"required": [name]} if required else {}
    return {"type": "object", "properties": {name: schema}, **need}


def _order(at: At) -> Iterator[Draft]:
    """The order of the keys on both sides, in which models are told to write them."""
    olds, news = at.one.get("properties", {}), at.other.get("properties", {})
    before, after = [one for one in olds if one in news], [one for one in news if one in olds]
    if before != after:
        moved = [at for at, (one, other) in enumerate(zip(before, after, strict=True))
                 if one != other]  # fmt: skip
        some = slice(moved[0], moved[-1] + 1)
        texts = [", ".join(f"`{name}`" for name in names[some]) for names in (before, after)]
        yield at.draft(
            f"order of {at.noun}s {texts[0]} became {texts[1]}", old=texts[0], new=texts[1]
        )


def _pattern_tasks(at: At) -> Iterator[Task]:
    olds, news = at.one.get("patternProperties", {}), at.other.get("patternProperties", {})
    for pattern in dict.fromkeys([*olds, *news]):
        if pattern in olds and pattern in news:
            step = at.inner("pattern", pattern)
            yield at.below(olds[pattern], news[pattern], ("patternProperties", pattern), step)
            continue
        side, found = (at.new, news) if pattern in news else (at.old, olds)
        done = "added" if pattern in news else "removed"
        some = at.only(("patternProperties", "additionalProperties"))
        was, now = ({"type": "object", **one} for one in some)
        text = f"{at.noun}s that match {pattern} {done} ({side.words(found[pattern])})"
        yield at.both(text, was, now, step=at.inner("rest", ""))


def _rest_tasks(at: At) -> Iterator[Task]:
    """What may be added to the keys that an object names."""
    before, after = (one.get("additionalProperties", True) for one in (at.one, at.other))
    if (before is False) == (after is False):
        step = at.inner("other", "")
        yield at.below(before, after, ("additionalProperties",), step)
        return
    was, now = ({"type": "object", "additionalProperties": one} for one in (before, after))
    side, rest = (at.old, before) if after is False else (at.new, after)
    words = side.words(rest)
    allowed = "" if words == "any" else f" ({words})"
    text = f"{'closed to' if after is False else 'opened to'} other {at.noun}s{allowed}"
    yield at.both(text, was, now, step=at.inner("rest", ""))


def array_tasks(at: At) -> Iterator[Task]:
    """The differences of two arrays, and the schemas inside to be compared."""
    prefixes = [one.get("prefixItems", ()) for one in (at.one, at.other)]
    length = max(map(len, prefixes))
    for index in range(length):
        before, after = (
            prefix[index] if index < len(prefix) else one.get("items", ANY)
            for prefix, one in zip(prefixes, (at.one, at.other), strict=True)
        )
        yield at.below(before, after, ("prefixItems", index), at.inner("item", index))
    items = [one.get("items", ANY) for one in (at.one, at.other)]
    yield at.below(items[0], items[1], ("items",), at.inner("item", length))
    yield from _size_drafts(at, "Items", "item")
    unique = [bool(one.get("uniqueItems")) for one in (at.one, at.other)]
    if unique[0] != unique[1]:
        text = "items must be unique" if unique[1] else "items no longer have to be unique"
        yield at.within_old(text, at.one, {**at.one, "uniqueItems": unique[1]})


def _size_drafts(at: At, keyword: str, noun: str) -> Iterator[Draft]:
    low, high = f"min{keyword}", f"max{keyword}"
    before, after = ([one.get(name) for name in (low, high)] for one in (at.one, at.other))
    if key(before) != key(after):
        texts = [size_words(_tuple_size(one, bounds), noun)
                 for one, bounds in ((at.one, before), (at.other, after))]  # fmt: skip
        rest = {name: value for name, value in at.one.items() if name not in (low, high)}
        sizes = {name: at.other[name] for name in (low, high) if name in at.other}
        more: dict[str, Any] = {"old": texts[0], "new": texts[1]}
        yield at.within_old(f"{texts[0]} became {texts[1]}", at.one, {**rest, **sizes}, **more)


def _tuple_size(node: JsonSchema, bounds: list[Json]) -> list[Json]:
    """The bounds of a size, with the length of a tuple as the upper one."""
    low, high = bounds
    if high is None and node.get("items") is False and "minItems" in node:
        high = len(node.get("prefixItems", ()))
    return [low, high]


class Matched(NamedTuple):
    """Pairs of alternatives, each with words that tell it from the others; and those alone."""

    pairs: list[tuple[Branch, Branch, str]]
    removed: list[Branch]
    added: list[Branch]


def matched(old: Iterable[Branch], new: Iterable[Branch]) -> Matched:
    """Pair alternatives: equal ones, by a constant, by the name of a definition, by type."""
    olds, news = list(old), list(new)
    tag = _tag(olds, news)
    found: list[tuple[Branch, Branch]] = []
    ways: tuple[Callable[[Branch], str], ...] = (
        lambda one: key({"kind": one.kind, **one.node}),
        lambda one: constants(one).get(tag, "") if tag else "",
        lambda one: one.name,
        lambda one: "number" if one.kind == "integer" else one.kind,
    )
    for way in ways:
        found += _paired(olds, news, way)
    pairs = [(one, other, _where(one, other, tag)) for one, other in found]
    return Matched(pairs, olds, news)


def _paired(
    olds: list[Branch], news: list[Branch], way: Callable[[Branch], str]
) -> list[tuple[Branch, Branch]]:
    """Pairs that agree in one way, and each alone on its side; they are taken off the lists."""
    counts = [Counter(map(way, some)) for some in (olds, news)]
    shared = {one for one in counts[0] if one and counts[0][one] == counts[1].get(one) == 1}
    by_key = {way(one): one for one in news}
    found = [(one, by_key[way(one)]) for one in olds if way(one) in shared]
    olds[:] = [one for one in olds if way(one) not in shared]
    news[:] = [one for one in news if way(one) not in shared]
    return found


def _tag(olds: list[Branch], news: list[Branch]) -> str:
    """The key whose constant distinguishes most of the alternatives, empty if there isn't one."""
    counts = Counter(
        name for some in (olds, news) for one in some if one.kind == "object"
        for name in constants(one)
    )  # fmt: skip
    return max(counts, key=lambda name: (counts[name], name), default="")


def _where(one: Branch, other: Branch, tag: str) -> str:
    """Words that tell which alternative of several objects is meant."""
    told = constants(one).get(tag)
    if one.kind == "object" and told and constants(other).get(tag) == told:
        return f"where `{tag}` is {told}"
    return ""
