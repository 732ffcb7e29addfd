"""Names and addresses of hosts, and mailboxes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.automata.build import ANYTHING, difference, intersect, lengths, words
from pdl.automata.charset import CharSet
from pdl.automata.formats.pieces import (
    ALNUM,
    HEX,
    NON_ASCII,
    Part,
    Piece,
    built,
    either,
    maybe,
    some,
    text,
)

if TYPE_CHECKING:
    from pdl.automata.dfa import Dfa

_LABEL = 63  # octets of a label, RFC 1035 2.3.4
_GROUPS = 8
_ATOM = ALNUM | CharSet.of("!#$%&'*+/=?^_`{|}~-")
_QUOTED = CharSet.range(0x20, 0x7E)
_DOTS = CharSet.of(".\u3002\uff0e\uff61")
_CONTROLS = CharSet.range(0x80, 0xA0)


def hostname() -> Dfa:
    """RFC 1123 2.1: labels of letters, digits and hyphens, the first one with any in it.

    Those behind the first have 63 characters together, and no two hyphens side by side: an
    automaton for a name of 253 characters, with labels of 63, has thousands of states. No label
    is `xn--` and what follows it, whose letters (RFC 3492) no automaton can read.
    """
    hyphens = some(ALNUM | CharSet.of("-"))
    label = either(ALNUM, text(ALNUM, hyphens, ALNUM))
    reserved = built(text(lengths(2, 2), "--", ANYTHING))
    first = difference(intersect(built(label), lengths(1, _LABEL)), reserved)
    plain = text(some(ALNUM, 1), some(text("-", some(ALNUM, 1))))
    others = intersect(built(text(plain, some(text(".", plain)))), lengths(1, _LABEL))
    return built(text(first, maybe(".", others)))


def idn_hostname() -> Dfa:
    """RFC 5890 2.3.2.3, but only the characters of which there are words in all scripts."""
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
    rest = either("::", text(":", group))  # behind seven groups
    for count in range(_GROUPS - 2, 0, -1):
        last = [text(":", quad)] if count == _GROUPS - 2 else []
        behind = _groups(_GROUPS - 1 - count, group, quad)
        rest = either(text(":", either(text(group, rest), text(":", behind))), *last)
    return built(either(text(group, rest), text("::", _groups(_GROUPS - 1, group, quad))))


def _groups(most: int, group: Part, quad: Part) -> Piece:
    """At most so many groups; a dotted quad at the end stands for two."""
    found = group
    for _ in range(most - 1):
        found = either(quad, text(group, maybe(":", found)))
    return maybe(found)


def email() -> Dfa:
    """RFC 5321 4.1.2, Mailbox."""
    quoted = either(_QUOTED - CharSet.of('"\\'), text("\\", _QUOTED))
    return _mailbox(some(_ATOM, 1), quoted, hostname())


def idn_email() -> Dfa:
    """RFC 6531 3.3."""
    quoted = either((_QUOTED - CharSet.of('"\\')) | NON_ASCII, text("\\", _QUOTED))
    return _mailbox(some(_ATOM | NON_ASCII, 1), quoted, idn_hostname())


def _mailbox(atom: Part, quoted: Part, host: Part) -> Dfa:
    local = either(text(atom, some(text(".", atom))), text('"', some(quoted), '"'))
    tag = text(*(CharSet.of(char.lower() + char.upper()) for char in "IPv6"), ":")
    address = text("[", either(ipv4(), text(tag, ipv6())), "]")
    return built(text(local, "@", either(host, address)))
