"""How many replies were good, and what was wrong with the others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

GOOD = "ok"
UNCHECKED = "unchecked"
"""The verdict on a reply at which the checker itself failed."""

_TELLING = 30.0  # seconds from which on a rate tells something; so that short runs print the same
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


@dataclass
class Tally:
    """Counts that grow while a batch runs.

    `verdicts` are those of all replies, of which `earlier` were checked in an earlier run;
    `faulty` counts the lines that hold no reply.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    earlier: int = 0
    faulty: int = 0

    @property
    def replies(self) -> int:
        """All replies that have a result."""
        return self.verdicts.total()

    @property
    def bad(self) -> int:
        """Those of them that hold no answer."""
        return self.replies - self.verdicts[GOOD]

    @property
    def unchecked(self) -> int:
        """Those of them at which the checker itself failed."""
        return self.verdicts[UNCHECKED]

    def short(self) -> str:
        """The counts for a bar."""
        faulty = f", {self.faulty:,} no reply" if self.faulty else ""
        return f"{self.verdicts[GOOD]:,} good, {self.bad:,} bad{faulty}"

    def long(self, name: str, seconds: float) -> str:
        """The counts at the end: of which file, what was wrong, how fast it went."""
        parts = [f"{name}: {_count(self.replies, 'reply', 'replies')}"]
        if self.replies:
            parts[0] += f", {self.verdicts[GOOD]:,} good, {self.bad:,} bad{self._reasons()}"
        if self.faulty:
            parts.append(f"{_count(self.faulty, 'line', 'lines')} without a reply")
        if self.earlier:
            parts.append(f"{self.earlier:,} checked in an earlier run")
        checked = self.replies - self.earlier
        if seconds > _TELLING and checked:
            parts.append(f"{checked / seconds:,.0f} replies per second")
        return "; ".join(parts)

    def _reasons(self) -> str:
        known = [*_ORDER, *sorted(self.verdicts.keys() - {*_ORDER, GOOD})]
        told = [f"{self.verdicts[name]:,} {name}" for name in known if self.verdicts[name]]
        return f" ({', '.join(told)})" if told else ""


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
