"""The formats by their names; and dates, times of day and durations (RFC 3339)."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pdl.automata.build import ANYTHING, words
from pdl.automata.charset import CharSet
from pdl.automata.dfa import DEFAULT_BUDGET
from pdl.automata.formats import hosts
from pdl.automata.formats.hosts import (
    DIGIT,
    Piece,
    built,
    either,
    maybe,
    nested,
    numerals,
    some,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pdl.automata.dfa import Budget, Dfa


_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def date() -> Dfa:
    """full-date, in the Gregorian calendar."""
    return built(_date())


def time() -> Dfa:
    """full-time, and a leap second where UTC has it, written in UTC.

    Written with another offset it is `00:59:60+01:00`: an automaton would have to remember the
    minute of the day as far as the offset.
    """
    return built(_time())


def date_time() -> Dfa:
    """date-time."""
    return built(text(_date(), CharSet.of("Tt"), _time()))


def local_time() -> Dfa:
    """full-time, or partial-time: without an offset it is whatever time is meant."""
    return built(_time(local=True))


def local_date_time() -> Dfa:
    """date-time, with or without an offset."""
    return built(text(_date(), CharSet.of("Tt"), _time(local=True)))


def _date() -> Piece:
    # Each fourth year has a 29th of February, but ...
    fourth = numerals(range(0, 100, 4), 2)
    leap = either(
        text(DIGIT, DIGIT, numerals(range(4, 100, 4), 2)),  # ... not the last one of a century,
        text(fourth, "00"),  # unless the century is a fourth one
    )
    return either(text(some(DIGIT, 4, 4), "-", words(_days())), text(leap, "-02-29"))


def _days() -> Iterator[str]:
    for month, length in enumerate(_LENGTHS, 1):
        for day in range(1, length + 1):
            yield f"{month:02}-{day:02}"


def _time(*, local: bool = False) -> Piece:
    hour, sixty = numerals(range(24), 2), numerals(range(60), 2)
    fraction = maybe(".", some(DIGIT, 1))
    zulu, sign = CharSet.of("Zz"), CharSet.of("+-")
    offset, none = either(zulu, text(sign, hour, ":", sixty)), either(zulu, text(sign, "00:00"))
    if local:
        offset, none = maybe(offset), maybe(none)
    return either(
        text(hour, ":", sixty, ":", sixty, fraction, offset),
        text("23:59:60", fraction, none),
    )


def duration() -> Dfa:
    """duration, of appendix A: no unit is left out between two others."""
    count = some(DIGIT, 1)
    years, months, days = (text(count, unit) for unit in "YMD")
    hours, minutes, seconds = (text(count, unit) for unit in "HMS")
    day = either(text(years, nested([months, days])), text(months, maybe(days)), days)
    clock = either(text(hours, nested([minutes, seconds])), text(minutes, maybe(seconds)), seconds)
    return built(
        text("P", either(text(count, "W"), text(day, maybe("T", clock)), text("T", clock)))
    )


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
    "date": (date, Fit.EXACT),
    "time": (time, Fit.NARROWER),
    "x-time": (local_time, Fit.NARROWER),
    "date-time": (date_time, Fit.NARROWER),
    "x-date-time": (local_date_time, Fit.NARROWER),
    "duration": (duration, Fit.EXACT),
    "email": (hosts.email, Fit.NARROWER),
    "idn-email": (hosts.idn_email, Fit.WIDER),
    "hostname": (hosts.hostname, Fit.NARROWER),
    "idn-hostname": (hosts.idn_hostname, Fit.WIDER),
    "ipv4": (hosts.ipv4, Fit.EXACT),
    "ipv6": (hosts.ipv6, Fit.EXACT),
    "uri": (hosts.uri, Fit.EXACT),
    "uri-reference": (hosts.uri_reference, Fit.EXACT),
    "iri": (hosts.iri, Fit.EXACT),
    "iri-reference": (hosts.iri_reference, Fit.EXACT),
    "uri-template": (hosts.uri_template, Fit.EXACT),
    "uuid": (hosts.uuid, Fit.EXACT),
    "json-pointer": (hosts.json_pointer, Fit.EXACT),
    "relative-json-pointer": (hosts.relative_json_pointer, Fit.EXACT),
    "regex": (lambda: ANYTHING, Fit.WIDER),
}
