"""URIs and IRIs, references, templates and pointers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.automata.charset import EVERY, CharSet
from pdl.automata.formats.hosts import ipv6
from pdl.automata.formats.pieces import (
    ALNUM,
    DIGIT,
    HEX,
    LOWER,
    UPPER,
    Piece,
    built,
    either,
    maybe,
    numerals,
    some,
    text,
)

if TYPE_CHECKING:
    from pdl.automata.dfa import Dfa

_URI = ALNUM | CharSet.of("._~!$&'()*+,;=:@-")
_IRI = _URI | (CharSet.range(0xA1, 0x10FFFF) - CharSet.range(0xFDD0, 0xFDEF))


def uri() -> Dfa:
    """RFC 3986, URI."""
    return built(_absolute(_URI))


def uri_reference() -> Dfa:
    """RFC 3986, URI-reference."""
    return built(either(_absolute(_URI), _relative(_URI)))


def iri() -> Dfa:
    """RFC 3987, IRI."""
    return built(_absolute(_IRI))


def iri_reference() -> Dfa:
    """RFC 3987, IRI-reference."""
    return built(either(_absolute(_IRI), _relative(_IRI)))


def _coded(allowed: CharSet) -> Piece:
    """One of these characters, or any in percent-encoding."""
    return either(allowed, text("%", HEX, HEX))


def _absolute(allowed: CharSet) -> Piece:
    scheme = text(UPPER | LOWER, some(ALNUM | CharSet.of("+.-")))
    first = _coded(allowed)
    return text(scheme, ":", either(_hierarchy(allowed), _path(first, allowed)), _end(allowed))


def _relative(allowed: CharSet) -> Piece:
    """No colon stands in the first segment, which would make a scheme of it."""
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


def uri_template() -> Dfa:
    """RFC 6570 2."""
    plain = EVERY - CharSet.range(0, 0x20) - CharSet.of('\x7f"%<>\\^`{|}')
    char = _coded(ALNUM | CharSet.of("_"))
    name = text(some(char, 1), some(text(".", some(char, 1))))
    prefix = text(":", numerals(range(1, 10), 1), some(DIGIT, 0, 3))
    variable = text(name, maybe(either(prefix, "*")))
    variables = text(variable, some(text(",", variable)))
    expression = text("{", maybe(CharSet.of("+#./;?&=,!@|")), variables, "}")
    return built(some(either(_coded(plain), expression)))


def json_pointer() -> Dfa:
    """RFC 6901 3."""
    char = either(EVERY - CharSet.of("~/"), text("~", CharSet.of("01")))
    return built(some(text("/", some(char))))


def relative_json_pointer() -> Dfa:
    """draft-bhutton-relative-json-pointer-00 3."""
    steps = either("0", text(DIGIT - CharSet.of("0"), some(DIGIT)))
    return built(text(steps, either("#", json_pointer())))


def uuid() -> Dfa:
    """RFC 4122 3, in any case."""
    group = text("-", some(HEX, 4, 4))
    return built(text(some(HEX, 8, 8), some(group, 3, 3), "-", some(HEX, 12, 12)))
