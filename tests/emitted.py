"""Goals with languages made by hand or at random, what these say of a value, and values of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pdl.automata import build
from pdl.automata.charset import CharSet
from pdl.automata.numbers import numbers
from pdl.gbnf.compiling.compiled import emit
from pdl.gbnf.compiling.constraints import SchemaLiteral
from pdl.gbnf.compiling.machine import Lengths, Machine, Member, Run, ValueLanguages
from pdl.gbnf.compiling.options import Options
from pdl.gbnf.compiling.trim import every
from pdl.gbnf.grammar import Grammar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from random import Random

    from pdl.automata.dfa import Dfa
    from pdl.automata.numbers import Spelling
    from pdl.gbnf.compiling.constraints import Conjunction
    from pdl.gbnf.compiling.machine import Arrays

GENERATE = Options.generate()


def goal(name: str) -> Conjunction:
    """The goal of a name; of none, the one that each value satisfies."""
    return (SchemaLiteral(name),) if name else ()


def grammar(
    languages: Mapping[str, ValueLanguages], options: Options = GENERATE, root: str = "root"
) -> Grammar:
    """The grammar of goals that are told by their names."""
    rules = emit(
        goal(root), lambda one: languages[one[0].pointer], options, lambda one: one[0].pointer
    )
    return Grammar(rules)


def ordered(
    *keys: tuple[str, str], needed: Iterable[str] = (), others: str | None = None
) -> ValueLanguages:
    """Objects with keys in order, each with the name of its goal, and perhaps any other keys."""
    members = [(Member(key, goal(name)), at + 1) for at, (key, name) in enumerate(keys)]
    open_: tuple[tuple[Member, int], ...] = ()
    if others is not None:
        rest = build.complement(build.words(key for key, _ in keys))
        open_ = ((Member(rest, goal(others)), len(keys)),)
    required = set(needed)
    rows = []
    for at in range(len(keys) + 1):
        stop = next((n for n in range(at, len(keys)) if keys[n][0] in required), None)
        rows.append((*members[at:], *open_) if stop is None else tuple(members[at : stop + 1]))
    ends = [at for at in range(len(rows)) if required.isdisjoint(key for key, _ in keys[at:])]
    return ValueLanguages(objects=Machine(tuple(rows), frozenset(ends)))


STRING = ValueLanguages(strings=Lengths())
INTEGER = ValueLanguages(numbers=numbers(integer=True, spelling="plain"))
NUMBER = ValueLanguages(numbers=numbers(spelling="plain"))
BOOLEAN = ValueLanguages(booleans=frozenset([True, False]))
NULL = ValueLanguages(null=True)
NEVER = ValueLanguages()


def words(*texts: str) -> ValueLanguages:
    """Strings that are listed."""
    return ValueLanguages(strings=build.words(texts))


def items(
    name: str | None, least: int = 0, most: int | None = None, prefix: Sequence[str] = ()
) -> ValueLanguages:
    """Arrays of items of one goal, behind some of other goals."""
    inner = None if name is None else goal(name)
    return ValueLanguages(arrays=Run(tuple(map(goal, prefix)), inner, least, most))


@dataclass(frozen=True)
class Text:
    """A number as it is written."""

    said: str


@dataclass(frozen=True)
class Pairs:
    """An object with its members in order, some perhaps twice."""

    members: tuple[tuple[str, Any], ...]


def read(text: str) -> Any:
    """A JSON text with numbers as texts and objects as pairs. Raises ValueError."""
    return json.loads(
        text,
        parse_int=Text,
        parse_float=Text,
        parse_constant=_refused,
        object_pairs_hook=lambda pairs: Pairs(tuple(pairs)),
    )


def _refused(word: str) -> Any:
    raise ValueError(word)


@dataclass
class Judge:
    """Whether values satisfy goals, asked of their languages directly."""

    languages: Mapping[str, ValueLanguages]
    options: Options = GENERATE

    @property
    def numbers(self) -> Dfa:
        """The numbers that the goal of all values has."""
        found = every(self.options.numbers).numbers
        assert found is not None
        return found

    def holds(self, one: Conjunction, value: Any) -> bool:
        """Whether a value that `read` gave satisfies a goal."""
        if not one:
            return self._is_any(value)
        languages = self.languages[one[0].pointer]
        if isinstance(value, Text):
            return languages.numbers is not None and languages.numbers.matches(value.said)
        if isinstance(value, str):
            return _is_one(languages.strings, value)
        if isinstance(value, list):
            return languages.arrays is not None and self._array(languages.arrays, value)
        if isinstance(value, Pairs):
            return languages.objects is not None and self._object(languages.objects, value)
        return languages.null if value is None else value in languages.booleans

    def _is_any(self, value: Any) -> bool:
        if isinstance(value, Text):
            return self.numbers.matches(value.said)
        inner = value if isinstance(value, list) else []
        if isinstance(value, Pairs):
            inner = [one for _, one in value.members]
        return all(map(self._is_any, inner))

    def _array(self, arrays: Arrays, value: list[Any]) -> bool:
        if isinstance(arrays, Run):
            return self._run(arrays, value)
        states = {0}
        for inner in value:
            edges = (edge for state in states for edge in arrays.edges[state])
            states = {target for one, target in edges if self.holds(one, inner)}
        return bool(states & arrays.accepting)

    def _run(self, run: Run, value: list[Any]) -> bool:
        if len(value) < run.least or (run.most is not None and len(value) > run.most):
            return False
        rest = value[len(run.prefix) :]
        if rest and run.item is None:
            return False
        both = zip(run.prefix, value, strict=False)
        return all(self.holds(one, inner) for one, inner in both) and all(
            self.holds(run.item or (), inner) for inner in rest
        )

    def _object(self, machine: Machine[Member], value: Pairs) -> bool:
        states = {0}
        for key, inner in value.members:
            edges = [edge for state in states for edge in machine.edges[state]]
            states = {
                target
                for member, target in edges
                if _is_key(member.key, key) and self.holds(member.goal, inner)
            }
        return bool(states & machine.accepting)


def _is_one(strings: Dfa | Lengths | None, value: str) -> bool:
    if isinstance(strings, Lengths):
        return strings.least <= len(value) <= (len(value) if strings.most is None else strings.most)
    return strings == build.ANYTHING or (strings is not None and strings.matches(value))


def _is_key(key: str | Dfa, said: str) -> bool:
    if isinstance(key, str):
        return key == said
    return key == build.ANYTHING or key.matches(said)


KEYS = ("a", "ab", "abc", "b", "na", "name", "naïve", 'q"', "back\\", "", "tab\t", "😀", "b/c")
TEXTS = (
    build.words(["red", "green", "blue"]),
    build.words(["a", "ab", "abc", 'x"y', "line\nfeed", "\x01", "😀é"]),
    build.ANYTHING,
    build.complement(build.words(["red", "r", "blue", '"'])),
    build.repeat(build.chars(CharSet.of("abc")), 1, 3),
    build.concat(build.plus(build.chars(CharSet.of("a\n"))), build.chars(CharSet.of('b"\\'))),
    build.star(build.union(build.literal("ab"), build.literal('a"c'))),
    build.words([""]),
)
SPELLINGS: tuple[tuple[bool, int | None, int | None, Spelling], ...] = (
    (True, None, None, "plain"), (False, None, None, "plain"), (True, 0, 10, "canonical"),
    (False, -1, 1, "plain"), (True, 5, 5, "canonical"), (True, None, 3, "any"),
)  # fmt: skip
NUMBERS = tuple(
    numbers(integer=integer, least=least, most=most, spelling=spelling)
    for integer, least, most, spelling in SPELLINGS
)


class Drawn:
    """Goals with random languages; the first is `root`."""

    def __init__(self, rng: Random, count: int) -> None:
        self._rng = rng
        self._names = ["root", *(f"g{at}" for at in range(1, count)), ""]
        self.languages = {name: self._pieces() for name in self._names if name}

    def _pieces(self) -> ValueLanguages:
        rng = self._rng
        if rng.random() < 0.05:
            return NEVER
        kinds = rng.sample("nbdsao", rng.choice((1, 1, 1, 2, 3)))
        return ValueLanguages(
            null="n" in kinds,
            booleans=frozenset(
                rng.sample((True, False), rng.randint(1, 2)) if "b" in kinds else ()
            ),
            numbers=rng.choice(NUMBERS) if "d" in kinds else None,
            strings=self._strings() if "s" in kinds else None,
            arrays=self._arrays() if "a" in kinds else None,
            objects=self._objects() if "o" in kinds else None,
        )

    def _strings(self) -> Dfa | Lengths:
        rng = self._rng
        least = rng.randint(0, 3)
        lengths = Lengths(least, rng.choice((None, least, least + 1, least + 5)))
        return rng.choice((*TEXTS, lengths, lengths))

    def _goal(self) -> Conjunction:
        return goal(self._rng.choice(self._names))

    def _arrays(self) -> Arrays:
        rng = self._rng
        if rng.random() < 0.5:
            prefix = tuple(self._goal() for _ in range(rng.choice((0, 0, 1, 3))))
            item = rng.choice((None, self._goal(), self._goal()))
            least = rng.randint(0, 3 if item is not None else len(prefix))
            most = rng.choice((None, least + rng.randint(0, 3)))
            return Run(prefix, item, least, most)
        found = self._machine(self._goal)
        return Run((), None, 0, 0) if found is None else found

    def _objects(self) -> Machine[Member]:
        rng = self._rng
        if rng.random() < 0.4:
            keys = [(key, rng.choice(self._names)) for key in rng.sample(KEYS, rng.randint(0, 6))]
            needed = [key for key, _ in keys if rng.random() < 0.3]
            others = rng.choice((None, *self._names))
            found = ordered(*keys, needed=needed, others=others).objects
        else:
            names = rng.sample(KEYS, 5)
            rest = build.complement(build.words(KEYS))
            short = build.repeat(build.chars(CharSet.of("xy")), 1, 2)
            keys_: tuple[str | Dfa, ...] = (*names, *names, rest, short)
            found = self._machine(lambda: Member(rng.choice(keys_), self._goal()))
        return Machine(((),), frozenset([0])) if found is None else found

    def _machine(self, label: Any) -> Any:
        """A random machine, all of whose states lead to an end; None if it has no such states."""
        rng = self._rng
        size = rng.randint(1, 4)
        rows: list[dict[Any, int]] = [
            {label(): rng.randrange(size) for _ in range(rng.randint(0, 5))} for _ in range(size)
        ]
        accepting = {at for at in range(size) if rng.random() < 0.4}
        live = set(accepting)
        for _ in range(size):
            live |= {at for at in range(size) if live & set(rows[at].values())}
        if 0 not in live:
            return None
        number = {state: at for at, state in enumerate(sorted(live))}
        edges = tuple(
            tuple((one, number[to]) for one, to in rows[state].items() if to in number)
            for state in number
        )
        return Machine(edges, frozenset(number[state] for state in accepting))


class Values:
    """Random values of goals, as Python has them but for `Text` and `Pairs`."""

    def __init__(self, languages: Mapping[str, ValueLanguages], rng: Random) -> None:
        self._pieces = languages
        self._rng = rng

    def value(self, one: Conjunction, depth: int = 0) -> Any:
        """A value of a goal, or ValueError if none was found."""
        rng = self._rng
        if not one:
            return rng.choice((None, True, Text("0"), "x", [], Pairs(()), ["", Text("-1.5")]))
        languages = self._pieces[one[0].pointer]
        makers = list(self._makers(languages, depth))
        if not makers or depth > 6:
            raise ValueError("too deep")
        return rng.choice(makers)()

    def _makers(self, languages: ValueLanguages, depth: int) -> Iterator[Any]:
        rng = self._rng
        if languages.null:
            yield lambda: None
        if languages.booleans:
            yield lambda: rng.choice(sorted(languages.booleans))
        if languages.numbers is not None:
            yield lambda: Text(_walked(languages.numbers, rng))
        if languages.strings is not None:
            yield lambda: self._string(languages.strings)
        if languages.arrays is not None:
            yield lambda: self._array(languages.arrays, depth)
        if languages.objects is not None:
            yield lambda: self._object(languages.objects, depth)

    def _string(self, strings: Any) -> str:
        if isinstance(strings, Lengths):
            most = strings.least + 4 if strings.most is None else strings.most
            size = self._rng.randint(strings.least, most)
            return "".join(self._rng.choice('ab"\\\n\x1f/é😀\x7f') for _ in range(size))
        return _walked(strings, self._rng)

    def _array(self, arrays: Any, depth: int) -> list[Any]:
        if isinstance(arrays, Run):
            top = arrays.least + 2 if arrays.most is None else arrays.most
            if arrays.item is None:
                top = min(top, len(arrays.prefix))
            goals = [*arrays.prefix, *[arrays.item] * top][: self._rng.randint(arrays.least, top)]
            return [self.value(one or (), depth + 1) for one in goals]
        return [self.value(one, depth + 1) for one in self._path(arrays)]

    def _object(self, machine: Any, depth: int) -> Pairs:
        return Pairs(
            tuple(
                (
                    member.key if isinstance(member.key, str) else _walked(member.key, self._rng),
                    self.value(member.goal, depth + 1),
                )
                for member in self._path(machine)
            )
        )

    def _path(self, machine: Machine[Any]) -> list[Any]:
        rng, state = self._rng, 0
        labels: list[Any] = []
        for _ in range(12):
            if state in machine.accepting and (rng.random() < 0.3 or not machine.edges[state]):
                return labels
            label, state = rng.choice(machine.edges[state])
            labels.append(label)
        raise ValueError("too long")


def _walked(dfa: Dfa, rng: Random) -> str:
    """A random text of a language."""
    state, text = 0, ""
    for _ in range(60):
        edges = dfa.edges[state]
        if state in dfa.accepting and (not edges or rng.random() < 0.3):
            return text
        low, high, state = rng.choice(edges)
        text += chr(rng.choice((low, high, rng.randint(low, min(high, low + 90)))))
    raise ValueError("too long")


def written(value: Any, options: Options, rng: Random) -> str:
    """A value as JSON, spelled in one of the ways that options allow."""
    if isinstance(value, Text):
        return value.said
    if isinstance(value, str):
        return _spelled(value, options, rng)
    gap = _gap(options, rng)
    if isinstance(value, list):
        inner = [written(one, options, rng) for one in value]
        return _bracketed("[", inner, "]", gap, options)
    if isinstance(value, Pairs):
        colon = {"spaced": ": ", "any": f"{gap}:{gap}"}.get(options.whitespace, f":{gap}")
        members = [
            _spelled(key, options, rng) + colon + written(inner, options, rng)
            for key, inner in value.members
        ]
        return _bracketed("{", members, "}", gap, options)
    return json.dumps(value)


def _bracketed(opener: str, inner: list[str], closer: str, gap: str, options: Options) -> str:
    if options.whitespace == "spaced":
        return opener + ", ".join(inner) + closer
    comma = f"{gap},{gap}" if options.whitespace == "any" else f",{gap}"
    return opener + gap + comma.join(inner) + (gap if inner else "") + closer


def _gap(options: Options, rng: Random) -> str:
    if options.whitespace == "bounded":
        return rng.choice(("", "", " ", "    ", "\n", "\n    ", "\n\t"))
    return rng.choice(("", " ", "\r\n\t \n")) if options.whitespace == "any" else ""


def _spelled(text: str, options: Options, rng: Random) -> str:
    if options.escapes == "canonical":
        return json.dumps(text, ensure_ascii=False)
    said = json.dumps(text, ensure_ascii=rng.random() < 0.5)
    if options.escapes == "usual":
        return said.replace("/", rng.choice(("/", "\\/")))
    if rng.random() < 0.3:
        units = text.encode("utf-16-be")
        pairs = (units[at : at + 2].hex() for at in range(0, len(units), 2))
        said = '"' + "".join(f"\\u{rng.choice((pair, pair.upper()))}" for pair in pairs) + '"'
    return said.replace("/", rng.choice(("/", "\\/")))
