"""The formats by their names."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pdl.automata.build import ANYTHING
from pdl.automata.dfa import DEFAULT_BUDGET
from pdl.automata.formats import dates, hosts, links

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl.automata.dfa import Budget, Dfa


class Fit(Enum):
    """How a language compares with the strings that are checked to be of the format."""

    EXACT = "exact"
    NARROWER = "narrower"
    """All of its strings are of the format, but rare ones of the format are not in it."""
    WIDER = "wider"
    """All strings of the format are in it, and others, which checking must refuse."""


class Format(NamedTuple):
    """The language of a format."""

    dfa: Dfa
    fit: Fit


def format_of(name: str, *, budget: Budget = DEFAULT_BUDGET) -> Format | None:
    """The strings of a format; None for an unknown name, which asserts nothing.

    Raises LimitError if there are more states than the budget allows.
    """
    if name not in _FORMATS:
        return None
    found = _built(name)
    budget.check(found.dfa.states)
    return found


@lru_cache(maxsize=32)
def _built(name: str) -> Format:
    build, fit = _FORMATS[name]
    return Format(build(), fit)


_FORMATS: Mapping[str, tuple[Callable[[], Dfa], Fit]] = {
    "date": (dates.date, Fit.EXACT),
    "time": (dates.time, Fit.NARROWER),
    "x-time": (dates.local_time, Fit.NARROWER),
    "date-time": (dates.date_time, Fit.NARROWER),
    "x-date-time": (dates.local_date_time, Fit.NARROWER),
    "duration": (dates.duration, Fit.EXACT),
    "email": (hosts.email, Fit.NARROWER),
    "idn-email": (hosts.idn_email, Fit.WIDER),
    "hostname": (hosts.hostname, Fit.NARROWER),
    "idn-hostname": (hosts.idn_hostname, Fit.WIDER),
    "ipv4": (hosts.ipv4, Fit.EXACT),
    "ipv6": (hosts.ipv6, Fit.EXACT),
    "uri": (links.uri, Fit.EXACT),
    "uri-reference": (links.uri_reference, Fit.EXACT),
    "iri": (links.iri, Fit.EXACT),
    "iri-reference": (links.iri_reference, Fit.EXACT),
    "uri-template": (links.uri_template, Fit.EXACT),
    "uuid": (links.uuid, Fit.EXACT),
    "json-pointer": (links.json_pointer, Fit.EXACT),
    "relative-json-pointer": (links.relative_json_pointer, Fit.EXACT),
    "regex": (lambda: ANYTHING, Fit.WIDER),
}
