"""What optimizing a grammar has come to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from pdl.cli.reports.json_text import json_document
from pdl.gbnf.empty import Emptiness
from pdl.gbnf.linting.rules import reached_rules
from pdl.gbnf.linting.search import Search
from pdl.gbnf.linting.shortest import Shortest

if TYPE_CHECKING:
    from typing import Self

    from pdl.gbnf import Grammar


@dataclass(frozen=True)
class Size:
    """How large a grammar is: `stacks` are the most that are known to live at once."""

    rules: int
    characters: int
    stacks: int

    @classmethod
    def of(cls, grammar: Grammar) -> Self:
        """The size of a grammar; its characters are those of its text in one spelling."""
        return cls(len(grammar.rules), len(str(grammar)), _stacks(grammar))


def _stacks(grammar: Grammar) -> int:
    shortest, empty = Shortest(grammar.rule), Emptiness(grammar.rule)
    most, _ = Search(grammar, reached_rules(grammar), shortest, empty).worst()
    return most.peak.size


def sizes_text(before: Size, after: Size) -> str:
    """One line: `rules 12 -> 8, characters 640 -> 512, live stacks 30 -> 6`."""
    told = (
        ("rules", before.rules, after.rules),
        ("characters", before.characters, after.characters),
        ("live stacks", before.stacks, after.stacks),
    )
    return ", ".join(f"{name} {old:,} -> {new:,}" for name, old, new in told)


def optimized_json(made: Grammar, before: Size, after: Size) -> str:
    """The grammar's text, and both sizes."""
    return json_document(
        {
            "ok": True,
            "grammar": str(made),
            "root": made.root,
            "before": asdict(before),
            "after": asdict(after),
        }
    )
