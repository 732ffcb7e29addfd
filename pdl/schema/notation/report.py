"""Where the problems of one text are gathered, so that all are told at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import Problem, error_from

if TYPE_CHECKING:
    from pdl.schema.notation.tree import Node
    from pdl.source import Source

_MOST = 100  # problems that are told; a text with more is of another kind altogether


class Report:
    """The problems of a source, in the order in which they were found."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._problems: list[Problem] = []

    def add(self, code: str, message: str, node: Node, hint: str = "") -> None:
        """A problem at a node; `code` has its kind (`schema/unknown-type`)."""
        span = self.source.span(node.start, max(node.end, node.start + 1))
        if len(self._problems) < _MOST:
            self._problems.append(Problem(code, message, span, hint))

    @property
    def is_full(self) -> bool:
        """Whether no further problem would be told, so that none needs to be looked for."""
        return len(self._problems) >= _MOST

    def __bool__(self) -> bool:
        return bool(self._problems)

    def check(self) -> None:
        """Raise what was found, in the order of the text."""
        if self._problems:
            raise error_from(sorted(self._problems, key=_place))


def _place(problem: Problem) -> int:
    return problem.span.start if problem.span else 0
