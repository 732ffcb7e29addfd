"""What mends a diagnostic: the values, and the fixes that hints spell out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.document import Edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl.edit.document import Document, Typed
    from pdl.edit.features.diagnostics import Diagnostic
    from pdl.edit.notation import Notation
    from pdl.edit.workspace import Workspace

_QUOTED = re.compile(r"`([^`]+)`")
_SUGGESTED = re.compile(r"did you mean `([^`]+)`\?")
_WRITTEN = re.compile(r"write `([^`…]+)`(?:, without quotes| here)?")


class Fix(NamedTuple):
    """Changes of a document that mend a diagnostic; preferred if they are most likely meant."""

    title: str
    edits: tuple[Edit, ...]
    is_preferred: bool = True


@dataclass(frozen=True)
class Case:
    """A diagnostic of a document, and what surrounds it."""

    workspace: Workspace
    document: Document
    diagnostic: Diagnostic

    @property
    def text(self) -> str:
        """The whole text."""
        return self.document.text

    @property
    def start(self) -> int:
        """Where the range begins."""
        return self.diagnostic.range.start

    @property
    def end(self) -> int:
        """Where the range ends."""
        return self.diagnostic.range.end

    @property
    def hint(self) -> str:
        """What the diagnostic advises."""
        return self.diagnostic.hint

    @property
    def message(self) -> str:
        """What the diagnostic says."""
        return self.diagnostic.message

    @property
    def written(self) -> str:
        """The text in the range."""
        return self.text[self.start : self.end]

    @property
    def names(self) -> list[str]:
        """What the message has in backticks."""
        return _QUOTED.findall(self.message)

    @property
    def line_end(self) -> int:
        """Where the line of the beginning ends."""
        found = self.text.find("\n", self.start)
        return found if found >= 0 else len(self.text)

    @property
    def line_start(self) -> int:
        """Where the line of the beginning begins."""
        return self.text.rfind("\n", 0, self.start) + 1

    @cached_property
    def typed(self) -> Typed | None:
        """The typed text that it is in."""
        return self.document.typed_at(self.start)

    @cached_property
    def notation(self) -> Notation | None:
        """The tokens of that text."""
        return self.typed.notation if self.typed is not None else None

    @property
    def token(self) -> int:
        """The index of the token that begins with the range, or -1."""
        if self.notation is None:
            return -1
        at = self.notation.at(self.start)
        return at if at >= 0 and self.notation.tokens[at].start == self.start else -1

    def replace(self, text: str, *, preferred: bool = True) -> Fix:
        """Replace the range."""
        return Fix(f"change to `{_short(text)}`", (Edit(self.start, self.end, text),), preferred)

    def remove(self, start: int, end: int, title: str = "", *, preferred: bool = True) -> Fix:
        """Remove a part of the text."""
        title = title or f"remove `{_short(self.text[start:end].strip())}`"
        return Fix(title, (Edit(start, end, ""),), preferred)

    def add(self, at: int, text: str, *, preferred: bool = True) -> Fix:
        """Put a text somewhere."""
        return Fix(f"add `{_short(text.strip())}`", (Edit(at, at, text),), preferred)

    def remove_line(self) -> Fix:
        """Remove the line of the beginning."""
        return self.remove(self.line_start, min(self.line_end + 1, len(self.text)))


if TYPE_CHECKING:
    Fixer = Callable[[Case], Iterator[Fix]]


def _short(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= 40 else f"{shown[:39]}…"  # noqa: PLR2004 - as much as a menu shows


def suggested(case: Case) -> Iterator[Fix]:
    """`did you mean …?`, of the word in the range."""
    found = _SUGGESTED.fullmatch(case.hint)
    if found is not None:
        yield case.replace(found[1])


def of_a_word(case: Case) -> Iterator[Fix]:
    """`did you mean …?`, if the range is a word, or a mark of a file of cases."""
    if case.diagnostic.code == "test/mark" or re.fullmatch(r"[\w-]+", case.written):
        yield from suggested(case)


def as_hinted(case: Case) -> Iterator[Fix]:
    """`did you mean …?` and `write …`, of the range."""
    yield from suggested(case)
    found = _WRITTEN.fullmatch(case.hint)
    if found is not None:
        yield case.replace(found[1])


def quote(text: str) -> str:
    """Return a text as a string of the DSL."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def type_of(text: str) -> str:
    """Return the type of a constant."""
    if re.fullmatch(r"-?\d+", text):
        return "int"
    if re.fullmatch(r"-?\d*\.?\d+(?:[eE][-+]?\d+)?", text):
        return "float"
    return "bool" if text in ("true", "false") else "str" if text[:1] in ("'", '"') else "any"
