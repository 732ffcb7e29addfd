"""What the descent works on: two schemas at one path, and how differences of them are written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl._types import format_path
from pdl.compare.drafts import Draft, Step
from pdl.compare.nodes import Part, assertions, key, quoted
from pdl.errors import count
from pdl.schema.describe import counted
from pdl.schema.keywords import ONE_SCHEMA, SCHEMA_ARRAYS, SCHEMA_MAPS, pointer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pdl._types import Json, JsonSchema
    from pdl.compare.nodes import Place, Side


class Pair(NamedTuple):
    """Two schemas to be compared: their pointers, the path, and the steps that lead there.

    `where` says in words which alternatives of unions are meant.
    """

    old: Json
    new: Json
    pointers: tuple[str, str]
    path: str
    step: Step | None = None
    where: str = ""


Task: TypeAlias = Draft | Pair


@dataclass(frozen=True, eq=False)
class At:
    """Two alternatives of one kind: the keywords of each, `one` the old ones and `other` the new.

    `noun` names the keys of an object: `key`, `input`, `argument`.
    """

    old: Side
    new: Side
    one: JsonSchema
    other: JsonSchema
    pair: Pair
    noun: str = "key"

    def draft(
        self,
        text: str,
        lost: tuple[Json, Json] | None = None,
        gained: tuple[Json, Json] | None = None,
        **more: Any,
    ) -> Draft:
        """A difference: `lost` are an old and a new schema, `gained` a new and an old one."""
        where = f", {self.pair.where}" if self.pair.where else ""
        made = Draft(
            self.pair.path,
            text + where,
            lost=lost and (Part(self.old, lost[0]), Part(self.new, lost[1])),
            gained=gained and (Part(self.new, gained[0]), Part(self.old, gained[1])),
            step=self.pair.step,
            pointers=self.pair.pointers,
        )
        return replace(made, **more)

    def both(self, text: str, one: Json, other: Json, **more: Any) -> Draft:
        """A difference of an old and a new schema, in both directions."""
        return self.draft(text, (one, other), (other, one), **more)

    def within_old(self, text: str, one: JsonSchema, other: JsonSchema, **more: Any) -> Draft:
        """A difference of two schemas that both have the references of the old side."""
        was, now = Part(self.old, one), Part(self.old, other)
        return replace(self.draft(text, **more), lost=(was, now), gained=(now, was))

    def below(self, old: Json, new: Json, keyword: tuple[str | int, ...], step: Step) -> Pair:
        """Two schemas inside, under the same keyword."""
        path = self.pair.path + _shown_step(step)
        pointers = (self._pointer(0, *keyword), self._pointer(1, *keyword))
        return Pair(old, new, pointers, path, step, self.pair.where)

    def inner(self, how: Any, at: str | int) -> Step:
        """The step to something inside."""
        return Step(self.pair.step, how, at, self.one, self.other)

    def _pointer(self, side: int, *keyword: str | int) -> str:
        return self.pair.pointers[side] + pointer(keyword).removeprefix("#")

    def at_key(self, name: str) -> dict[str, Any]:
        """The path and the positions of a key, as further arguments of a draft."""
        where = tuple(
            self._pointer(side, "properties", name) if name in node.get("properties", {})
            else self.pair.pointers[side]
            for side, node in enumerate((self.one, self.other))
        )  # fmt: skip
        return {"path": self.pair.path + format_path((name,))[1:], "pointers": where}

    def only(self, keywords: tuple[str, ...]) -> tuple[JsonSchema, JsonSchema]:
        """Some keywords of both alternatives, where they have them."""
        one, other = (
            {name: node[name] for name in keywords if name in node}
            for node in (self.one, self.other)
        )
        return one, other

    def words(self, one: Json, other: Json) -> tuple[str, str]:
        """An old and a new schema as their authors write them."""
        return self.old.words(one), self.new.words(other)


def _shown_step(step: Step) -> str:
    match step.how:
        case "item":
            fixed = max(len(one.get("prefixItems", ())) for one in (step.old, step.new))
            return f"[{step.at}]" if isinstance(step.at, int) and step.at < fixed else "[*]"
        case "other":
            return ".*"
        case "pattern":
            return f"[/{step.at}/]"
    return format_path((step.at,))[1:]


def size_words(bounds: list[Json], noun: str) -> str:
    """Bounds of a size: `1 to 5 items`."""
    low, high = bounds
    if high is not None and low == high:
        return f"exactly {count(high, noun)}"
    return counted(low, high, noun) or f"any number of {noun}s"


def notes_drafts(at: At, old: Place, new: Place) -> Iterator[Draft]:
    """The annotations that changed, which have no effect on values."""
    for name in dict.fromkeys([*old.notes, *new.notes]):
        before, after = (one.notes.get(name, _ABSENT) for one in (old, new))
        if before is not _ABSENT and after is not _ABSENT and key(before) == key(after):
            continue
        texts = ["" if one is _ABSENT else quoted(one) for one in (before, after)]
        if before is _ABSENT:
            told = f"{name} added: {texts[1]}"
        elif after is _ABSENT:
            told = f"{name} removed: {texts[0]}"
        else:
            told = f"{name} {texts[0]} became {texts[1]}"
        yield at.draft(told, old=texts[0], new=texts[1])


_ABSENT: Json = object()


def same(old: Side, one: Json, new: Side, other: Json) -> bool:
    """Whether two schemas say the same about values in the same structure, references resolved.

    A pair that comes up again is taken for equal (Amadio and Cardelli, Subtyping recursive types,
    1993).
    """
    pending: list[tuple[Json, Json]] = [(one, other)]
    seen: dict[tuple[int, int], tuple[Json, Json]] = {}
    while pending:
        before, after = (
            side.place(node, "").node for side, node in zip((old, new), pending.pop(), strict=True)
        )
        if (id(before), id(after)) in seen:
            continue
        seen[id(before), id(after)] = (before, after)
        found = _inner_pairs(before, after)
        if found is None:
            return False
        pending += found
    return True


def _inner_pairs(before: JsonSchema, after: JsonSchema) -> list[tuple[Json, Json]] | None:
    """The schemas inside two schemas in pairs; None if the schemas differ in another way."""
    one, other = assertions(before), assertions(after)
    if one.keys() != other.keys():
        return None
    found: list[tuple[Json, Json]] = []
    for name, value in one.items():
        against = other[name]
        if name in ONE_SCHEMA:
            found.append((value, against))
        elif name in SCHEMA_ARRAYS:
            if len(value) != len(against):
                return None
            found += zip(value, against, strict=True)
        elif name in SCHEMA_MAPS:
            if value.keys() != against.keys():
                return None
            found += [(inner, against[step]) for step, inner in value.items()]
        elif key(_sorted(name, value)) != key(_sorted(name, against)):
            return None
    return found


def _sorted(name: str, value: Json) -> Json:
    """A value whose order has no meaning, in one order."""
    return sorted(value, key=key) if name in _SETS and isinstance(value, list) else value


_SETS = frozenset({"enum", "required", "type"})
