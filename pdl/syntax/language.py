"""A language: a grammar, and the author's words for its terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pdl.errors import Problem, error_from
from pdl.syntax.runner import END, StuckError, runner

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl.source import Source, Span


class Unexpected(NamedTuple):
    """The first position where a text is not in the language.

    `found` is the text there, empty at the end; `expected` are the terminals that could be there,
    empty if the text there is not a terminal at all.
    """

    source: Source
    start: int
    found: str
    expected: frozenset[str]

    @property
    def before(self) -> str:
        """The word or the character before the position, empty at the beginning."""
        head = self.source.text[max(0, self.start - 200) : self.start].rstrip()
        cut = len(head)
        while cut and (head[cut - 1].isalnum() or head[cut - 1] in "_-."):
            cut -= 1
        return head[cut:] or head[-1:]


class Advice(NamedTuple):
    """What a language knows better than the general message; empty fields leave it unchanged.

    `code` is the problem's code without its kind, `span` the range to point at.
    """

    message: str = ""
    hint: str = ""
    code: str = ""
    span: Span | None = None


class Language(NamedTuple):
    """A packaged grammar with the words that its errors use.

    `kind` is the first part of its problems' codes. `words` gives each terminal's name in errors
    (a terminal without one is never named). `groups` gives one name to several terminals that can
    occur at the same position; the first that applies wins. The `minor` terminals are named only
    where nothing else is expected: they are allowed nearly everywhere.
    """

    grammar: str
    kind: str
    noun: str
    words: Mapping[str, str]
    groups: tuple[tuple[frozenset[str], str], ...] = ()
    minor: frozenset[str] = frozenset()
    builder: type = object
    advise: Callable[[Unexpected], Advice] = lambda _: Advice()

    def parse(self, source: Source) -> Any:
        """Parse a text with the language's builder, which has a method for each production.

        Raises the error of this language's kind, with the position, what was expected there and
        what was found.
        """
        try:
            return runner(self.grammar).parse(source.text, self.builder())
        except StuckError as stuck:
            token = stuck.token
            start = len(source.text.rstrip()) if token.type == END else token.start
            unexpected = Unexpected(source, start, token.text, stuck.expected)
            raise error_from([self._problem(unexpected)]) from stuck

    def _problem(self, unexpected: Unexpected) -> Problem:
        advice = self.advise(unexpected)
        start, end = unexpected.start, unexpected.start + max(1, len(unexpected.found))
        found = f"`{unexpected.found}`" if unexpected.found else f"the end of the {self.noun}"
        message = f"unexpected {found}"
        if unexpected.expected:
            message = f"expected {self.name(unexpected.expected)}, found {found}"
        return Problem(
            f"{self.kind}/{advice.code or 'syntax'}",
            advice.message or message,
            advice.span or unexpected.source.span(start, end),
            advice.hint,
        )

    def name(self, expected: frozenset[str]) -> str:
        """Return the terminals in the author's words: "a type", "`,` or `}`"."""
        if END in expected:
            return f"the end of the {self.noun}"
        left = set(expected)
        names = []
        for group, name in self.groups:
            if group <= left:
                names.append(name)
                left -= group
        major = left - self.minor if names or left - self.minor else left
        names += [word for terminal, word in self.words.items() if terminal in major]
        return _either(names)


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
