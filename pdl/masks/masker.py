"""`Masker` and `State`: which tokens of a vocabulary may come next in a text of a grammar.

`fill_bitmasks` writes the masks of many texts at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from time import thread_time
from typing import TYPE_CHECKING, NoReturn, TypeVar, TypeVarTuple
from weakref import finalize

import numpy as np

from pdl.errors import LimitError
from pdl.gbnf.grammar import Grammar
from pdl.gbnf.limits_errors import within_stack
from pdl.gbnf.nodes import frozen_value
from pdl.masks.engine import Engine
from pdl.masks.forced import forced, prefetch
from pdl.masks.mask_cache import mask_cache
from pdl.masks.native import library
from pdl.masks.protocol import Ended, TokenState, check_vocabulary, refusal, token_id
from pdl.masks.pruning import References, prune_to_vocabulary
from pdl.masks.trie_walk import set_bits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl.masks.engine import Here
    from pdl.masks.vocabulary import Ints, Vocabulary


_LONGEST = 3600
_Arguments = TypeVarTuple("_Arguments")
_T = TypeVar("_T")


def _alone(
    method: Callable[[Masker, *_Arguments], _T],
) -> Callable[[Masker, *_Arguments], _T]:
    """Let one thread in at a time; an interrupt drops what was learned, which may be half of it."""

    @wraps(method)
    def alone(self: Masker, /, *arguments: *_Arguments) -> _T:
        with self._cache.lock:
            try:
                return method(self, *arguments)
            except LimitError:  # which comes between two things that are learned
                raise
            except BaseException:
                self.forget()
                raise

    return alone


class Masker:
    """The masks of one grammar over one vocabulary.

    Masks are computed when they are requested, and cached; what tokens do inside strings, numbers
    and other small rules is found once for all grammars over a vocabulary. All caches of a
    vocabulary take at most 84 MB. Threads may share maskers and states; one of them works at a
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
        self._cache = mask_cache(vocabulary)
        self._prepared = 0.0
        self.used = 0
        """When it was used last, for the cache."""
        with self._cache.lock:
            left, native = None if whole else rules, library() is not None
            self._engine = Engine(grammar, left, self._cache, native=native)
            self._cache.learners.add(self)
        finalize(self, self._engine.release)

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
        return self._engine.spent

    def forget(self) -> None:
        """Drop what was learned of this grammar alone; it will be learned again."""
        with self._cache.lock:
            self._engine.forget()

    @_alone
    def start(self) -> State:
        """Return the state before any text."""
        return State(self, self._engine.start)

    def prepare(self, seconds: float) -> None:
        """Compute masks in advance, nearest to the start first, while a model reads its prompt.

        It stops when this masker has spent so many seconds on that, with earlier calls, and one
        mask more; 0.025 are enough for the masks near the start. Between masks, it lets other
        threads in. Raises TypeError and ValueError for anything but a number from 0 to 3600.
        """
        _check_seconds(seconds)
        began = thread_time() - self._prepared
        following = prefetch(self._engine, self.vocabulary, self.mask)
        with suppress(LimitError):  # of a text that might never come
            while thread_time() - began < seconds:
                if self._next(following) is None:
                    break
        self._prepared = thread_time() - began

    @_alone
    def _next(self, following: Iterator[Here]) -> Here | None:
        return next(following, None)

    @_alone
    def mask(self, here: Here) -> Ints:
        """Return the mask of a configuration of this masker's states."""
        return self._cache.masks.get(self._engine.key(here), lambda: self._made(here))

    def _made(self, here: Here) -> Ints:
        self._cache.check(self)
        engine = self._engine
        found = engine.mask(here)
        if engine.rtn.tokens:
            for state in engine.states(here):
                edge = engine.rtn.token_edge(state)
                if edge:
                    set_bits(found, self._references.tokens(edge[0]))
        if here.complete:
            set_bits(found, np.array(list(self.vocabulary.eos), np.int32))
        found.flags.writeable = False
        return found

    @_alone
    def step(self, here: Here, token: int) -> Here | None:
        """Return the configuration after a token; None if it is not allowed."""
        engine = self._engine
        there: Here | None = None
        if token not in self.vocabulary.special:
            there = engine.run(here, self.vocabulary.tokens[token])
        if not engine.rtn.tokens:
            return there

        def taken(state: int) -> int | None:
            edge = engine.rtn.token_edge(state)
            return edge[1] if edge and self._references.takes(edge[0], token) else None

        return engine.targets(here, there, taken)

    @_alone
    def forced(self, here: Here) -> tuple[bytes, tuple[int, ...]]:
        """Return the bytes that must follow a configuration, and tokens that spell them."""
        return forced(self._engine, here, self.vocabulary)


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


@frozen_value
@dataclass(frozen=True, slots=True)
class State(TokenState):
    """A position in the texts of a grammar: an immutable value, so keep one to backtrack to it.

    `copy` returns the state itself; `pickle` raises TypeError: keep the tokens instead.
    """

    masker: Masker
    configuration: Here

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
        token = token_id(token)
        if token in vocabulary.eos and self.configuration.complete:
            return Ended(vocabulary)
        is_known = 0 <= token < len(vocabulary)
        there = masker.step(self.configuration, token) if is_known else None
        if there is None:
            raise refusal(vocabulary, token)
        return State(masker, there)

    def forced(self) -> tuple[bytes, tuple[int, ...]]:
        """Return the bytes that must come next, and tokens that spell them, the longest ones first.

        There are no bytes where the text may end, or where a token that is not text may come, and
        4,096 at most: ask again after them. The tokens are one spelling of those bytes, as far as
        whole tokens go; a model may be used to another one, whose last token continues with what
        follows.
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
