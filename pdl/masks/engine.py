"""The texts of one grammar over one vocabulary: which tokens may come next, and what follows them.

A configuration is one of three kinds. Little may follow where JSON's structure is, and the trie is
walked as far as that goes. Inside a lexeme (`pdl.masks.mask_cache`), its tokens are looked up, and
the walk begins where they leave it. Anywhere else nearly everything may come, but not for long the
same: as in a key that must not be one of some names, or in a string of at most so many characters.
Most tokens lead from there into some lexeme; its mask is right but for those few nodes at which the
two differ, which are walked.

There are two engines, which give the same masks: one of the grammar's matcher and numpy, and one in
C (`pdl.masks.kernel`), which leaves to the first what is too ambiguous for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from pdl.gbnf.limits_errors import uncollected
from pdl.gbnf.matcher import Configuration, Matcher
from pdl.masks.endless import EndlessRtn
from pdl.masks.kernel import LONGEST, FullError, Kernel, KernelError
from pdl.masks.native import library
from pdl.masks.walk import DEAD, Configurations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl.gbnf.rtn import Rtn
    from pdl.limits import Limits
    from pdl.masks.mask_cache import MaskCache
    from pdl.masks.vocabulary import Ints

_ROOM = 50_000  # configurations of which the numbers are kept
_LEAST = 1000  # partial parses that the kernel may have to follow before the matcher refuses


class Place(NamedTuple):
    """A configuration of the kernel."""

    kernel: Kernel
    number: int
    complete: bool


_T = TypeVar("_T")
Here: TypeAlias = "Place | Configuration"
"""A configuration of one of the engines."""


class Engine:
    """The texts of one grammar, followed with its matcher and walked with numpy."""

    def __init__(self, rtn: EndlessRtn, root: int, limits: Limits, cache: MaskCache) -> None:
        self.rtn = rtn
        self.matcher = Matcher(rtn, root, limits)  # type: ignore[arg-type]  # read like an Rtn
        self.start: Here = self.matcher.start
        self._cache = cache
        self._walks = Configurations(self.matcher, rtn, cache.walk)
        self._serial = cache.serial()

    @property
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""
        return self._walks.spent

    def forget(self) -> None:
        """Forget what was learned: all at once, as an interrupt may come at any time."""
        walks = Configurations(self.matcher, self.rtn, self._cache.walk)
        self._serial = self._cache.serial()
        self._walks = walks

    def release(self) -> None:
        """Break reference cycles, which would otherwise wait for the garbage collector."""
        self._walks.forget()
        self.matcher.release()

    def key(self, here: Configuration) -> tuple[int, int]:
        """What the mask of a configuration is known by."""
        if self._walks.full:
            self.forget()
        return self._serial, self._walks.number(here)

    def mask(self, here: Configuration) -> Ints:
        """The mask of a configuration: of the tokens that are text."""
        with uncollected():
            return self._mask(self._walks.number(here))

    def _mask(self, number: int) -> Ints:
        walks = self._walks
        same = walks.clamp(number, self._cache.walk.highest)
        if same != number:
            return self._cache.base((self._serial, same), lambda: self._mask(same)).copy()
        partner = walks.partner(number) if walks.is_broad(number) else None
        if partner is None:
            return walks.walk(number)
        stays = self._cache.base((self._serial, partner), lambda: self._stays(partner))
        return stays.copy() if partner == number else walks.differ(number, partner, stays)

    def _stays(self, number: int) -> Ints:
        """The mask of a configuration in which a lexeme stays."""
        found = self._walks.lexeme(number)
        if found is None:
            return self._walks.walk(number)
        table, members = found
        return self._walks.leave(self._cache.lexeme(table), members)

    def run(self, here: Configuration, data: bytes) -> Configuration | None:
        """Return the configuration after some bytes; None if they can't follow."""
        there, taken = self.matcher.run(here, data)
        return there if taken == len(data) else None

    def targets(
        self, here: Configuration, there: Configuration | None, taken: Callable[[int], int | None]
    ) -> Configuration | None:
        """Return the union of what states with a token lead to, by `taken`, and another one."""
        found = [
            (target, node) for state, node in here.items if (target := taken(state)) is not None
        ]
        return self.matcher.joined(found, there) if found else there

    def states(self, here: Configuration) -> Iterator[int]:
        """The states of a configuration."""
        return (state for state, _ in here.items)


class KernelEngine:
    """The same in C; with the other engine for what is too ambiguous."""

    def __init__(self, rtn: EndlessRtn, root: int, limits: Limits, cache: MaskCache) -> None:
        self.rtn = rtn
        self._root = root
        self._limits = limits
        self._cache = cache
        self._slow: Engine | None = None
        self._held: Kernel | None = None
        self._serial = 0
        _ = self._kernel  # whose errors are raised

    @property
    def _kernel(self) -> Kernel:
        """The kernel, made when it is needed; places keep an old one as long as they are there."""
        held = self._held
        if held is None:
            trie, limit = self._cache.kernel_trie, self._limits.grammar_configurations
            held = Kernel(self.rtn, self._root, trie, limit)
            self._serial = self._cache.serial()
            self._held = held
        return held

    @property
    def start(self) -> Here:
        """The configuration before any text."""
        try:
            return Place(self._kernel, self._kernel.start >> 1, bool(self._kernel.start & 1))
        except KernelError:  # there is no memory for another one
            return self.slow.start

    @property
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""
        kernel, slow = self._held, self._slow
        return (kernel.spent if kernel else 0) + (slow.spent if slow else 0)

    def forget(self) -> None:
        """Forget what was learned."""
        self._held = None
        if self._slow:
            self._slow.forget()

    def release(self) -> None:
        """Break reference cycles, which would otherwise wait for the garbage collector."""
        if self._slow:
            self._slow.release()

    @property
    def slow(self) -> Engine:
        """The engine for what is too ambiguous."""
        if self._slow is None:
            self._slow = Engine(self.rtn, self._root, self._limits, self._cache)
        return self._slow

    def key(self, here: Here) -> tuple[int, int]:
        """What the mask of a configuration is known by."""
        if isinstance(here, Place) and here.kernel is self._held:
            return self._serial, here.number
        return self._tried(here, lambda number: (self._serial, number), Engine.key)

    def _tried(
        self, here: Here, fast: Callable[[int], _T], slow: Callable[[Engine, Configuration], _T]
    ) -> _T:
        """A result of the kernel, of an empty one if it is full, or else of the other engine."""
        if isinstance(here, Place):
            for _ in range(2):
                try:
                    return fast(self._here(here))
                except FullError:
                    self._held = None
                except KernelError:
                    break
        return slow(self.slow, self._configuration(here))

    def _here(self, here: Place) -> int:
        """The number of a place in the kernel of now."""
        if here.kernel is self._kernel:
            return here.number
        kernel = self._kernel
        held = [
            (kernel.states.number(state), kernel.stack(here.kernel.frames(stack)))
            for state, stack in here.kernel.items(here.number)
        ]
        return kernel.config(held, complete=here.complete) >> 1

    def _configuration(self, here: Here) -> Configuration:
        """A configuration of the kernel as one of the matcher."""
        if isinstance(here, Configuration):
            return here
        matcher = self.slow.matcher
        items = []
        for state, stack in here.kernel.items(here.number):
            node = matcher.bottom
            for back in reversed(here.kernel.frames(stack)):
                node = matcher.stack.node({(back, node)}, ())
            items.append((state, node))
        return matcher.of(items, complete=here.complete)

    def mask(self, here: Here) -> Ints:
        """The mask of a configuration: of the tokens that are text."""
        return self._tried(here, self._mask, Engine.mask)

    def _mask(self, number: int) -> Ints:
        kernel = self._kernel
        same, partner = kernel.kind(number)
        if same != number:
            return self._cache.base((self._serial, same), lambda: self._mask(same)).copy()
        if partner == DEAD:
            return kernel.walk(number)
        stays = self._cache.base((self._serial, partner), lambda: self._stays(partner))
        return stays.copy() if partner == number else kernel.differ(number, partner, stays)

    def _stays(self, number: int) -> Ints:
        """The mask of a configuration in which a lexeme stays."""
        found = self._kernel.lexeme(number)
        if found is None:
            return self._kernel.walk(number)
        table, members = found
        return self._kernel.leave(self._cache.kernel_lexeme(table), members)

    def run(self, here: Here, data: bytes) -> Here | None:
        """Return the configuration after some bytes; None if they can't follow."""
        return self._tried(
            here,
            lambda number: self._place(self._kernel.run(number, data)),
            lambda slow, held: slow.run(held, data),
        )

    def _place(self, found: int) -> Place | None:
        return Place(self._kernel, found >> 1, bool(found & 1)) if found else None

    def targets(
        self, here: Here, there: Here | None, taken: Callable[[int], int | None]
    ) -> Here | None:
        """Return the union of what states with a token lead to, by `taken`, and another one."""
        if isinstance(here, Place) and not isinstance(there, Configuration):
            try:
                return self._targets(here, there, taken)
            except KernelError:
                pass
        other = None if there is None else self._configuration(there)
        return self.slow.targets(self._configuration(here), other, taken)

    def _targets(
        self, here: Place, there: Place | None, taken: Callable[[int], int | None]
    ) -> Place | None:
        kernel = self._kernel
        found = []
        for state, stack in here.kernel.items(here.number):
            target = taken(state)
            if target is not None:
                frames = kernel.stack(here.kernel.frames(stack))
                found.append((kernel.states.number(target), frames))
        if not found:
            return there
        if there is not None:
            held = there.kernel.items(there.number)
            found += [
                (kernel.states.number(state), kernel.stack(there.kernel.frames(stack)))
                for state, stack in held
            ]
        complete = there is not None and there.complete
        return self._place(kernel.config(found, complete=complete))

    def states(self, here: Here) -> Iterator[int]:
        """The states of a configuration."""
        if isinstance(here, Configuration):
            return self.slow.states(here)
        return (state for state, _ in here.kernel.items(here.number))


AnyEngine: TypeAlias = "Engine | KernelEngine"


def engine(rtn: Rtn, root: int, limits: Limits, cache: MaskCache) -> AnyEngine:
    """The engine for a grammar: that in C, if it is there."""
    endless = EndlessRtn(rtn)
    is_usual = limits.grammar_configurations >= _LEAST and cache.walk.highest <= LONGEST
    if library() is not None and is_usual:
        try:
            return KernelEngine(endless, root, limits, cache)
        except KernelError:  # too ambiguous from the start
            pass
    return Engine(endless, root, limits, cache)
