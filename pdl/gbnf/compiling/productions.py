"""The rules of goals: one for each kind of value that satisfies it; and those of arrays.

The rules of arrays are items of one goal, or a state of their machine after each. `Spacing` says
where whitespace may be in arrays and objects.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.automata.build import ANYTHING, lengths, literal
from pdl.automata.charset import CharSet
from pdl.gbnf.compiling.dfa_rules import DfaRules, product_rules
from pdl.gbnf.compiling.drafts import Choice, ProductionDraft, Repeat, distinct, joined, short
from pdl.gbnf.compiling.inlining import sealed
from pdl.gbnf.compiling.json_strings import JsonStringEncoder
from pdl.gbnf.compiling.machine import Lengths, Run, ValueLanguages
from pdl.gbnf.compiling.number_language import all_numbers
from pdl.gbnf.compiling.object_rules import ObjectRules
from pdl.gbnf.compiling.trim import every

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.constraints import Conjunction
    from pdl.gbnf.compiling.drafts import Alternative, Alternatives
    from pdl.gbnf.compiling.machine import Arrays, Machine
    from pdl.gbnf.compiling.options import Numbers, Options, Whitespace


_INDENT = 40


@dataclass(frozen=True)
class Spacing:
    """What is written around the values of arrays and objects; whitespace is never next to itself.

    `opened` follows an opening bracket, `closing` precedes the other one if there are values,
    `after` follows each value in brackets, `around` surrounds the value of the root.
    """

    opened: Alternative = ()
    comma: Alternative = (",",)
    colon: Alternative = (":",)
    after: Alternative = ()
    closing: Alternative = ()
    around: Alternative = ()


@lru_cache(maxsize=4)
def spacing(whitespace: Whitespace) -> Spacing:
    """The spacing of an option."""
    if whitespace == "compact":
        return Spacing()
    if whitespace == "spaced":
        return Spacing(comma=(", ",), colon=(": ",))
    if whitespace == "bounded":
        more = Repeat(CharSet.of("\t\n "), 0, _INDENT)  # one class, which is one stack in llama.cpp
        ws = _ws((CharSet.of("\n\r "), more), ())
        return Spacing((ws,), (",", ws), (":", ws), closing=(ws,))
    ws = _ws((Repeat(CharSet.of("\t\n\r "), 0, None),))
    return Spacing((ws,), (",", ws), (ws, ":", ws), after=(ws,), around=(ws,))


def _ws(*rows: Alternative) -> ProductionDraft:
    return sealed(ProductionDraft("ws", rows, fixed=True))


def array(arrays: Arrays, wish: str, goals: Productions) -> Alternatives:
    """The alternatives of an array."""
    if isinstance(arrays, Run):
        return _run(arrays, wish, goals)
    return _Items(arrays, wish, goals).rows()


def _run(run: Run, wish: str, goals: Productions) -> Alternatives:
    prefix = run.prefix[: run.most]
    row = _after_prefix(run, len(prefix), goals)
    for at in range(len(prefix) - 1, -1, -1):
        one = joined(goals.goal(prefix[at]), goals.spacing.after, row)
        row = joined(goals.spacing.comma, one) if at else one
        if at and at >= run.least:
            row = (ProductionDraft(f"{short(wish)}-rest", (row, ())),)
    return (_bracketed(goals, wish, row, optional=run.least == 0),)


def _after_prefix(run: Run, size: int, goals: Productions) -> Alternative:
    """The items that have no goals of their own."""
    if run.item is None or (run.most is not None and run.most <= size):
        return ()
    least = max(run.least - size, 0)
    most = None if run.most is None else run.most - size
    if size:
        return _more(goals, run.item, least, most)
    return _from_first(goals, run.item, least, most)


def _more(goals: Productions, item: Conjunction, least: int, most: int | None) -> Alternative:
    """Items, each after a comma."""
    one = joined(goals.spacing.comma, goals.goal(item), goals.spacing.after)
    return (Repeat(Choice((one,)), least, most),)


def _from_first(goals: Productions, item: Conjunction, least: int, most: int | None) -> Alternative:
    """One item or more, the first without a comma."""
    first = joined(goals.goal(item), goals.spacing.after)
    if most == 1:
        return first
    fewer = None if most is None else most - 1
    return joined(first, _more(goals, item, max(least - 1, 0), fewer))


def _bracketed(goals: Productions, wish: str, row: Alternative, *, optional: bool) -> Alternative:
    inner = joined(row, goals.spacing.closing) if row else ()
    if optional and inner:
        inner = (ProductionDraft(wish, (inner, ())),)
    return joined("[", goals.spacing.opened, inner, "]")


class _Items:
    """Makes the rules of one machine: one for each of its states."""

    def __init__(self, machine: Machine[Conjunction], wish: str, goals: Productions) -> None:
        self._machine = machine
        self._wish = short(wish)
        self._goals = goals
        self._drafts: dict[int, ProductionDraft] = {}
        self._rest: dict[int, ProductionDraft] = {}
        self._waiting: list[int] = []

    def rows(self) -> Alternatives:
        """The alternatives of the array."""
        row: Alternative = (self._item(0),) if self._machine.edges[0] else ()
        while self._waiting:
            state = self._waiting.pop()
            pairs = [(goal, self._after(target)) for goal, target in self._machine.edges[state]]
            self._drafts[state].rows = (self._goals.values(pairs, self._wish),)
        return (_bracketed(self._goals, self._wish, row, optional=0 in self._machine.accepting),)

    def _item(self, state: int) -> ProductionDraft:
        """An item that may come in a state, and all that follow."""
        found = self._drafts.get(state)
        if found is None:
            found = self._drafts[state] = ProductionDraft(f"{self._wish}-items")
            self._waiting.append(state)
        return found

    def _after(self, state: int) -> Alternative:
        """What follows an item that leads to a state."""
        after = self._goals.spacing.after
        if not self._machine.edges[state]:
            return after
        more = joined(self._goals.spacing.comma, self._item(state))
        if state not in self._machine.accepting:
            return joined(after, more)
        if state not in self._rest:
            self._rest[state] = ProductionDraft(f"{self._wish}-rest", (more, ()))
        return joined(after, self._rest[state])


_LONG = 200
"""Lengths of strings, up to which they are distinguished character by character."""
_NOTHING = ValueLanguages()
_BOOLEANS = (("true", True), ("false", False))


class Productions:
    """Drafts the rules of all goals that it is asked for."""

    def __init__(
        self,
        languages: Mapping[Conjunction, ValueLanguages],
        options: Options,
        name: Callable[[Conjunction], str],
    ) -> None:
        self.spacing = spacing(options.whitespace)
        self.encoder = JsonStringEncoder(options.escapes)
        char = Repeat(self.encoder.free, 0, None)
        self.string = ProductionDraft("string", (('"', char, '"'),), fixed=True)
        self._pieces = languages
        self._name = name
        self._goals: dict[Conjunction, ProductionDraft] = {}
        self._parts: dict[Conjunction, ProductionDraft] = {}
        self._waiting: list[tuple[ProductionDraft, ValueLanguages]] = []
        self._texts: dict[Dfa, ProductionDraft] = {}
        self._numbers: dict[Dfa, ProductionDraft] = {}
        self._generic = _generic(options.numbers)
        self._all = every(options.numbers)
        self._object = ProductionDraft("object", fixed=True)
        self._array = ProductionDraft("array", fixed=True)
        self._boolean = ProductionDraft("boolean", (("true",), ("false",)), fixed=True)
        self._boolean.whole = False  # it is short

    def drafted(self, root: Conjunction) -> ProductionDraft:
        """The rule of a goal, with all that it leads to."""
        draft = self.goal(root)
        while self._waiting:
            one, languages = self._waiting.pop()
            one.rows = self._kinds(one, languages)
        return draft

    def _whole(self, draft: ProductionDraft) -> Alternative:
        """The rule of all objects, or of all arrays."""
        if not draft.rows:
            draft.rows = ((),)  # so that it is begun but once
            kind = self._objects if draft is self._object else self._arrays
            draft.rows = kind(draft.wish, self._all)
        return (draft,)

    def goal(self, goal: Conjunction) -> ProductionDraft:
        """The rule of a goal."""
        found = self._goals.get(goal)
        if found is None:
            wish = self._name(goal) if goal else "value"
            found = self._goals[goal] = ProductionDraft(wish, fixed=not goal)
            self._waiting.append((found, self._pieces.get(goal, self._all)))
        return found

    def values(self, pairs: Sequence[tuple[Conjunction, Alternative]], wish: str) -> Alternative:
        """A value of one of some goals, each with what follows it."""
        rests: dict[Conjunction, list[Alternative]] = {}
        for goal, rest in pairs:
            rests.setdefault(goal, []).append(rest)
        told = [(goal, self._one_of(distinct(rows), wish)) for goal, rows in rests.items()]
        if len(told) == 1:
            return joined(self.goal(told[0][0]), told[0][1])
        return (ProductionDraft(wish, self._scalars(told, wish)),)

    @staticmethod
    def _one_of(rows: Alternatives, wish: str) -> Alternative:
        return rows[0] if len(rows) == 1 else (ProductionDraft(wish, rows),)

    def texts(self, languages: Sequence[tuple[Dfa, Alternative]], wish: str) -> Alternatives:
        """The strings of languages spelled as JSON, without quotes, each with what follows."""
        if len(languages) > 1:
            fork = product_rules(languages, wish, self.encoder)
            if fork is not None:
                return ((fork,),)
        return tuple(joined(self._text(dfa, wish), rest) for dfa, rest in languages)

    def _text(self, dfa: Dfa, wish: str) -> ProductionDraft:
        """The rule of the strings of a language spelled as JSON, without quotes."""
        found = self._texts.get(dfa)
        if found is None:
            found = self._texts[dfa] = DfaRules(dfa, wish, self.encoder).draft()
        return found

    def _scalars(self, pairs: Sequence[tuple[Conjunction, Alternative]], wish: str) -> Alternatives:
        """Values of several goals: scalars that begin alike are separated where they differ."""
        strings: list[tuple[Dfa, Alternative]] = []
        plain: list[tuple[Dfa, Alternative]] = []
        rows: list[Alternative] = []
        for goal, rest in pairs:
            languages = self._pieces.get(goal, self._all)
            texts = _language(languages.strings)
            if texts is not None:
                strings.append((texts, joined('"', rest)))
            if languages.numbers is not None:
                plain.append((languages.numbers, rest))
            plain.extend((_literal(word), rest) for word in _words(languages))
            kept = replace(
                languages,
                strings=None if texts is not None else languages.strings,
                numbers=None,
                booleans=frozenset(),
                null=False,
            )
            if kept != _NOTHING:
                rows.append((self._part(goal, kept), *rest))
        if strings:
            rows += [joined('"', row) for row in self.texts(strings, wish)]
        if plain:
            rows += self._plain(plain, wish)
        return tuple(rows)

    def _plain(self, languages: Sequence[tuple[Dfa, Alternative]], wish: str) -> Alternatives:
        fork = product_rules(languages, wish, None) if len(languages) > 1 else None
        if fork is not None:
            return fork.rows
        return tuple(joined(self._number(dfa, wish), rest) for dfa, rest in languages)

    def _part(self, goal: Conjunction, kept: ValueLanguages) -> ProductionDraft:
        """The rule of the values of a goal that are of some kinds."""
        if kept == self._pieces.get(goal, self._all):
            return self.goal(goal)
        found = self._parts.get(goal)
        if found is None:
            found = self._parts[goal] = ProductionDraft(self._name(goal) if goal else "structure")
            self._waiting.append((found, kept))
        return found

    def _kinds(self, draft: ProductionDraft, languages: ValueLanguages) -> Alternatives:
        """The alternatives of a goal."""
        rows: list[Alternative] = []
        if languages.objects is not None and languages.objects == self._all.objects:
            rows.append(self._whole(self._object))
        elif languages.objects is not None:
            draft.whole |= bool(languages.objects.edges[0])
            rows += self._objects(draft.wish, languages)
        if languages.arrays is not None and languages.arrays == self._all.arrays:
            rows.append(self._whole(self._array))
        else:
            rows += self._arrays(draft.wish, languages)
        if languages.strings is not None:
            rows.append(self._string(languages.strings, draft.wish))
        if languages.numbers is not None:
            rows.append((self._number(languages.numbers, draft.wish),))
        if len(languages.booleans) > 1:
            rows.append((self._boolean,))
        elif languages.booleans:
            rows.append(("true",) if True in languages.booleans else ("false",))
        if languages.null:
            rows.append(("null",))
        rows += [_by_hand(place) for place in languages.custom]
        return tuple(rows)

    def _objects(self, wish: str, languages: ValueLanguages) -> Alternatives:
        return (
            () if languages.objects is None else ObjectRules(languages.objects, wish, self).rows()
        )

    def _arrays(self, wish: str, languages: ValueLanguages) -> Alternatives:
        return () if languages.arrays is None else array(languages.arrays, wish, self)

    def _number(self, dfa: Dfa, wish: str) -> ProductionDraft:
        found = self._numbers.get(dfa)
        if found is None:
            found = self._generic.get(dfa) or DfaRules(dfa, wish, None).draft()
            self._numbers[dfa] = found
        return found

    def _string(self, strings: Dfa | Lengths, wish: str) -> Alternative:
        if isinstance(strings, Lengths):
            if strings == Lengths():
                return (self.string,)
            if strings.most == 0:
                return ('""',)
            return ('"', Repeat(self.encoder.char, strings.least, strings.most), '"')
        if strings == ANYTHING:
            return (self.string,)
        return joined('"', self._text(strings, wish), '"')


def _language(strings: Dfa | Lengths | None) -> Dfa | None:
    """The language of some strings, if its automaton is not too large."""
    if not isinstance(strings, Lengths):
        return strings
    if max(strings.least, strings.most or 0) > _LONG:
        return None
    return lengths(strings.least, strings.most)


def _by_hand(place: str) -> Alternative:
    """A placeholder for a custom rule, under the JSON pointer of its schema.

    Its text is one that no other rule has, since JSON has no control characters.
    """
    return (ProductionDraft(place, ((f"\0{place}",),), fixed=True),)


@lru_cache(maxsize=4)
def _literal(word: str) -> Dfa:
    return literal(word)


def _words(languages: ValueLanguages) -> list[str]:
    words = [word for word, value in _BOOLEANS if value in languages.booleans]
    return [*words, "null"] if languages.null else words


@lru_cache(maxsize=4)
def _generic(spelling: Numbers) -> Mapping[Dfa, ProductionDraft]:
    """The rules of all numbers and of all integers."""
    found: dict[Dfa, ProductionDraft] = {}
    for name in ("number", "integer"):
        dfa = all_numbers(spelling, integer=name == "integer")
        draft = DfaRules(dfa, name, None).draft()
        draft.fixed = True
        found[dfa] = sealed(draft)
    return found
