"""The rules of goals: one for each kind of value that satisfies it; and those of arrays.

The rules of arrays are items of one goal, or a state of their machine after each. `Spacing` says
where whitespace may stand in arrays and objects.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.automata.build import ANYTHING, lengths, literal
from pdl.automata.charset import CharSet
from pdl.gbnf.compiling.context import Lengths, Pieces
from pdl.gbnf.compiling.custom_rules import short
from pdl.gbnf.compiling.emission.explore import every
from pdl.gbnf.compiling.emission.finish import sealed
from pdl.gbnf.compiling.emission.letters import Letters
from pdl.gbnf.compiling.emission.objects import Objects
from pdl.gbnf.compiling.emission.parts import Again, Choice, Draft, distinct, joined
from pdl.gbnf.compiling.emission.words import Words, forked
from pdl.gbnf.compiling.figures import all_numbers
from pdl.gbnf.compiling.machine import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.claims import Goal
    from pdl.gbnf.compiling.emission.parts import Row, Rows
    from pdl.gbnf.compiling.machine import Arrays, Machine
    from pdl.gbnf.compiling.options import Numbers, Options, Whitespace


_INDENT = 40


@dataclass(frozen=True)
class Spacing:
    """What is written around the values of arrays and objects; whitespace is never next to itself.

    `opened` follows an opening bracket, `closing` precedes the other one if there are values,
    `behind` follows each value in brackets, `around` surrounds the value of the root.
    """

    opened: Row = ()
    comma: Row = (",",)
    colon: Row = (":",)
    behind: Row = ()
    closing: Row = ()
    around: Row = ()


@lru_cache(maxsize=4)
def spacing(whitespace: Whitespace) -> Spacing:
    """The spacing of an option."""
    if whitespace == "compact":
        return Spacing()
    if whitespace == "spaced":
        return Spacing(comma=(", ",), colon=(": ",))
    if whitespace == "bounded":
        more = Again(CharSet.of("\t\n "), 0, _INDENT)  # one class, which is one stack in llama.cpp
        ws = _ws((CharSet.of("\n\r "), more), ())
        return Spacing((ws,), (",", ws), (":", ws), closing=(ws,))
    ws = _ws((Again(CharSet.of("\t\n\r "), 0, None),))
    return Spacing((ws,), (",", ws), (ws, ":", ws), behind=(ws,), around=(ws,))


def _ws(*rows: Row) -> Draft:
    return sealed(Draft("ws", rows, fixed=True))


def array(arrays: Arrays, wish: str, goals: Goals) -> Rows:
    """The alternatives of an array."""
    if isinstance(arrays, Run):
        return _run(arrays, wish, goals)
    return _Items(arrays, wish, goals).rows()


def _run(run: Run, wish: str, goals: Goals) -> Rows:
    prefix = run.prefix[: run.most]
    row = _behind_prefix(run, len(prefix), goals)
    for at in range(len(prefix) - 1, -1, -1):
        one = joined(goals.goal(prefix[at]), goals.spacing.behind, row)
        row = joined(goals.spacing.comma, one) if at else one
        if at and at >= run.least:
            row = (Draft(f"{short(wish)}-rest", (row, ())),)
    return (_bracketed(goals, wish, row, optional=run.least == 0),)


def _behind_prefix(run: Run, size: int, goals: Goals) -> Row:
    """The items that have no goals of their own."""
    if run.item is None or (run.most is not None and run.most <= size):
        return ()
    least = max(run.least - size, 0)
    most = None if run.most is None else run.most - size
    if size:
        return _more(goals, run.item, least, most)
    return _from_first(goals, run.item, least, most)


def _more(goals: Goals, item: Goal, least: int, most: int | None) -> Row:
    """Items, each behind a comma."""
    one = joined(goals.spacing.comma, goals.goal(item), goals.spacing.behind)
    return (Again(Choice((one,)), least, most),)


def _from_first(goals: Goals, item: Goal, least: int, most: int | None) -> Row:
    """One item or more, the first without a comma."""
    first = joined(goals.goal(item), goals.spacing.behind)
    if most == 1:
        return first
    fewer = None if most is None else most - 1
    return joined(first, _more(goals, item, max(least - 1, 0), fewer))


def _bracketed(goals: Goals, wish: str, row: Row, *, optional: bool) -> Row:
    inner = joined(row, goals.spacing.closing) if row else ()
    if optional and inner:
        inner = (Draft(wish, (inner, ())),)
    return joined("[", goals.spacing.opened, inner, "]")


class _Items:
    """Makes the rules of one machine: one for each of its states."""

    def __init__(self, machine: Machine[Goal], wish: str, goals: Goals) -> None:
        self._machine = machine
        self._wish = short(wish)
        self._goals = goals
        self._drafts: dict[int, Draft] = {}
        self._rest: dict[int, Draft] = {}
        self._waiting: list[int] = []

    def rows(self) -> Rows:
        """The alternatives of the array."""
        row: Row = (self._item(0),) if self._machine.edges[0] else ()
        while self._waiting:
            state = self._waiting.pop()
            pairs = [(goal, self._behind(target)) for goal, target in self._machine.edges[state]]
            self._drafts[state].rows = (self._goals.values(pairs, self._wish),)
        return (_bracketed(self._goals, self._wish, row, optional=0 in self._machine.accepting),)

    def _item(self, state: int) -> Draft:
        """An item that may come in a state, and all that follow."""
        found = self._drafts.get(state)
        if found is None:
            found = self._drafts[state] = Draft(f"{self._wish}-items")
            self._waiting.append(state)
        return found

    def _behind(self, state: int) -> Row:
        """What follows an item that leads to a state."""
        behind = self._goals.spacing.behind
        if not self._machine.edges[state]:
            return behind
        more = joined(self._goals.spacing.comma, self._item(state))
        if state not in self._machine.accepting:
            return joined(behind, more)
        if state not in self._rest:
            self._rest[state] = Draft(f"{self._wish}-rest", (more, ()))
        return joined(behind, self._rest[state])


_LONG = 200
"""Lengths of strings, up to which they are told apart from others character by character."""
_NOTHING = Pieces()
_BOOLEANS = (("true", True), ("false", False))


class Goals:
    """Drafts the rules of all goals that it is asked for."""

    def __init__(
        self,
        pieces: Mapping[Goal, Pieces],
        options: Options,
        name: Callable[[Goal], str],
    ) -> None:
        self.spacing = spacing(options.whitespace)
        self.letters = Letters(options.escapes)
        char = Again(self.letters.free, 0, None)
        self.string = Draft("string", (('"', char, '"'),), fixed=True)
        self._pieces = pieces
        self._name = name
        self._goals: dict[Goal, Draft] = {}
        self._parts: dict[Goal, Draft] = {}
        self._waiting: list[tuple[Draft, Pieces]] = []
        self._texts: dict[Dfa, Draft] = {}
        self._numbers: dict[Dfa, Draft] = {}
        self._generic = _generic(options.numbers)
        self._all = every(options.numbers)
        self._object = Draft("object", fixed=True)
        self._array = Draft("array", fixed=True)
        self._boolean = Draft("boolean", (("true",), ("false",)), fixed=True)
        self._boolean.whole = False  # it is short

    def drafted(self, root: Goal) -> Draft:
        """The rule of a goal, with all that it leads to."""
        draft = self.goal(root)
        while self._waiting:
            one, pieces = self._waiting.pop()
            one.rows = self._kinds(one, pieces)
        return draft

    def _whole(self, draft: Draft) -> Row:
        """The rule of all objects, or of all arrays."""
        if not draft.rows:
            draft.rows = ((),)  # so that it is begun but once
            kind = self._objects if draft is self._object else self._arrays
            draft.rows = kind(draft.wish, self._all)
        return (draft,)

    def goal(self, goal: Goal) -> Draft:
        """The rule of a goal."""
        found = self._goals.get(goal)
        if found is None:
            wish = self._name(goal) if goal else "value"
            found = self._goals[goal] = Draft(wish, fixed=not goal)
            self._waiting.append((found, self._pieces.get(goal, self._all)))
        return found

    def values(self, pairs: Sequence[tuple[Goal, Row]], wish: str) -> Row:
        """A value of one of some goals, each with what follows it."""
        rests: dict[Goal, list[Row]] = {}
        for goal, rest in pairs:
            rests.setdefault(goal, []).append(rest)
        told = [(goal, self._one_of(distinct(rows), wish)) for goal, rows in rests.items()]
        if len(told) == 1:
            return joined(self.goal(told[0][0]), told[0][1])
        return (Draft(wish, self._scalars(told, wish)),)

    @staticmethod
    def _one_of(rows: Rows, wish: str) -> Row:
        return rows[0] if len(rows) == 1 else (Draft(wish, rows),)

    def texts(self, languages: Sequence[tuple[Dfa, Row]], wish: str) -> Rows:
        """The texts of languages as strings spell them, without quotes, each with what follows."""
        if len(languages) > 1:
            fork = forked(languages, wish, self.letters)
            if fork is not None:
                return ((fork,),)
        return tuple(joined(self._text(dfa, wish), rest) for dfa, rest in languages)

    def _text(self, dfa: Dfa, wish: str) -> Draft:
        """The rule of the texts of a language as strings spell them, without quotes."""
        found = self._texts.get(dfa)
        if found is None:
            found = self._texts[dfa] = Words(dfa, wish, self.letters).draft()
        return found

    def _scalars(self, pairs: Sequence[tuple[Goal, Row]], wish: str) -> Rows:
        """Values of several goals: scalars that begin alike are told apart where they differ."""
        strings: list[tuple[Dfa, Row]] = []
        plain: list[tuple[Dfa, Row]] = []
        rows: list[Row] = []
        for goal, rest in pairs:
            pieces = self._pieces.get(goal, self._all)
            texts = _language(pieces.strings)
            if texts is not None:
                strings.append((texts, joined('"', rest)))
            if pieces.numbers is not None:
                plain.append((pieces.numbers, rest))
            plain.extend((_literal(word), rest) for word in _words(pieces))
            kept = replace(
                pieces,
                strings=None if texts is not None else pieces.strings,
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

    def _plain(self, languages: Sequence[tuple[Dfa, Row]], wish: str) -> Rows:
        fork = forked(languages, wish, None) if len(languages) > 1 else None
        if fork is not None:
            return fork.rows
        return tuple(joined(self._number(dfa, wish), rest) for dfa, rest in languages)

    def _part(self, goal: Goal, kept: Pieces) -> Draft:
        """The rule of the values of a goal that are of some kinds."""
        if kept == self._pieces.get(goal, self._all):
            return self.goal(goal)
        found = self._parts.get(goal)
        if found is None:
            found = self._parts[goal] = Draft(self._name(goal) if goal else "structure")
            self._waiting.append((found, kept))
        return found

    def _kinds(self, draft: Draft, pieces: Pieces) -> Rows:
        """The alternatives of a goal."""
        rows: list[Row] = []
        if pieces.objects is not None and pieces.objects == self._all.objects:
            rows.append(self._whole(self._object))
        elif pieces.objects is not None:
            draft.whole |= bool(pieces.objects.edges[0])
            rows += self._objects(draft.wish, pieces)
        if pieces.arrays is not None and pieces.arrays == self._all.arrays:
            rows.append(self._whole(self._array))
        else:
            rows += self._arrays(draft.wish, pieces)
        if pieces.strings is not None:
            rows.append(self._string(pieces.strings, draft.wish))
        if pieces.numbers is not None:
            rows.append((self._number(pieces.numbers, draft.wish),))
        if len(pieces.booleans) > 1:
            rows.append((self._boolean,))
        elif pieces.booleans:
            rows.append(("true",) if True in pieces.booleans else ("false",))
        if pieces.null:
            rows.append(("null",))
        rows += [_by_hand(place) for place in pieces.written]
        return tuple(rows)

    def _objects(self, wish: str, pieces: Pieces) -> Rows:
        return () if pieces.objects is None else Objects(pieces.objects, wish, self).rows()

    def _arrays(self, wish: str, pieces: Pieces) -> Rows:
        return () if pieces.arrays is None else array(pieces.arrays, wish, self)

    def _number(self, dfa: Dfa, wish: str) -> Draft:
        found = self._numbers.get(dfa)
        if found is None:
            found = self._generic.get(dfa) or Words(dfa, wish, None).draft()
            self._numbers[dfa] = found
        return found

    def _string(self, strings: Dfa | Lengths, wish: str) -> Row:
        if isinstance(strings, Lengths):
            if strings == Lengths():
                return (self.string,)
            if strings.most == 0:
                return ('""',)
            return ('"', Again(self.letters.char, strings.least, strings.most), '"')
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


def _by_hand(place: str) -> Row:
    """A rule written by hand, which stands in for itself under the JSON pointer of its schema.

    Its text is one that no other rule has, since JSON has no control characters.
    """
    return (Draft(place, ((f"\0{place}",),), fixed=True),)


@lru_cache(maxsize=4)
def _literal(word: str) -> Dfa:
    return literal(word)


def _words(pieces: Pieces) -> list[str]:
    words = [word for word, value in _BOOLEANS if value in pieces.booleans]
    return [*words, "null"] if pieces.null else words


@lru_cache(maxsize=4)
def _generic(spelling: Numbers) -> Mapping[Dfa, Draft]:
    """The rules of all numbers and of all integers."""
    found: dict[Dfa, Draft] = {}
    for name in ("number", "integer"):
        dfa = all_numbers(spelling, integer=name == "integer")
        draft = Words(dfa, name, None).draft()
        draft.fixed = True
        found[dfa] = sealed(draft)
    return found
