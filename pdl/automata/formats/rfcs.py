"""The languages of JSON Schema's formats, by their RFCs: dates, hosts, mailboxes, URIs, pointers.

The source of each format is in the docstring of its function. A format is first a description,
composed of pieces, and then one automaton of all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.build import ANYTHING, difference, intersection, lengths, words
from pdl.automata.charset import EVERY, CharSet
from pdl.automata.dfa import DEFAULT_BUDGET, Dfa
from pdl.automata.nfa import Nfa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


DIGIT = CharSet.range(0x30, 0x39)
UPPER = CharSet.range(0x41, 0x5A)
LOWER = CharSet.range(0x61, 0x7A)
HEX = DIGIT | CharSet.of("abcdefABCDEF")
ALNUM = DIGIT | UPPER | LOWER
NON_ASCII = ~CharSet.range(0, 0x7F)


@dataclass(frozen=True)
class Piece:
    """A language as it is added to an automaton: from a state to one that is returned."""

    add: Callable[[Nfa, int], int]


Part: TypeAlias = "Piece | Dfa | CharSet | str"
"""A piece, an automaton, one character of a set, or a string as it is."""


def built(part: Part) -> Dfa:
    """Return the minimal automaton."""
    if isinstance(part, Dfa):
        return part
    nfa = Nfa()
    start = nfa.add_state()
    return nfa.to_dfa(start, _add(nfa, start, part), DEFAULT_BUDGET)


def text(*parts: Part) -> Piece:
    """The concatenation of some parts."""
    return Piece(lambda nfa, at: reduce(lambda end, part: _add(nfa, end, part), parts, at))


def either(*parts: Part) -> Piece:
    """Any of some parts."""

    def add(nfa: Nfa, at: int) -> int:
        end = nfa.add_state()
        for part in parts:
            nfa.add_epsilon(_add(nfa, at, part), end)
        return end

    return Piece(add)


def maybe(*parts: Part) -> Piece:
    """The concatenation of some parts, or the empty string."""
    return either(text(*parts), "")


def some(part: Part, least: int = 0, most: int | None = None) -> Piece:
    """From `least` to `most` repetitions of a part; None for an unbounded number."""

    def add(nfa: Nfa, at: int) -> int:
        for _ in range(least):
            at = _add(nfa, at, part)
        if most is None:
            loop = nfa.add_state()
            nfa.add_epsilon(at, loop)
            nfa.add_epsilon(_add(nfa, loop, part), loop)
            return loop
        return _add(nfa, at, nested([part] * (most - least)))

    return Piece(add)


def nested(levels: Iterable[Part]) -> Piece:
    """The first level or nothing; after it the second or nothing, and so on."""

    def add(nfa: Nfa, at: int) -> int:
        end = nfa.add_state()
        nfa.add_epsilon(at, end)
        for level in levels:
            at = _add(nfa, at, level)
            nfa.add_epsilon(at, end)
        return end

    return Piece(add)


def numerals(values: Iterable[int], width: int) -> Dfa:
    """Numbers with leading zeros up to a width."""
    return words(f"{value:0{width}}" for value in values)


def _add(nfa: Nfa, at: int, part: Part) -> int:
    """Add a part from a state on; return the state at its end."""
    if isinstance(part, Piece):
        return part.add(nfa, at)
    if isinstance(part, Dfa):
        return nfa.append(at, part)
    for one in [part] if isinstance(part, CharSet) else map(CharSet.of, part):
        end = nfa.add_state()
        nfa.add_transition(at, one.ranges, end)
        at = end
    return at


_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def date() -> Piece:
    """RFC 3339, full-date, in the Gregorian calendar."""
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


def time(*, local: bool = False) -> Piece:
    """RFC 3339, full-time, and a leap second where UTC has it, written in UTC.

    With another offset it is `00:59:60+01:00`: an automaton would have to remember the minute of
    the day up to the offset. A local time may be a partial-time, which has no offset.
    """
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


def date_time(*, local: bool = False) -> Piece:
    """RFC 3339, date-time, with or without an offset if it is local."""
    return text(date(), CharSet.of("Tt"), time(local=local))


def duration() -> Piece:
    """duration, of appendix A: no unit is left out between two others."""
    count = some(DIGIT, 1)
    years, months, days = (text(count, unit) for unit in "YMD")
    hours, minutes, seconds = (text(count, unit) for unit in "HMS")
    day = either(text(years, nested([months, days])), text(months, maybe(days)), days)
    clock = either(text(hours, nested([minutes, seconds])), text(minutes, maybe(seconds)), seconds)
    return text("P", either(text(count, "W"), text(day, maybe("T", clock)), text("T", clock)))


_LABEL = 63  # octets of a label, RFC 1035 2.3.4
_GROUPS = 8
_ATOM = ALNUM | CharSet.of("!#$%&'*+/=?^_`{|}~-")
_QUOTED = CharSet.range(0x20, 0x7E)
_DOTS = CharSet.of(".\u3002\uff0e\uff61")
_CONTROLS = CharSet.range(0x80, 0xA0)


def hostname() -> Dfa:
    """RFC 1123 2.1: labels of letters, digits and hyphens, the first one with any in it.

    Labels after the first have 63 characters in all, and no two consecutive hyphens: an
    automaton for a name of 253 characters, with labels of 63, has thousands of states. No label
    begins with `xn--`, since no automaton can decode the letters that follow (RFC 3492).
    """
    hyphens = some(ALNUM | CharSet.of("-"))
    label = either(ALNUM, text(ALNUM, hyphens, ALNUM))
    reserved = built(text(lengths(2, 2), "--", ANYTHING))
    first = difference(intersection(built(label), lengths(1, _LABEL)), reserved)
    plain = text(some(ALNUM, 1), some(text("-", some(ALNUM, 1))))
    others = intersection(built(text(plain, some(text(".", plain)))), lengths(1, _LABEL))
    return built(text(first, maybe(".", others)))


def idn_hostname() -> Dfa:
    """RFC 5890 2.3.2.3, but only the characters that words of all scripts consist of."""
    letter = ALNUM | (NON_ASCII - _DOTS - _CONTROLS)
    label = text(letter, maybe(some(letter | CharSet.of("-")), letter))
    return built(text(label, some(text(_DOTS, label))))


def ipv4() -> Dfa:
    """RFC 2673 3.2, dotted-quad."""
    octet = words(map(str, range(256)))
    return built(text(octet, some(text(".", octet), 3, 3)))


def ipv6() -> Dfa:
    """RFC 4291 2.2, without a zone."""
    group, quad = some(HEX, 1, 4), ipv4()
    rest = either("::", text(":", group))  # after seven groups
    for count in range(_GROUPS - 2, 0, -1):
        last = [text(":", quad)] if count == _GROUPS - 2 else []
        after = _groups(_GROUPS - 1 - count, group, quad)
        rest = either(text(":", either(text(group, rest), text(":", after))), *last)
    return built(either(text(group, rest), text("::", _groups(_GROUPS - 1, group, quad))))


def _groups(most: int, group: Part, quad: Part) -> Piece:
    """At most so many groups; a dotted quad at the end counts as two."""
    found = group
    for _ in range(most - 1):
        found = either(quad, text(group, maybe(":", found)))
    return maybe(found)


def email() -> Piece:
    """RFC 5321 4.1.2, Mailbox."""
    quoted = either(_QUOTED - CharSet.of('"\\'), text("\\", _QUOTED))
    return _mailbox(some(_ATOM, 1), quoted, hostname())


def idn_email() -> Piece:
    """RFC 6531 3.3."""
    quoted = either((_QUOTED - CharSet.of('"\\')) | NON_ASCII, text("\\", _QUOTED))
    return _mailbox(some(_ATOM | NON_ASCII, 1), quoted, idn_hostname())


def _mailbox(atom: Part, quoted: Part, host: Part) -> Piece:
    local = either(text(atom, some(text(".", atom))), text('"', some(quoted), '"'))
    tag = text(*(CharSet.of(char.lower() + char.upper()) for char in "IPv6"), ":")
    address = text("[", either(ipv4(), text(tag, ipv6())), "]")
    return text(local, "@", either(host, address))


_URI = ALNUM | CharSet.of("._~!$&'()*+,;=:@-")
_IRI = _URI | (CharSet.range(0xA1, 0x10FFFF) - CharSet.range(0xFDD0, 0xFDEF))


def uri() -> Piece:
    """RFC 3986, URI."""
    return _absolute(_URI)


def uri_reference() -> Piece:
    """RFC 3986, URI-reference."""
    return either(_absolute(_URI), _relative(_URI))


def iri() -> Piece:
    """RFC 3987, IRI."""
    return _absolute(_IRI)


def iri_reference() -> Piece:
    """RFC 3987, IRI-reference."""
    return either(_absolute(_IRI), _relative(_IRI))


def _coded(allowed: CharSet) -> Piece:
    """One of these characters, or any in percent-encoding."""
    return either(allowed, text("%", HEX, HEX))


def _absolute(allowed: CharSet) -> Piece:
    scheme = text(UPPER | LOWER, some(ALNUM | CharSet.of("+.-")))
    first = _coded(allowed)
    return text(scheme, ":", either(_hierarchy(allowed), _path(first, allowed)), _end(allowed))


def _relative(allowed: CharSet) -> Piece:
    """A relative reference: no colon is in the first segment, which would make it a scheme."""
    first = some(_coded(allowed - CharSet.of(":")), 1)
    slash = maybe("/", some(_coded(allowed | CharSet.of("/"))))
    rooted = text("/", maybe(_coded(allowed), some(_coded(allowed | CharSet.of("/")))))
    path = either(text(first, slash), rooted, "")
    return text(either(_hierarchy(allowed), path), _end(allowed))


def _path(first: Piece, allowed: CharSet) -> Piece:
    """A path that does not begin with two slashes."""
    rest = maybe(first, some(_coded(allowed | CharSet.of("/"))))
    return either(rest, text("/", rest))


def _hierarchy(allowed: CharSet) -> Piece:
    """`//`, an authority, and a path, if any."""
    plain = allowed - CharSet.of("@")
    user = text(some(_coded(plain)), "@")
    future = text(CharSet.of("vV"), some(HEX, 1), ".", some(_URI - CharSet.of("@"), 1))
    literal = text("[", either(ipv6(), future), "]")
    host = either(literal, some(_coded(plain - CharSet.of(":"))))
    path = maybe("/", some(_coded(allowed | CharSet.of("/"))))
    return text("//", maybe(user), host, maybe(":", some(DIGIT)), path)


def _end(allowed: CharSet) -> Piece:
    """A query and a fragment, if any."""
    rest = some(_coded(allowed | CharSet.of("/?")))
    return text(maybe("?", rest), maybe("#", rest))


def uri_template() -> Piece:
    """RFC 6570 2."""
    plain = EVERY - CharSet.range(0, 0x20) - CharSet.of('\x7f"%<>\\^`{|}')
    char = _coded(ALNUM | CharSet.of("_"))
    name = text(some(char, 1), some(text(".", some(char, 1))))
    prefix = text(":", numerals(range(1, 10), 1), some(DIGIT, 0, 3))
    variable = text(name, maybe(either(prefix, "*")))
    variables = text(variable, some(text(",", variable)))
    expression = text("{", maybe(CharSet.of("+#./;?&=,!@|")), variables, "}")
    return some(either(_coded(plain), expression))


def json_pointer() -> Dfa:
    """RFC 6901 3."""
    char = either(EVERY - CharSet.of("~/"), text("~", CharSet.of("01")))
    return built(some(text("/", some(char))))


def relative_json_pointer() -> Piece:
    """draft-bhutton-relative-json-pointer-00 3."""
    steps = either("0", text(DIGIT - CharSet.of("0"), some(DIGIT)))
    return text(steps, either("#", json_pointer()))


def uuid() -> Piece:
    """RFC 4122 3, in any case."""
    group = text("-", some(HEX, 4, 4))
    return text(some(HEX, 8, 8), some(group, 3, 3), "-", some(HEX, 12, 12))


LANGUAGES: Mapping[str, Callable[[], Dfa | Piece]] = {
    "date": date,
    "time": time,
    "x-time": lambda: time(local=True),
    "date-time": date_time,
    "x-date-time": lambda: date_time(local=True),
    "duration": duration,
    "email": email,
    "idn-email": idn_email,
    "hostname": hostname,
    "idn-hostname": idn_hostname,
    "ipv4": ipv4,
    "ipv6": ipv6,
    "uri": uri,
    "uri-reference": uri_reference,
    "iri": iri,
    "iri-reference": iri_reference,
    "uri-template": uri_template,
    "uuid": uuid,
    "json-pointer": json_pointer,
    "relative-json-pointer": relative_json_pointer,
    "regex": lambda: ANYTHING,
}
