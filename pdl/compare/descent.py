"""The structural descent: all differences of two schemas, by their paths, without verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.compare.differences import At, Pair, notes_drafts, same
from pdl.compare.drafts import Draft
from pdl.compare.members import array_tasks, matched, object_tasks
from pdl.compare.nodes import GROUPS, KEYWORDS, NEVER, Branch, cut, key, of_kind
from pdl.schema.json_values import json_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonSchema
    from pdl.compare.differences import Task
    from pdl.compare.nodes import Place, Side

_VALUES = 8  # listed values that a message shows
_TEXT = 60  # characters of a type that a message shows whole
_PLACES = 3  # further paths that a message names
_MEMBERS = frozenset(
    {
        *("properties", "required", "additionalProperties", "patternProperties"),
        *("minProperties", "maxProperties", "items", "prefixItems", "minItems", "maxItems"),
        "uniqueItems",
    }
)
"""The keywords of objects and arrays that have words of their own."""
_TOGETHER = (("contains", "minContains", "maxContains"),)
_SEQUENCES = ("allOf", "anyOf", "oneOf")


class Descent:
    """Walks two schemas in pairs; each pair of schemas is compared once, at its first path."""

    def __init__(self, old: Side, new: Side, root: str, noun: str) -> None:
        self._old, self._new, self._root, self._noun = old, new, root, noun
        self._seen: dict[tuple[int, int], tuple[JsonSchema, JsonSchema, str]] = {}
        self._again: dict[str, list[str]] = {}
        """The other paths of pairs of schemas that are used in several places, by their first."""
        self.is_monotone = True
        """Whether the whole includes what all parts include: not so within an exclusive `oneOf`."""

    def drafts(self) -> list[Draft]:
        """All differences, in the order of the documents."""
        found: list[Draft] = []
        paths: dict[int, str] = {}
        pending: list[Task] = [Pair(self._old.document, self._new.document, ("#", "#"), self._root)]
        while pending:
            task = pending.pop()
            if isinstance(task, Draft):
                found.append(task)
                continue
            tasks = list(self._pair(task))
            paths |= {id(one): task.path for one in tasks if isinstance(one, Draft)}
            pending += reversed(tasks)
        return [self._everywhere(one, paths[id(one)]) for one in found]

    def _everywhere(self, draft: Draft, path: str) -> Draft:
        """A difference of the pair of schemas at a path, with the other paths that it has."""
        others = [
            other + draft.path.removeprefix(first)
            for first, some in self._again.items()
            if _is_within(path, first)
            for other in some
        ]
        if not others:
            return draft
        named = ", ".join(f"`{one}`" for one in others[:_PLACES])
        rest = len(others) - _PLACES
        named += f" and {rest:,} more" if rest > 0 else ""
        return replace(draft, text=f"{draft.text} (also at {named})")

    def _pair(self, pair: Pair) -> Iterator[Task]:
        one = self._old.place(pair.old, pair.pointers[0])
        other = self._new.place(pair.new, pair.pointers[1])
        noun = self._noun if pair.path == self._root else "key"
        at = At(self._old, self._new, one.node, other.node,
                pair._replace(pointers=(one.pointer, other.pointer)), noun)  # fmt: skip
        pair_id = (id(one.node), id(other.node))
        if pair_id not in self._seen or one.own or other.own:
            yield from notes_drafts(at, one, other)
        if pair_id in self._seen:
            first = self._seen[pair_id][-1]
            if not _is_within(pair.path, first):  # in a recursive one it is the same difference
                self._again.setdefault(first, []).append(pair.path)
            return
        self._seen[pair_id] = (one.node, other.node, pair.path)
        yield from self._alternatives(at, one, other)

    def _alternatives(self, at: At, one: Place, other: Place) -> Iterator[Task]:
        """Null, which is an alternative of its own, and the others."""
        olds, news = self._old.branches(one.node), self._new.branches(other.node)
        nulls = [any(branch.kind == "null" for branch in some) for some in (olds, news)]
        if nulls[0] != nulls[1] and len(olds) + len(news) > 2:  # noqa: PLR2004 - more than two types
            yield from _alone(at, Branch("null", {"type": "null"}), is_added=nulls[1])
            olds, news = ([one for one in some if one.kind != "null"] for some in (olds, news))
        if len(olds) == len(news) == 1:
            yield from self._one_pair(at, olds[0], news[0])
            return
        found = matched(olds, news)
        for before, after, where in found.pairs:
            both = "; ".join(filter(None, (at.pair.where, where)))
            inner = replace(at, pair=at.pair._replace(where=both))
            yield from self._one_pair(inner, before, after)
        if len(found.removed) == len(found.added) == 1:
            yield _replaced(at, found.removed[0], found.added[0])
            return
        for branch in found.removed:
            yield from _alone(at, branch, is_added=False)
        for branch in found.added:
            yield from _alone(at, branch, is_added=True)

    def _one_pair(self, at: At, before: Branch, after: Branch) -> Iterator[Task]:
        if before.kind == after.kind == "enum":
            yield from _members(at, before.node["enum"], after.node["enum"])
        elif before.kind == after.kind and (before.node == NEVER) == (after.node == NEVER):
            yield from self._keywords(replace(at, one=before.node, other=after.node), before.kind)
        elif {before.kind, after.kind} == {"integer", "number"} and not _shared(before, after):
            yield _became(replace(at, one=before.node, other=after.node))
        else:
            yield _replaced(at, before, after)

    def _keywords(self, at: At, kind: str) -> Iterator[Task]:
        """The differences of two schemas of one kind, or of all kinds."""
        for name in KEYWORDS if kind == "any" else (kind,):
            if name in ("string", "number") or (name == "integer" and kind != "any"):
                yield from _scalar(at, name)
            elif name == "array":
                yield from array_tasks(at)
            elif name == "object":
                yield from object_tasks(at)
            yield from self._others(at, name)
        for group in GROUPS:
            yield from self._group(at, group, kind)

    def _others(self, at: At, name: str) -> Iterator[Task]:
        """Keywords of objects and arrays that are compared as they are."""
        if name not in ("array", "object"):
            return
        rest = [one for one in KEYWORDS[name] if one not in _MEMBERS]
        for group in _TOGETHER:
            if group[0] in rest:
                yield from self._group(at, group, name)
                rest = [one for one in rest if one not in group]
        for keyword in rest:
            if not keyword.startswith("unevaluated"):
                yield from self._group(at, (keyword,), name)
            elif not self._is_same(at, (keyword,)):  # it depends on its sibling keywords
                yield at.both(self._text(at, (keyword,)), at.one, at.other)

    def _group(self, at: At, group: tuple[str, ...], kind: str) -> Iterator[Task]:
        """Keywords without words of their own: a change tells both texts."""
        if self._is_same(at, group):
            return
        if group[0] in _SEQUENCES:
            olds, news = (list(one.get(group[0], ())) for one in (at.one, at.other))
            if len(olds) == len(news):
                self.is_monotone = self.is_monotone and group[0] != "oneOf"
                for index, (old, new) in enumerate(zip(olds, news, strict=True)):
                    where = tuple(f"{one}/{group[0]}/{index}" for one in at.pair.pointers)
                    yield at.pair._replace(old=old, new=new, pointers=(where[0], where[1]))
                return
        typed = {} if kind == "any" else {"type": kind}
        one, other = ({**typed, **some} for some in at.only(group))
        yield at.both(self._text(at, group), one, other)

    def _is_same(self, at: At, group: tuple[str, ...]) -> bool:
        one, other = at.only(group)
        return one.keys() == other.keys() and (not one or same(self._old, one, self._new, other))

    def _text(self, at: At, group: tuple[str, ...]) -> str:
        """What a group of keywords was and is, in words."""
        one, other = at.only(group)
        names = ", ".join(f"`{name}`" for name in group if name in one or name in other)
        was, now = at.words(one, other)
        if not one or not other:
            return f"{names} {'added' if other else 'removed'}: {now if other else was}"
        if was == now:
            return f"{names} changed in what it refers to: {now}"
        return f"{names} changed: {was} became {now}"


def _is_within(path: str, outer: str) -> bool:
    return path.startswith(outer) and path[len(outer) : len(outer) + 1] in ("", ".", "[")


def _shared(*branches: Branch) -> bool:
    """Whether a schema of numbers has keywords that bear on all kinds."""
    return any(one.node.keys() - {"type", *KEYWORDS["number"]} for one in branches)


def _alone(at: At, branch: Branch, *, is_added: bool) -> Iterator[Draft]:
    """An alternative that only one side has."""
    words = _branch_words(at.new if is_added else at.old, branch)
    if is_added:
        yield at.draft(f"added {words}", gained=(branch.node, at.one), new=words)
    else:
        yield at.draft(f"removed {words}", lost=(branch.node, at.other), old=words)


def _branch_words(side: Side, branch: Branch) -> str:
    if branch.kind == "object" and branch.name:
        return branch.name.rstrip("'")  # which ends the names of definitions that callers see
    return side.words(branch.node)


def _replaced(at: At, before: Branch, after: Branch) -> Draft:
    was, now = _branch_words(at.old, before), _branch_words(at.new, after)
    if was == "nothing" or now == "nothing":
        text = f"now allowed: {now}" if was == "nothing" else f"no longer allowed: {was}"
    else:
        text = f"{was} became {now}"
    return at.draft(text, (before.node, at.other), (after.node, at.one), old=was, new=now)


def _members(at: At, olds: list[Json], news: list[Json]) -> Iterator[Draft]:
    """Listed values that were removed and added."""
    before, after = ({key(one): one for one in some} for some in (olds, news))
    removed = [one for text, one in before.items() if text not in after]
    added = [one for text, one in after.items() if text not in before]
    was, now = _values(at.old, removed), _values(at.new, added)
    texts = [f"removed {was}"] if removed else []
    texts += [f"added {now}"] if added else []
    if texts:
        yield at.draft(
            ", ".join(texts),
            ({"enum": removed}, at.other) if removed else None,
            ({"enum": added}, at.one) if added else None,
            old=was,
            new=now,
        )


def _values(side: Side, values: list[Json]) -> str:
    """Listed values, the first ones of many."""
    shown = ", ".join(
        cut(json_line(one)) if isinstance(one, dict | list) else side.words({"const": one})
        for one in values[:_VALUES]
    )
    rest = len(values) - _VALUES
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def _scalar(at: At, kind: str) -> Iterator[Draft]:
    one, other = at.only(KEYWORDS[kind])
    if key(one) != key(other):
        typed = replace(at, one=of_kind(one, kind), other=of_kind(other, kind))
        yield _became(typed, is_typed="type" in at.one)


def _became(at: At, *, is_typed: bool = True) -> Draft:
    """One scalar type became another one: in the DSL, by keywords if that is long."""
    was, now = at.words(at.one, at.other)
    text = f"{was} became {now}"
    is_long = max(len(was), len(now)) > _TEXT
    if not is_typed or is_long or was == now or was.startswith('{"') or now.startswith('{"'):
        names = [name for name in dict.fromkeys([*at.one, *at.other])
                 if key(at.one.get(name)) != key(at.other.get(name))]  # fmt: skip
        text = ", ".join(_keyword_text(name, at) for name in names)
    return at.both(text, at.one, at.other, old=was, new=now)


def _keyword_text(name: str, at: At) -> str:
    was, now = (cut(str(one.get(name)), _TEXT) for one in (at.one, at.other))
    if name not in at.one:
        return f"`{name}` {now} added"
    if name not in at.other:
        return f"`{name}` {was} removed"
    return f"`{name}` {was} became {now}"
