"""`Masker` and `State`: which tokens of a vocabulary may come next in a text of a grammar.

`fill_bitmasks` writes the masks of many texts at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from time import thread_time
from typing import TYPE_CHECKING, NoReturn
from weakref import finalize

import numpy as np

from pdl.errors import LimitError
from pdl.gbnf.grammar import Grammar
from pdl.gbnf.limits_errors import uncollected, within_stack
from pdl.gbnf.matcher import Matcher
from pdl.gbnf.nodes import frozen_value
from pdl.gbnf.rtn import compile_rtn
from pdl.masks.collector import TokenCollector
from pdl.masks.forced import forced, prefetch
from pdl.masks.mask_cache import Learner, mask_cache
from pdl.masks.protocol import Ended, TokenState, check_vocabulary, refusal, token_id
from pdl.masks.pruning import References, prune_to_vocabulary

if TYPE_CHECKING:
    from pdl.gbnf.matcher import Configuration
    from pdl.masks.vocabulary import Ints, Vocabulary


_SERIAL = count()
_LONGEST = 3600
_MANY = 50_000  # configurations of which the numbers are kept


class Masker(Learner):
    """The masks of one grammar over one vocabulary.

    Masks are computed when they are requested, and cached; what tokens do inside strings, numbers
    and other small rules is found once for all grammars over a vocabulary. All caches of a
    vocabulary take at most 100 MB. Threads may share maskers and states; one of them works at a
    time. `copy` returns the masker itself.

    A mask allows exactly the tokens that `pdl.gbnf.State.accept_token` takes, with three
    exceptions. A special token is allowed only where the grammar names it; one that ends the text
    only where the text may end. No token is allowed from which no text of the grammar can be
    completed: rules that match nothing are left out, and so is what a vocabulary that lacks bytes
    could begin but not complete. So some token is allowed at each state.

    Raises GrammarError if the vocabulary can't spell any text of the grammar, and for a `<text>`
    that is not one of its tokens; LimitError as the grammar's matcher does; TypeError for other
    arguments.
    """

    @within_stack
    def __init__(self, grammar: Grammar, vocabulary: Vocabulary) -> None:
        _check(grammar, vocabulary)
        self.grammar = grammar
        self.vocabulary = vocabulary
        self._references = References(vocabulary)
        rules = prune_to_vocabulary(grammar, vocabulary, self._references)
        whole = all(rule is grammar.rule[name] for name, rule in rules.items())
        machine = grammar.rtn if whole else compile_rtn(rules, grammar.limits)
        self._automaton = machine
        self._matcher = Matcher(machine, machine.names.index(grammar.root), grammar.limits)
        self._cache = mask_cache(vocabulary)
        self._collector = TokenCollector(self._matcher, rules, self._cache)
        self._number()
        self._prepared = 0.0
        self._cache.learners.add(self)
        finalize(self, _release, self._collector, self._matcher)

    def __repr__(self) -> str:
        return f"<Masker over {self.vocabulary!r}>"

    def __copy__(self) -> Masker:
        return self

    def __deepcopy__(self, _: object) -> Masker:
        return self

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError(
            "a Masker belongs to this process and cannot be pickled: keep its grammar and its"
            " vocabulary (`pdl.masks.save`), and make another one"
        )

    @property
    def spent(self) -> int:
        """The memory of what was learned of this grammar alone, masks aside, in bytes."""
        return self._collector.spent

    def forget(self) -> None:
        """Drop what was learned of this grammar alone; it will be learned again."""
        self._collector.forget()

    def start(self) -> State:
        """Return the state before any text."""
        return State(self, self._matcher.start)

    def prepare(self, seconds: float) -> None:
        """Compute masks in advance, nearest to the start first, while a model reads its prompt.

        It stops when this masker has spent so many seconds on that, with earlier calls, and one
        mask more; 0.025 are enough for the masks near the start. Between masks, it lets other
        threads in. Raises TypeError and ValueError for anything but a number from 0 to 3600.
        """
        _check_seconds(seconds)
        began = thread_time() - self._prepared
        following = prefetch(self._matcher, self.vocabulary, self.mask)
        with suppress(LimitError):  # of a text that might never come
            while thread_time() - began < seconds:
                with self._cache.lock:
                    if next(following, None) is None:
                        break
        self._prepared = thread_time() - began

    def _number(self) -> None:
        self._serial = next(_SERIAL)
        self._numbers: dict[Configuration, int] = {}

    def mask(self, here: Configuration) -> Ints:
        """Return the mask of a configuration of this masker's states."""
        cache = self._cache
        with cache.lock:
            number = self._numbers.get(here)
            if number is None:
                if len(self._numbers) > _MANY:
                    self._number()
                number = self._numbers[here] = len(self._numbers)
            key = (self._serial, number)
            found = cache.mask(key)
            if found is None:
                cache.check()
                with uncollected():
                    found = self._made(here)
                cache.keep(key, found)
            return found

    def _made(self, here: Configuration) -> Ints:
        builder = self._collector.tokens(here)
        for state, _ in here.items if self._automaton.tokens else ():
            if state in self._automaton.tokens:
                self._references.add(self._automaton.tokens[state][0], builder)
        if here.complete:
            builder.few += self.vocabulary.eos
        return builder.mask(len(self.vocabulary))

    def step(self, here: Configuration, token: int) -> Configuration | None:
        """Return the configuration after a token; None if it is not allowed."""
        with self._cache.lock:
            if self._automaton.tokens:
                return self._referred(here, token)
            return None if token in self.vocabulary.special else self._text(here, token)

    def _text(self, here: Configuration, token: int) -> Configuration | None:
        data = self.vocabulary.tokens[token]
        there, taken = self._matcher.run(here, data)
        return there if taken == len(data) else None

    def _referred(self, here: Configuration, token: int) -> Configuration | None:
        """The same in a grammar that names tokens."""
        is_text = token not in self.vocabulary.special
        there = self._text(here, token) if is_text else None
        targets = list(self._references.targets(self._automaton, here.items, token))
        return self._matcher.joined(targets, there) if targets else there

    def forced(self, here: Configuration) -> tuple[bytes, tuple[int, ...]]:
        """Return the bytes that must follow a configuration, and tokens that spell them."""
        with self._cache.lock:
            return forced(self._matcher, here, self.vocabulary)


def _check(grammar: object, vocabulary: object) -> None:
    """Raise TypeError for anything but a grammar and a vocabulary."""
    if not isinstance(grammar, Grammar):
        kind = type(grammar).__name__
        hint = ": take its `grammar`" if hasattr(grammar, "grammar") else ""
        raise TypeError(f"grammar must be a pdl Grammar, not {kind}{hint}")
    check_vocabulary(vocabulary)


def _check_seconds(seconds: object) -> None:
    """Raise TypeError or ValueError for anything but a time."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise TypeError(f"seconds must be a number, not {type(seconds).__name__}")
    if not 0 <= seconds <= _LONGEST:
        raise ValueError(f"seconds must be from 0 to {_LONGEST}, not {seconds}")


def _release(collector: TokenCollector, matcher: Matcher) -> None:
    """Break reference cycles, which would otherwise wait for the garbage collector."""
    collector.release()
    matcher.release()


@frozen_value
@dataclass(frozen=True, slots=True)
class State(TokenState):
    """A position in the texts of a grammar: an immutable value, so keep one to backtrack to it.

    `copy` returns the state itself; `pickle` raises TypeError: keep the tokens instead.
    """

    masker: Masker
    configuration: Configuration

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError(
            "a State belongs to its Masker in this process and cannot be pickled: keep the tokens,"
            " and accept them again"
        )

    def __repr__(self) -> str:
        return f"<State of {self.masker!r}{', complete' if self.is_complete else ''}>"

    @property
    def is_complete(self) -> bool:
        """Whether the text may end here."""
        return self.configuration.complete

    def bitmask(self) -> Ints:
        """Return which tokens may come next: bit `n % 32` of number `n // 32` is that of token `n`.

        Read-only. The tokens that end a text are among them where it may end.
        """
        return self.masker.mask(self.configuration)

    def accept(self, token: int) -> State | Ended:
        """Return the state after one more token.

        Raises TokenError for one that is not allowed or does not exist. A token that ends a text
        leads to a state where none is allowed.
        """
        masker = self.masker
        vocabulary = masker.vocabulary
        if type(token) is not int:
            token = token_id(token)
        if not 0 <= token < len(vocabulary):
            raise refusal(vocabulary, token)
        if token in vocabulary.eos and self.configuration.complete:
            return Ended(vocabulary)
        there = masker.step(self.configuration, token)
        if there is None:
            raise refusal(vocabulary, token)
        return State(masker, there)

    def forced(self) -> tuple[bytes, tuple[int, ...]]:
        """Return the bytes that must come next, and tokens that spell them, the longest ones first.

        There are no bytes where the text may end, or where a token that is not text may come. The
        tokens are one spelling of those bytes, as far as whole tokens go; a model may be used to
        another one, whose last token continues with what follows.
        """
        return self.masker.forced(self.configuration)


def fill_bitmasks(states: Sequence[TokenState | None], out: Ints) -> None:
    """Write the masks of some states into the rows of `out`, in order.

    None represents an unconstrained text. Raises ValueError unless `out` has a row for each state,
    of the length of its mask, and is writable; TypeError if it is not an array of 32-bit integers,
    and for anything but a list of states.
    """
    _check_batch(states, out)
    if len(out) != len(states):
        raise ValueError(f"out has {len(out)} rows for {len(states)} states")
    for row, state in zip(out, states, strict=True):
        if state is None:
            row[...] = -1
        else:
            mask = state.bitmask()
            if row.shape != mask.shape:
                raise ValueError(f"a row of out is {row.shape}, and a mask {mask.shape}")
            row[...] = mask


def _check_batch(states: object, out: object) -> None:
    """Raise TypeError or ValueError for what masks can't be written from, or to."""
    if not isinstance(states, Sequence):
        raise TypeError(f"states must be a list of states, not {type(states).__name__}")
    for state in states:
        if state is not None and not hasattr(state, "bitmask"):
            kind = type(state).__name__
            raise TypeError(f"states must be of maskers (`masker.start()`) or None, not {kind}")
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be an array of numpy, not {type(out).__name__}")
    if out.dtype != np.int32:
        raise TypeError(f"out must be of int32, not {out.dtype}")
    if out.ndim != 2:  # noqa: PLR2004 - texts, and their masks
        raise ValueError(f"out must have two dimensions (texts, numbers of a mask), not {out.ndim}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
