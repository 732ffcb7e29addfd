"""The strings of JSON Schema's formats (2020-12 validation, 7.3), where they are regular.

The rules are those by which answers are checked. Where a format is not regular, or only by counting
what no grammar should count, `Fit` says how the language differs.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pdl.automata.dfa import DEFAULT_BUDGET

if TYPE_CHECKING:
    from pdl.automata.dfa import Budget, Dfa


class Fit(Enum):
    """How a language compares with the strings that are checked to be of the format."""

    EXACT = "exact"
    NARROWER = "narrower"
    """All of its strings are of the format, but rare ones of the format are not in it."""
    WIDER = "wider"
    """All strings of the format are in it, and others, which checking must refuse."""


_NARROWER = frozenset(["time", "x-time", "date-time", "x-date-time", "email", "hostname"])
_WIDER = frozenset(["idn-email", "idn-hostname", "regex"])


class Format(NamedTuple):
    """The language of a format."""

    dfa: Dfa
    fit: Fit


def format_of(name: str, *, budget: Budget = DEFAULT_BUDGET) -> Format | None:
    """Return the strings of a format; None for an unknown name, which asserts nothing.

    Raises LimitError if there are more states than the budget allows.
    """
    found = _built(name)
    if found is not None:
        budget.check(found.dfa.states)
    return found


@lru_cache(maxsize=32)
def _built(name: str) -> Format | None:
    from pdl.automata.formats.rfcs import (  # noqa: PLC0415 - most schemas have no formats
        LANGUAGES,
        built,
    )

    if name not in LANGUAGES:
        return None
    wider = Fit.WIDER if name in _WIDER else Fit.EXACT
    return Format(built(LANGUAGES[name]()), Fit.NARROWER if name in _NARROWER else wider)
