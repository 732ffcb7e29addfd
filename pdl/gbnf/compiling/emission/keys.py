"""Tries of keys that share their branches: with one more key, most of a trie stays as it is.

The states of an object in which keys come in order allow one key less from one to the next, so
that all their tries together are little more than one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.compiling.emission.branches import Branches
from pdl.gbnf.compiling.emission.parts import joined

if TYPE_CHECKING:
    from pdl.gbnf.compiling.emission.letters import Letters
    from pdl.gbnf.compiling.emission.parts import Row, Rows

_END = "\udfff"
"""Ends each word: no key has it, so that no word begins another one."""


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A text, and what follows: the row behind a word that has ended, or more branches."""

    label: str
    follow: Row | Trie
    row: Row


Trie: TypeAlias = "Branches[Branch]"
"""Some words, each with the row that follows it; behind the opening quote of a key."""


class Tries:
    """Makes tries for one object; their rules are called like it."""

    def __init__(self, letters: Letters, wish: str) -> None:
        self._letters = letters
        self._wish = wish

    def of(self, rows: Rows) -> Trie:
        """A trie of no words, with rows for keys that are not listed."""
        return Branches.of(rows, f"{self._wish}-more")

    def with_key(self, trie: Trie, key: str, row: Row) -> Trie:
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

    def _one(self, branch: Branch) -> Trie:
        empty: Trie = Branches.of((), "")
        return empty.with_branch(branch.label[0], branch, branch.row, self._wish)

    def _branch(self, label: str, follow: Row | Trie) -> Branch:
        if isinstance(follow, Branches):
            row = joined(self._letters.text(label, self._wish), follow.draft)
        else:
            row = joined(self._letters.text(label[:-1], self._wish), '"', follow)
        return Branch(label, follow, row)


def _shared(one: str, other: str) -> int:
    """How many characters two texts have in common at their starts."""
    least = min(len(one), len(other))
    return next((at for at in range(least) if one[at] != other[at]), least)
