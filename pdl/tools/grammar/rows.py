"""How a format writes calls, as drafts of rules.

What tells one tool from another is its name alone, so names are a trie, and all that stands in
front of them is written once: a model that writes a call is in one place of the grammar at a time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.automata import build
from pdl.automata.charset import EVERY, CharSet
from pdl.gbnf.compiling.emission.forks import forked
from pdl.gbnf.compiling.emission.parts import Again, Choice, Draft, joined

if TYPE_CHECKING:
    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.emission.parts import Row
    from pdl.gbnf.compiling.emission.spacing import Spacing
    from pdl.tools.formats import Format

_BLANKS = CharSet.of("\t\n\r ")


@dataclass(frozen=True)
class Rows:
    """The rows of one set of tools in one format; `arguments` are the rules of their arguments."""

    form: Format
    spacing: Spacing
    arguments: tuple[tuple[str, Draft], ...]

    def calls(self, *, several: bool) -> Row:
        """One call or several."""
        return joined(self.form.opener, self._head(), *self._from_head(several=several))

    def after_trigger(self) -> Row:
        """Several calls, behind what `trigger` takes."""
        if self.form.trigger:
            rest = self.form.opener.removeprefix(self.form.trigger)
            return joined(rest, self._head(), *self._from_head(several=True))
        return joined(self._from_head(several=True))

    def trigger(self) -> Dfa:
        """The texts that begin calls, and that free text does not hold."""
        if self.form.trigger:
            return build.literal(self.form.trigger)
        blanks = build.star(build.chars(_BLANKS))
        return build.concat(build.literal("{"), blanks, build.literal(_key(self.form.name_key)))

    def _head(self) -> Row:
        """What a call begins with, up to its name's key."""
        if not self.form.name_key:
            return ()
        return joined("{", self.spacing.opened, _key(self.form.name_key))

    def _from_head(self, *, several: bool) -> Row:
        tail = Draft("call", (self._tail(),), whole=True)
        if not several:
            return joined(tail, self.form.closer)
        another = Choice((joined(self.form.between, self._head(), tail),))
        return joined(tail, Again(another, 0, None), self.form.closer)

    def _tail(self) -> Row:
        """A call behind its head."""
        names = [(build.literal(name), self._behind(draft)) for name, draft in self.arguments]
        trie = forked(names, "call", None)
        assert trie is not None, "names of 64 characters at most have few states"
        return joined(self.spacing.colon, '"', trie) if self.form.name_key else (trie,)

    def _behind(self, arguments: Draft) -> Row:
        """A call behind its name."""
        if not self.form.name_key:
            return joined(self.form.named, arguments)
        space = self.spacing
        key = joined('"', space.behind, space.comma, _key(self.form.arguments_key), space.colon)
        return joined(key, arguments, space.behind, space.closing, "}")


def text_or(trigger: Dfa, behind: Row, *, on_line: bool) -> Draft:
    """Text that does not hold a trigger; or perhaps such a text, the trigger, and what follows.

    `on_line`: the trigger begins a line. The checker takes a call that no opener tells from text
    for one that is spoken of if it stands in a sentence.
    """
    up_to = build.concat(build.ANYTHING, trigger)
    beyond = build.concat(up_to, build.chars(EVERY), build.ANYTHING)
    free = build.difference(build.complement(build.union(up_to, beyond)), build.EPSILON)
    front = build.union(build.EPSILON, build.concat(build.ANYTHING, build.literal("\n")))
    begun = build.concat(front, trigger) if on_line else up_to
    found = forked([(free, ()), (build.difference(begun, beyond), behind)], "text", None)
    assert found is not None, "a trigger has few states"
    return found


def _key(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
