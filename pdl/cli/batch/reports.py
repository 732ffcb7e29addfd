"""What a batch tells: counts, rows that can't be used, a progress bar, and a summary."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from pdl.batch.checker import NO_SCHEMA, UNCHECKED
from pdl.batch.results import VALID
from pdl.cli.terminal import FAILED, INTERRUPTED, INVALID, UNREACHABLE, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from pdl.batch.manifest import UnitRecord
    from pdl.errors import Problem

_RATE_AFTER = 30.0  # seconds; the rate of a shorter run says little, and differs each time
_SHOWN = 20  # rows that can't be used, and that are shown
_ORDER = (
    "wrong-schema",
    "absent",
    "truncated",
    "unparsable",
    "ambiguous",
    "elided",
    "limit",
    UNCHECKED,
)
_BROKEN = frozenset({UNCHECKED, NO_SCHEMA})
_REDRAWN_AFTER = 0.1  # seconds
_WIDTH = 24
_ERASE_LINE = "\r\x1b[K"


@dataclass(frozen=True)
class Nouns:
    """What rows are called: one, several, what is done to them, and what a bad row lacks."""

    one: str = "reply"
    several: str = "replies"
    done: str = "checked"
    lacks: str = "a reply"


@dataclass
class Tally:
    """Counts that grow while a batch runs.

    `verdicts` are those of all rows, of which `earlier` were done in an earlier run; `faulty`
    counts the rows that can't be used, `unread` the parts of the input that can't be read, `kept`
    results of an earlier run for something else, `unanswered` the units with rows that got no
    answer. `spent` has the tokens and the cost of all results.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    earlier: int = 0
    faulty: int = 0
    unread: int = 0
    unanswered: int = 0
    spent: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    nouns: Nouns = field(default_factory=Nouns)

    @property
    def invalid(self) -> int:
        """The rows that are not valid."""
        return self.verdicts.total() - self.verdicts[VALID]

    @property
    def exit_code(self) -> int:
        """That of the command."""
        if self.unanswered:
            return UNREACHABLE
        if self.faulty or self.unread or any(self.verdicts[one] for one in _BROKEN):
            return FAILED
        return INVALID if self.invalid else 0

    def add(self, record: UnitRecord, *, is_earlier: bool) -> None:
        """Count a unit that is done."""
        self.verdicts.update(record.verdicts)
        self.faulty += record.faulty
        self.spent.update(record.spent)
        if is_earlier:
            self.earlier += record.rows
        else:
            self.kept += record.kept

    def short(self) -> str:
        """Return the counts for a progress bar."""
        faulty = f", {self.faulty:,} without {self.nouns.lacks}" if self.faulty else ""
        return f"{self.verdicts[VALID]:,} valid, {self.invalid:,} invalid{faulty}"

    def long(self, name: str, seconds: float) -> str:
        """Return the summary: the file, the counts by reason, and the rate."""
        count, nouns = self.verdicts.total(), self.nouns
        parts = [f"{name}: {_count(count, nouns.one, nouns.several)}"]
        if count:
            parts[0] += f", {self.verdicts[VALID]:,} valid, {self.invalid:,} invalid"
            known = [*_ORDER, *sorted(self.verdicts.keys() - {*_ORDER, VALID})]
            reasons = [f"{self.verdicts[one]:,} {one}" for one in known if self.verdicts[one]]
            parts[0] += f" ({', '.join(reasons)})" if reasons else ""
        if self.faulty:
            parts.append(f"{_count(self.faulty, 'line', 'lines')} without {nouns.lacks}")
        if self.unread:
            parts.append(f"{_count(self.unread, 'part', 'parts')} of the input can't be read")
        if self.unanswered:
            parts.append(f"{_count(self.unanswered, 'part', 'parts')} not complete")
        if self.spent["tokens"]:
            cost = f", cost {self.spent['cost']:,.4f}" if self.spent["cost"] else ""
            parts.append(f"{self.spent['tokens']:,.0f} tokens{cost}")
        if self.earlier:
            parts.append(f"{self.earlier:,} {nouns.done} in an earlier run")
        new = count - self.earlier
        if seconds > _RATE_AFTER and new:
            parts.append(f"{new / seconds:,.0f} {nouns.several} per second")
        return "; ".join(parts)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


class Progress:
    """A bar on a terminal, in bytes of the input, of which there are `total` if that is known."""

    def __init__(
        self, terminal: Terminal, total: int | None, *, shown: bool, lacks: str = "a reply"
    ) -> None:
        self._terminal = terminal
        self._lacks = lacks
        self._at = self._drawn_at = 0
        self._drawn = 0.0
        self._words = ""
        self._faults = 0
        self._bar = (
            click.progressbar(
                iter(()) if total is None else None,  # moved by hand
                length=total,
                file=terminal.stream,
                item_show_func=lambda _: self._words,
                width=_WIDTH,
            )
            if shown
            else None
        )

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the bar as it was last; what is written next comes below it."""
        if self._bar is not None:
            self._draw(self._bar)
            self._bar.__exit__(kind, error, trace)

    def show(self, at: int, words: str) -> None:
        """Move the bar, and draw it rarely enough that this costs nothing."""
        self._at, self._words = at, words
        if self._bar is not None and time.monotonic() - self._drawn > _REDRAWN_AFTER:
            self._draw(self._bar)

    def _draw(self, bar: Any) -> None:
        bar.update(self._at - self._drawn_at)
        self._drawn, self._drawn_at = time.monotonic(), self._at

    def write(self, text: str) -> None:
        """Write text above the bar."""
        self._terminal.write(f"{_ERASE_LINE if self._bar is not None else ''}{text}")

    def problem(self, problem: Problem) -> None:
        """Write a problem above the bar; after some, only that there are more."""
        self._faults += 1
        if self._faults <= _SHOWN:
            self.write(self._terminal.problem(problem))
        elif self._faults == _SHOWN + 1:
            self.write(f"… further lines without {self._lacks} are only counted")


def summarized(tally: Tally, name: str, run: Callable[[], None], *, resumes: bool) -> int:
    """Run a batch, and print its summary, whatever ends it. Returns the exit code."""
    began = time.monotonic()
    is_interrupted = False
    try:
        run()
    except KeyboardInterrupt:
        is_interrupted = True
    terminal = Terminal.stderr()
    terminal.write(terminal.safe(tally.long(name, time.monotonic() - began)))
    if is_interrupted:
        again = "; run the same command again to resume" if resumes else ""
        terminal.write(f"interrupted by Ctrl-C{again}")
        return INTERRUPTED
    return tally.exit_code
