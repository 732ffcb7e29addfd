"""The texts of one grammar over one vocabulary: which tokens may come next, and what follows them.

They are followed by the kernel in C (`pdl.masks.kernel`) where it was built, else by an automaton
with numpy (`pdl.masks.walk`), which gives the same masks. The grammar's matcher takes over where a
text has too many parses for either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.gbnf.matcher import Configuration
from pdl.gbnf.rtn import compile_rtn
from pdl.masks.ambiguous import AmbiguousEngine
from pdl.masks.automaton import AmbiguousError, FullError
from pdl.masks.kernel import LONGEST, Kernel
from pdl.masks.pushdown import Place
from pdl.masks.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.rule_compiler import Parts
    from pdl.masks.mask_cache import MaskCache
    from pdl.masks.vocabulary import Ints

_LEAST = 1000  # partial parses that may have to be followed before the matcher refuses
Here: TypeAlias = "Place | Configuration"
"""A configuration, of a walk or of the matcher."""
AnyWalk: TypeAlias = "Kernel | Walk"


class Engine:
    """The texts of one grammar, or of some rules that are left of it."""

    def __init__(
        self,
        grammar: Grammar,
        rules: Mapping[str, Rule] | None,
        cache: MaskCache,
        *,
        native: bool,
    ) -> None:
        self._limits = limits = grammar.limits
        self._cache = cache
        self._slow: AmbiguousEngine | None = None
        self._held: AnyWalk | None = None
        is_usual = limits.grammar_configurations >= _LEAST and cache.walk.trie.depth <= LONGEST
        self._native = native = native and is_usual
        parts: Parts = "loops" if native else "lexemes"
        if rules is None:
            self.rtn = grammar.network(parts)
        else:
            self.rtn = compile_rtn(rules, limits, grammar.source, parts)
        self._root = self.rtn.names.index(grammar.root)
        _ = self.start  # whose errors are raised

    @property
    def walk(self) -> AnyWalk:
        """What follows texts, made when it is needed; places keep an old one."""
        held = self._held
        if held is None:
            kind = Kernel if self._native else Walk
            held = kind(self.rtn, self._root, self._limits.grammar_configurations, self._cache)
            self._held = held
        return held

    @property
    def start(self) -> Here:
        """The configuration before any text."""
        try:
            return self.walk.start
        except (AmbiguousError, FullError):
            return self.slow.start

    @property
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""
        walk, slow = self._held, self._slow
        return (walk.spent if walk else 0) + (slow.spent if slow else 0)

    def forget(self) -> None:
        """Forget what was learned: all at once, as an interrupt may come at any time."""
        self._drop()
        if self._slow:
            self._slow.forget()

    def _drop(self) -> None:
        """Let the walk go, though places may keep it."""
        walk, self._held = self._held, None
        if walk is not None:
            walk.drop()

    def release(self) -> None:
        """Break reference cycles, which would otherwise wait for the garbage collector."""
        if self._slow:
            self._slow.release()

    @property
    def slow(self) -> AmbiguousEngine:
        """The engine for what is too ambiguous."""
        if self._slow is None:
            self._slow = AmbiguousEngine(self.rtn, self._root, self._limits, self._cache)
        return self._slow

    def _tried(self, method: str, here: Here, *held: object) -> Any:
        """What a method of the walk gives, of an empty one if it is full, or of the matcher."""
        if isinstance(here, Place):
            for _ in range(2):
                try:
                    at = self._here(here)
                    return getattr(at.walk, method)(at, *held)
                except FullError:
                    self._drop()
                except AmbiguousError:
                    break
        return getattr(self.slow, method)(self._configuration(here), *held)

    def _here(self, here: Place) -> Place:
        """A place in the walk of now."""
        walk = self.walk
        if here.walk is walk:
            return here
        return walk.place(here.walk.items(here), complete=here.complete)

    def _configuration(self, here: Here) -> Configuration:
        if not isinstance(here, Place):
            return here
        return self.slow.configuration(here.walk.items(here), complete=here.complete)

    def key(self, here: Here) -> tuple[object, ...]:
        """What the mask of a configuration is known by."""
        if isinstance(here, Place):
            return here.walk.serial, here.parts, here.complete
        return self.slow.serial, here

    def mask(self, here: Here) -> Ints:
        """The mask of a configuration: of the tokens that are text."""
        found: Ints = self._tried("mask", here)
        return found

    def run(self, here: Here, data: bytes) -> Here | None:
        """The configuration after some bytes; None if they can't follow."""
        found: Here | None = self._tried("run", here, data)
        return found

    def targets(
        self, here: Here, there: Here | None, taken: Callable[[int], int | None]
    ) -> Here | None:
        """The union of what states with a token lead to, by `taken`, and another configuration."""
        if isinstance(here, Place) and not isinstance(there, Configuration):
            try:
                at = self._here(here)
                return at.walk.targets(at, there and self._here(there), taken)  # type: ignore[no-any-return]
            except (AmbiguousError, FullError):
                pass
        other = None if there is None else self._configuration(there)
        return self.slow.targets(self._configuration(here), other, taken)

    def states(self, here: Here) -> Iterable[int]:
        """The states of the network in a configuration."""
        if isinstance(here, Configuration):
            return self.slow.states(here)
        found: list[int] = here.walk.states_at(here)
        return found
