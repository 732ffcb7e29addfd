"""A difference that was found, and what it does: the verdict, and answers that show it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Literal, NamedTuple

from pdl.compare.inclusion import decide
from pdl.compare.nodes import NOTHING, Part, Side, cut
from pdl.compare.verdicts import Change, Inclusion, No, Unknown, Verdict, Yes, verdict_of
from pdl.gbnf.limits_errors import Clock
from pdl.reply import check
from pdl.reply.validation.compiled import validator_of
from pdl.schema import Schema
from pdl.schema.json_values import compact_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json, JsonSchema
    from pdl.compare.verdicts import Audience
    from pdl.compare.verdicts import Part as PartName
    from pdl.limits import Limits
    from pdl.source import Span

_DOING = "comparing the schemas"
_SHOWN = 60  # characters of an answer in a message
_LARGE = 200  # characters of an answer


class Step(NamedTuple):
    """How a value is put into one of what contains it, and the steps from there to the root.

    `how`: `key` sets the key `at`; `member` does so if the value, an object, has it, and removes it
    otherwise; `rest` adds the keys of the value; `other` sets some further key, `pattern` one that
    matches `at`; `item` sets the item `at`. `old` and `new` are the schemas of the containers.
    """

    up: Step | None
    how: Literal["key", "member", "rest", "other", "pattern", "item"]
    at: str | int
    old: JsonSchema
    new: JsonSchema


@dataclass(frozen=True, eq=False)
class Draft:
    """A difference whose effect is not decided yet.

    `lost` is a pair of schemas: values of the first that are not values of the second are no
    longer valid at the path; with `gained` they now are. None if there are no such values.
    `key` is the name of a key that was `added` or `removed`, `holds` its schema, `notes` its
    description. `is_whole` is a difference of all that is compared, whose effect is known.
    """

    path: str
    text: str
    old: str = ""
    new: str = ""
    lost: tuple[Part, Part] | None = None
    gained: tuple[Part, Part] | None = None
    step: Step | None = None
    pointers: tuple[str, str] = ("", "")
    role: Literal["", "added", "removed"] = ""
    key: str = ""
    holds: Part | None = None
    notes: str = ""
    is_whole: bool = False

    @property
    def is_semantic(self) -> bool:
        """Whether the values that are valid might differ."""
        return self.is_whole or self.lost is not None or self.gained is not None


class Judge:
    """Decides what the differences of two schemas do, within one bound of time."""

    def __init__(self, old: Side, new: Side, part: PartName, limits: Limits) -> None:
        self._old, self._new, self._part, self._limits = old, new, part, limits
        self._clock = Clock(limits, _DOING)
        self._samples: dict[int, tuple[JsonSchema, Json]] = {}
        self.forward: Inclusion = Yes()
        self.backward: Inclusion = Yes()

    def decide_whole(self) -> None:
        """Compare all values of the two schemas; half of the time is left for the parts."""
        old, new = self._old.schema, self._new.schema
        self.forward = self.includes(old, new, 0.25)
        self.backward = self.includes(new, old, 0.33)

    def leave_whole(self) -> None:
        """Leave all values of the two schemas to be decided by their parts."""
        self.forward = self.backward = Unknown("some changes are undecided")

    @property
    def is_undecided(self) -> bool:
        """Whether one of the two inclusions of the whole is not known."""
        return isinstance(self.forward, Unknown) or isinstance(self.backward, Unknown)

    def conclude(self, changes: Iterable[Change], *, is_sum: bool) -> None:
        """Decide what was not decided for the whole by its parts.

        An answer that shows a difference is one of the whole. If the schemas are sums of their
        parts, no part that lost values means that no answer was lost.
        """
        some = list(changes)
        told = [one for one in some if one.witnesses == "answer"]
        if isinstance(self.forward, Unknown):
            lost = [one.lost for one in told if one.lost is not None]
            is_wider = is_sum and all(one.verdict in ("compatible", "widened") for one in some)
            self.forward = next(iter(lost), Yes() if is_wider else self.forward)
        if isinstance(self.backward, Unknown):
            gained = [one.gained for one in told if one.gained is not None]
            is_narrower = is_sum and all(one.verdict in ("compatible", "narrowed") for one in some)
            self.backward = next(iter(gained), Yes() if is_narrower else self.backward)

    def includes(self, old: Schema, new: Schema, share: float = 1) -> Inclusion:
        """Whether the values of a schema are those of another one, in a share of the time left."""
        clock = Clock(self._limits, _DOING, self._clock.left * share)
        return decide(old, new, clock, self._limits)

    def change(self, draft: Draft, spans: tuple[Span | None, Span | None], guess: str) -> Change:
        """Decide a difference."""
        forward, backward = self.forward, self.backward
        if not draft.is_whole:
            forward = self._tested(draft.lost, forward)
            backward = self._tested(draft.gained, backward)
        return self.told(draft, forward, backward, spans, guess)

    def told(
        self,
        draft: Draft,
        forward: Inclusion,
        backward: Inclusion,
        spans: tuple[Span | None, Span | None],
        guess: str,
    ) -> Change:
        """The change that a decided difference is."""
        lost = self._shown(forward, draft, self._old, self._new)
        gained = self._shown(backward, draft, self._new, self._old)
        verdict = verdict_of(forward, backward)
        effect = _effect(draft, forward, backward, verdict, (lost.text, gained.text))
        return Change(
            self._part,
            draft.path,
            draft.text + effect,
            draft.old,
            draft.new,
            verdict,
            lost.witness,
            gained.witness,
            breaks_of(self._part, forward, backward),
            guess,
            *spans,
            witnesses="answer" if lost.is_whole and gained.is_whole else "part",
            effect=effect,
        )

    def _tested(self, pair: tuple[Part, Part] | None, whole: Inclusion) -> Inclusion:
        if pair is None or whole:
            return Yes()
        return self._includes_part(pair[0].schema, pair[1].schema)

    def _includes_part(self, old: Schema, new: Schema) -> Inclusion:
        """Compare values inside of answers: each is in an array, so all are written as JSON."""
        found = self.includes(_in_array(old), _in_array(new))
        if not isinstance(found, No):
            return found
        return No(compact_json(found.value[0]), found.value[0])

    def _shown(self, found: Inclusion, draft: Draft, one: Side, other: Side) -> _Shown:
        """A whole answer that shows a difference, or else the value of the part that does."""
        if not isinstance(found, No):
            return _Shown()
        value, told, step = found.value, found.value, draft.step
        if draft.is_whole:
            is_json = one.schema.form in ("json", "text")
            return _Shown(found, _short(value if is_json else found.witness))
        if step is not None and step.how in ("member", "rest"):
            told = value = self._within(value, step, one)
            step = step.up
        while step is not None and value is not _MISSING:
            value = self._within(value, step, one)
            step = step.up
        if value is _MISSING:
            return _Shown(found, "" if told is _MISSING else _short(told), is_whole=False)
        is_text = one.schema.form == "text" and isinstance(value, str)
        text = value if is_text else compact_json(value)
        if _is_accepted(one.schema, text, value) and not _is_accepted(other.schema, text, value):
            return _Shown(No(text, value), _short(told))
        whole = self.forward if one is self._old else self.backward
        if draft.step is None and one.schema.form == "text" and isinstance(whole, No):
            return _Shown(whole, _short(whole.value))
        return _Shown(found, _short(found.value), is_whole=False)

    def _within(self, value: Json, step: Step, side: Side) -> Json:
        """The value inside a sample of what contains it."""
        holder = step.old if side is self._old else step.new
        base = self._sample(side, holder, "array" if step.how == "item" else "object")
        if base is _MISSING:
            return _MISSING
        if step.how == "item":
            return _with_item(base, step.at, value)
        if not isinstance(base, dict):
            return _MISSING
        changed = self._with_key(base, value, step)
        if changed is _MISSING:
            return _MISSING
        order = {name: at for at, name in enumerate(holder.get("properties", ()))}
        return dict(sorted(changed.items(), key=lambda pair: order.get(pair[0], len(order))))

    def _with_key(self, base: dict[str, Json], value: Json, step: Step) -> Json:
        at = str(step.at)
        if step.how in ("member", "rest"):
            kept = {name: one for name, one in base.items() if step.how == "rest" or name != at}
            return {**kept, **value} if isinstance(value, dict) else _MISSING
        if step.how == "other":
            taken = step.old.get("properties", {}).keys() | step.new.get("properties", {}).keys()
            names = chain(("key",), (f"key{number}" for number in count(2)))
            at = next(name for name in names if name not in taken)
        elif step.how == "pattern":
            found = self._includes_part(Schema({"type": "string", "pattern": at}), NOTHING)
            if not isinstance(found, No):
                return _MISSING
            at = str(found.value)
        return {**base, at: value}

    def _sample(self, side: Side, node: JsonSchema, kind: str) -> Json:
        """A value of a schema that has one type or any; each is looked for once."""
        if id(node) not in self._samples:
            found = self._includes_part(side.schema_of({"type": kind, **node}), NOTHING)
            value = found.value if isinstance(found, No) else _MISSING
            self._samples[id(node)] = (node, value)  # the node is kept, so its id stays its own
        return self._samples[id(node)][1]


def _is_accepted(schema: Schema, text: str, value: Json) -> bool:
    """Whether the checker takes an answer.

    It looks for other answers in one that does not fit, which takes long for many large ones.
    """
    if len(text) > _LARGE and schema.form == "json":
        return validator_of(schema.document).is_valid(value)
    return check(schema, text).ok


class _Shown(NamedTuple):
    """An answer that shows a difference; `text` is its part at the path, if that is short."""

    witness: No | None = None
    text: str = ""
    is_whole: bool = True


def _short(value: Json) -> str:
    """A value as a message shows it: a long string by its length, other long ones not at all."""
    text = compact_json(value)
    if len(text) <= _SHOWN:
        return text
    return f"a string of {len(value):,} characters" if isinstance(value, str) else ""


_MISSING = object()


def _in_array(schema: Schema) -> Schema:
    """Arrays of one value of a schema, whose references stay the same."""
    document = dict(schema.document)
    definitions = {"$defs": document.pop("$defs")} if "$defs" in document else {}
    one = {"type": "array", "prefixItems": [document], "items": False, "minItems": 1}
    return Schema({**one, **definitions})


def _with_item(base: Json, at: str | int, value: Json) -> Json:
    if not isinstance(base, list) or not isinstance(at, int) or at > len(base):
        return _MISSING
    return [*base[:at], value, *base[at + 1 :]]


def breaks_of(part: PartName, forward: Inclusion, backward: Inclusion) -> tuple[Audience, ...]:
    """Who a change breaks, or might break if it is not decided."""
    if part == "inputs":
        return () if forward else ("callers",)
    return (*(() if forward else ("recordings",)), *(() if backward else ("programs",)))


def _effect(
    draft: Draft,
    forward: Inclusion,
    backward: Inclusion,
    verdict: Verdict,
    told: tuple[str, str],
) -> str:
    """The words on what a difference does."""
    if not draft.is_semantic:
        return ""
    unknown = next((one.why for one in (forward, backward) if isinstance(one, Unknown)), "")
    if unknown:
        proven = [f"{text} was valid" for text in told[:1] if isinstance(forward, No) and text]
        proven += [f"{text} is now valid" for text in told[1:] if isinstance(backward, No) and text]
        if proven:
            unknown = f"{', '.join(proven)}; the rest is not known: {unknown}"
        return f": undecided: {cut(unknown, 120)}"
    shown = [
        f"{text} {words}"
        for text, words in zip(told, ("was valid", "is now valid"), strict=True)
        if text
    ]
    named = "narrowed and widened" if verdict == "both" else verdict
    return f": {named}" + (f"; {', '.join(shown)}" if shown else "")
