"""Tries of keys that share their branches: with one more key, most of a trie stays as it is.

The states of an object in which keys come in order allow one key less from one to the next, so
that all their tries together are little more than one.

The alternatives at a place, by their first characters, are values that share their rules. A few are
a chain, in which the newest stands before a rule for all others. Where one of many is replaced,
they become a tree over the bits of their characters (a crit-bit tree), of which all but the way to
one branch stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from pdl.gbnf.compiling.emission.drafts import ProductionDraft, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.gbnf.compiling.emission.drafts import Alternative, Alternatives
    from pdl.gbnf.compiling.emission.json_strings import JsonStringEncoder


_T = TypeVar("_T")
_NEAR = 5
"""How many branches are written again for one among them that is replaced."""


@dataclass(frozen=True, slots=True, eq=False)
class Leaf(Generic[_T]):
    """One branch: its first character, whatever it is, and its row."""

    char: str
    value: _T
    row: Alternative
    draft: ProductionDraft


@dataclass(frozen=True, slots=True, eq=False)
class Fork(Generic[_T]):
    """Branches whose characters do not have a bit, and those whose characters have it.

    In all higher bits these are alike; `char` is one of them.
    """

    bit: int
    char: str
    left: Tree[_T]
    right: Tree[_T]
    draft: ProductionDraft


Tree: TypeAlias = "Leaf[_T] | Fork[_T]"


@dataclass(frozen=True, slots=True, eq=False)
class Branches(Generic[_T]):
    """Branches with different first characters; `draft` is the rule of all of them.

    `own` stand in front of those of `more`, or else all are in `tree`; `chars` are their first
    characters. `rest` are the rows of what is no branch.
    """

    own: tuple[Leaf[_T], ...]
    more: Branches[_T] | None
    tree: Tree[_T] | None
    rest: ProductionDraft | None
    chars: frozenset[str]
    draft: ProductionDraft

    @classmethod
    def of(cls, rest: Alternatives, wish: str) -> Branches[_T]:
        """No branches, but perhaps other rows."""
        draft = ProductionDraft(wish, rest)
        return cls((), None, None, draft if rest else None, frozenset(), draft)

    def find(self, char: str) -> _T | None:
        """The value of a character's branch, if there is one."""
        if char not in self.chars:
            return None
        if self.tree is not None:
            return _nearest(self.tree, char).value
        return next(leaf.value for leaf in self._chain() if leaf.char == char)

    def with_branch(self, char: str, value: _T, row: Alternative, wish: str) -> Branches[_T]:
        """The same with one branch more, or with another one for its character."""
        leaf = Leaf(char, value, row, ProductionDraft(wish, (row,)))
        if self.tree is not None:
            return self._planted(_put(self.tree, leaf), self.chars | {char}, wish)
        if char not in self.chars:
            return _linked((leaf,), self, wish)
        before: list[Leaf[_T]] = []
        link = self
        while not any(one.char == char for one in link.own):
            before += link.own
            assert link.more is not None
            link = link.more
        others = [one for one in (*before, *link.own) if one.char != char]
        if len(others) < _NEAR:
            assert link.more is not None
            return _linked((leaf, *others), link.more, wish)
        tree: Tree[_T] = leaf
        for one in self._chain():
            if one.char != char:
                tree = _put(tree, one)
        return self._planted(tree, self.chars, wish)

    def _chain(self) -> Iterator[Leaf[_T]]:
        link: Branches[_T] | None = self
        while link is not None:
            yield from link.own
            link = link.more

    def _planted(self, tree: Tree[_T], chars: frozenset[str], wish: str) -> Branches[_T]:
        rows: Alternatives = ((tree.draft,),)
        if self.rest is not None:
            rows += ((self.rest,),)
        return Branches((), None, tree, self.rest, chars, ProductionDraft(wish, rows))


def _linked(own: tuple[Leaf[_T], ...], more: Branches[_T], wish: str) -> Branches[_T]:
    rows: Alternatives = tuple((leaf.draft,) for leaf in own)
    if more.draft.rows:
        rows += ((more.draft,),)
    chars = more.chars.union(leaf.char for leaf in own)
    return Branches(own, more, None, more.rest, chars, ProductionDraft(wish, rows))


def _nearest(tree: Tree[_T], char: str) -> Leaf[_T]:
    """The leaf of a character, or one that is like it in the highest bits."""
    code = ord(char)
    while isinstance(tree, Fork):
        tree = tree.right if code & tree.bit else tree.left
    return tree


def _put(tree: Tree[_T], leaf: Leaf[_T]) -> Tree[_T]:
    """A tree with one more leaf, or with another one for its character."""
    code = ord(leaf.char)
    differ = code ^ ord(_nearest(tree, leaf.char).char)
    highest = 1 << differ.bit_length() >> 1
    path: list[Fork[_T]] = []
    while isinstance(tree, Fork) and tree.bit > highest:
        path.append(tree)
        tree = tree.right if code & tree.bit else tree.left
    made: Tree[_T] = leaf
    if highest:
        made = _forked(highest, tree, made, code)
    for fork in reversed(path):
        made = _forked(fork.bit, fork.left if code & fork.bit else fork.right, made, code)
    return made


def _forked(bit: int, other: Tree[_T], tree: Tree[_T], code: int) -> Fork[_T]:
    """A tree of two; `code` is a character of the second one."""
    left, right = (other, tree) if code & bit else (tree, other)
    draft = ProductionDraft(tree.draft.wish, ((left.draft,), (right.draft,)))
    return Fork(bit, left.char, left, right, draft)


_END = "\udfff"
"""Ends each word: no key has it, so that no word begins another one."""


@dataclass(frozen=True, slots=True, eq=False)
class Disjunction:
    """A text, and what follows: the row behind a word that has ended, or more branches."""

    label: str
    follow: Alternative | Trie
    row: Alternative


Trie: TypeAlias = "Branches[Disjunction]"
"""Some words, each with the row that follows it; behind the opening quote of a key."""


class Tries:
    """Makes tries for one object; their rules are called like it."""

    def __init__(self, encoder: JsonStringEncoder, wish: str) -> None:
        self._encoder = encoder
        self._wish = wish

    def of(self, rows: Alternatives) -> Trie:
        """A trie of no words, with rows for keys that are not listed."""
        return Branches.of(rows, f"{self._wish}-more")

    def with_key(self, trie: Trie, key: str, row: Alternative) -> Trie:
        """A trie with one more key, which is not in it yet."""
        word = key + _END
        path: list[tuple[str, Trie]] = []
        while (branch := trie.find(word[0])) is not None:
            shared = _shared(branch.label, word)
            path.append((word[:shared], trie))
            word = word[shared:]
            if shared < len(branch.label):
                trie = self._one(self._branch(branch.label[shared:], branch.follow))
                break
            assert isinstance(branch.follow, Branches)  # no word begins another one
            trie = branch.follow
        branch = self._branch(word, row)
        made = trie.with_branch(word[0], branch, branch.row, self._wish)
        for label, above in reversed(path):
            branch = self._branch(label, made)
            made.draft.wish = f"{self._wish}-{key[: len(key) + 1 - len(word)]}"
            word = label + word
            made = above.with_branch(label[0], branch, branch.row, self._wish)
        made.draft.wish = f"{self._wish}-from-{key}"
        return made

    def _one(self, branch: Disjunction) -> Trie:
        empty: Trie = Branches.of((), "")
        return empty.with_branch(branch.label[0], branch, branch.row, self._wish)

    def _branch(self, label: str, follow: Alternative | Trie) -> Disjunction:
        if isinstance(follow, Branches):
            row = joined(self._encoder.text(label, self._wish), follow.draft)
        else:
            row = joined(self._encoder.text(label[:-1], self._wish), '"', follow)
        return Disjunction(label, follow, row)


def _shared(one: str, other: str) -> int:
    """How many characters two texts have in common at their starts."""
    least = min(len(one), len(other))
    return next((at for at in range(least) if one[at] != other[at]), least)
