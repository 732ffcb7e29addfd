"""The comparison of two versions of a prompt, or of two renderings: what changed, and where."""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pdl.compare.files import file_changes, media_changes
from pdl.compare.parts import (
    Compared,
    Given,
    Settings,
    config_changes,
    located,
    schema_changes,
    tools_changes,
)
from pdl.compare.sections import DIGEST, Section
from pdl.compare.turns import Placed, Told, placed, turn_changes
from pdl.compare.variables import input_changes
from pdl.compare.verdicts import ALL, audiences
from pdl.compare.version import PARTS, Constant, Version, input_types
from pdl.compare.words import Effect, text_change
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.prompt.messages import Media, Message
from pdl.prompt.prompt import Prompt
from pdl.prompt.rendered import Rendered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.compare.verdicts import Audience, Change, Comparison, Part

_ANSWERS: tuple[Audience, ...] = ("programs", "recordings")


@dataclass(frozen=True)
class PromptComparison:
    """What changed between two versions of a prompt, in the order of the new file.

    `schema`, `inputs`, and `tools` compare the values that are valid; each is None if neither
    version has that turn, or if it depends on data: then its changes compare the texts.
    """

    changes: tuple[Change, ...]
    schema: Comparison | None = None
    inputs: Comparison | None = None
    tools: Comparison | None = None

    @property
    def breaks(self) -> tuple[Audience, ...]:
        """Who the changes break, or might break."""
        return audiences(self.changes)

    def _repr_html_(self) -> str:
        from pdl.compare.notebook import changes_html  # noqa: PLC0415 - only notebooks need it

        broken = ", ".join(self.breaks)
        return changes_html(self.changes, f"breaks {broken}" if broken else "breaks nobody")


def compare_prompts(
    old: Prompt | None, new: Prompt | None, *, limits: Limits = DEFAULT_LIMITS
) -> PromptComparison:
    """Return what changed between two versions of a prompt.

    None is a prompt that did not exist, or was removed. Prompts that render the same, by their
    fingerprints, have no changes; others have at least one. Of a prompt that was loaded with
    `strict=False` and has problems, the rest is compared, and a problem that is new is a change.
    Raises TypeError for anything but prompts, and LimitError for files that are included too often.
    """
    for given in (old, new):
        if not (given is None or isinstance(given, Prompt)):
            raise TypeError(f"old and new must be prompts or None, not {type(given).__name__}")
    if old is None or new is None:
        return PromptComparison(tuple(_whole(old, new)))
    if old.fingerprint == new.fingerprint:
        return PromptComparison(())
    return _Comparer(Version(old, limits), Version(new, limits), limits).comparison()


def compare_rendered(
    old: Rendered[Any], new: Rendered[Any], *, limits: Limits = DEFAULT_LIMITS
) -> PromptComparison:
    """Return what changed between two renderings: messages, reasoning, settings, schema, tools.

    Media are compared by their bytes. Raises TypeError for anything but renderings.
    """
    for given in (old, new):
        if not isinstance(given, Rendered):
            raise TypeError(f"old and new must be renderings, not {type(given).__name__}")
    messages = turn_changes(placed(list(_messages(old))), placed(list(_messages(new))))
    thoughts = [
        placed([Section("reasoning", one) for one in each.reasoning]) for each in (old, new)
    ]
    reasoning = turn_changes(thoughts[0], thoughts[1], Effect("reasoning"))
    told = [*sorted(messages, key=lambda one: one.position)]
    told += sorted(reasoning, key=lambda one: one.position)
    tools = tools_changes(old.tools, new.tools, limits)
    config = config_changes(Settings(old.config), Settings(new.config))
    schema = schema_changes(Given(old.schema), Given(new.schema), limits)
    changes = (*(one.change for one in told), *tools.changes, *config, *schema.changes)
    return PromptComparison(changes, schema.comparison, None, tools.comparison)


def _whole(old: Prompt | None, new: Prompt | None) -> Iterator[Change]:
    """The change of a prompt that is new or gone."""
    if new is not None:
        spans = None, new.source.span(0)
        yield text_change(Effect(), "", "the prompt was added", ("", new.source.text), spans)
    elif old is not None:
        removal = Effect(breaks=(*_ANSWERS, "callers"))
        texts, where = (old.source.text, ""), (old.source.span(0), None)
        yield text_change(removal, "", "the prompt was removed", texts, where)


class _Comparer:
    """Compares two versions of a prompt."""

    def __init__(self, old: Version, new: Version, limits: Limits) -> None:
        self.old, self.new, self.limits = old, new, limits
        self.told: list[Told] = []

    def comparison(self) -> PromptComparison:
        """All changes."""
        old, new = self.old, self.new
        self._add(-1, self._problems())
        self.told += turn_changes(old.messages, new.messages)
        self.told += turn_changes(old.of_roles(""), new.of_roles(""))
        reasoning = Effect("reasoning")
        self.told += turn_changes(old.of_roles("reasoning"), new.of_roles("reasoning"), reasoning)
        self._config()
        inputs = self._inputs()
        schema, tools = self._schema(), self._tools()
        self._add(math.inf, file_changes(old.files, new.files, _effect_in_file))
        self._add(math.inf, media_changes(old.media, new.media))
        told = sorted(self.told, key=lambda one: one.position)
        changes = tuple(one.change for one in told) or tuple(self._other_changes())
        compared = (one.comparison for one in (schema, inputs, tools))
        return PromptComparison(changes, *compared)

    def _add(self, position: float, changes: Iterable[Change]) -> None:
        self.told += [Told(position, change) for change in changes]

    def _position(self, role: str) -> float:
        """Where changes of turns of a role are told: at the first one of the new file."""
        turn = self.new.first(role) or self.old.first(role)
        return math.inf if turn is None else turn.position

    def _problems(self) -> Iterator[Change]:
        """Problems that only one of the versions has: it can't be rendered."""
        old, new = self.old.prompt.problems, self.new.prompt.problems
        known = {(problem.code, problem.message) for problem in old}
        for problem in new:
            if (problem.code, problem.message) not in known:
                message = f"the new version has an error: {problem.message}"
                span = problem.location
                yield text_change(Effect(breaks=ALL), "", message, spans=(None, span))
        left = {(problem.code, problem.message) for problem in new}
        for problem in old:
            if (problem.code, problem.message) not in left:
                message = f"the new version no longer has the error: {problem.message}"
                yield text_change(Effect(), "", message, spans=(problem.location, None))

    def _inputs(self) -> Compared:
        if not (self.old.reads_inputs and self.new.reads_inputs):
            turns = self.old.of_roles("input"), self.new.of_roles("input")
            self.told += turn_changes(*turns, Effect("inputs", "unknown", ("callers",)))
            return Compared()
        found = input_changes(self.old.prompt, self.new.prompt, self.limits)
        old, new = self.old.given("input"), self.new.given("input")
        self._add(self._position("input"), (located(one, old, new) for one in found.changes))
        return found

    def _schema(self) -> Compared:
        old, new = self.old.schema, self.new.schema
        if not (old.known and new.known):
            return self._by_text("schema", old, new)
        one, other = self.old.given("schema", old.value), self.new.given("schema", new.value)
        return self._found("schema", schema_changes(one, other, self.limits))

    def _tools(self) -> Compared:
        old, new = self.old.tools, self.new.tools
        if not (old.known and new.known):
            return self._by_text("tools", old, new)
        return self._found("tools", tools_changes(old.value, new.value, self.limits))

    def _found(self, role: Part, found: Compared) -> Compared:
        self._add(self._position(role), found.changes)
        return found

    def _by_text(self, role: Part, old: Constant[Any], new: Constant[Any]) -> Compared:
        """Compare turns whose meaning depends on data: any change might break."""
        effect = Effect(role, "unknown", _ANSWERS)
        told = list(turn_changes(self.old.of_roles(role), self.new.of_roles(role), effect))
        types = input_types(self.old.prompt.inputs), input_types(self.new.prompt.inputs)
        both = types[0].keys() & types[1].keys()
        before, after = (
            version.depended(role, {name: own[name] for name in both})
            for version, own in zip((self.old, self.new), types, strict=True)
        )
        names = [n for n in (before | after) if before.get(n) != after.get(n)]
        if new.reason and new.reason != old.reason:
            message = f"the `{role}` turn is invalid: {new.reason}"
            told.append(self._undecided(role, message, (*_ANSWERS, "callers")))
        elif names:
            message = f"the `{role}` turn depends on {_listed(names)}, which changed"
            told.append(self._undecided(role, message))
        elif old.known != new.known and not told and self._both_parse():
            message = "no longer depends on data" if new.known else "depends on data now"
            told.append(self._undecided(role, f"the `{role}` turn {message}"))
        self.told += told
        return Compared()

    def _both_parse(self) -> bool:
        return self.old.template is not None and self.new.template is not None

    def _undecided(self, role: Part, message: str, breaks: tuple[Audience, ...] = _ANSWERS) -> Told:
        turn = self.new.first(role) or self.old.first(role)
        path = role if turn is None else turn.path
        spans = self.old.given(role).span, self.new.given(role).span
        change = text_change(Effect(role, "unknown", breaks), path, message, spans=spans)
        return Told(self._position(role), change)

    def _config(self) -> None:
        old, new = self.old.settings, self.new.settings
        if old is not None and new is not None:
            self._add(self._position("config"), config_changes(old, new))
            return
        turns = self.old.of_roles("config"), self.new.of_roles("config")
        self.told += turn_changes(*turns, Effect("config"))

    def _other_changes(self) -> Iterator[Change]:
        """What differs if nothing else was found: the fingerprints say that something does."""
        before, after = _ranks(self.old), _ranks(self.new)
        for path, (rank, turn) in after.items():
            old_rank, old = before.get(path, (rank, turn))
            if rank != old_rank:
                spans = old.section.marker, turn.section.marker
                effect = Effect(PARTS.get(turn.section.role, "messages"))
                yield text_change(effect, path, "the turn was moved", spans=spans)
        if all(before.get(path, one)[0] == one[0] for path, one in after.items()):
            yield self._unexplained()

    def _unexplained(self) -> Change:
        old, new = self.old.prompt.source, self.new.prompt.source
        message = "the template changed, but none of its turns"
        texts, spans = (old.text, new.text), (old.span(0), new.span(0))
        return text_change(Effect(), "", message, texts, spans)


def _ranks(version: Version) -> dict[str, tuple[int, Placed]]:
    """The turns that are not messages, by path, with the number of messages before them."""
    found: dict[str, tuple[int, Placed]] = {}
    count = 0
    for turn in version.turns:
        if turn.section.role in ("", *PARTS):
            found[turn.path] = (count, turn)
        else:
            count += 1
    return found


def _effect_in_file(role: str) -> Effect:
    """What a change of a turn means in a file that the prompt reads."""
    if role in ("schema", "tools"):
        return Effect(PARTS[role], "unknown", _ANSWERS)
    return Effect("includes")


def _listed(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def _messages(rendered: Rendered[Any]) -> Iterator[Section]:
    for message in rendered.messages:
        yield Section(message.role, "".join(_parts(message)))


def _parts(message: Message) -> Iterator[str]:
    """The parts as text: media by their digests, others as a transcript shows them."""
    for part in message.parts:
        if isinstance(part, Media) and part.data:
            digest = sha256(part.data).hexdigest()[:DIGEST]
            yield f"[{part.kind}, {len(part.data):,} bytes, {digest}]"
        else:
            yield Message(message.role, part).transcript
