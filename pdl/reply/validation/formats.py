"""The formats of JSON Schema 2020-12 (validation, 7.3), each a question about a string."""

from __future__ import annotations

import unicodedata
from ipaddress import IPv6Address
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.validation.schema_walk import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DATE = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_TIME = re.compile(
    r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)
_DURATION = re.compile(
    r"P(?:[0-9]+W|(?=[0-9]|T[0-9])"
    r"(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)?"
    r"(?:T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S))?)"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}")
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_DOT_ATOM = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
_QUOTED = re.compile(r'"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"')
_IDN_QUOTED = re.compile(r'"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|[^\x00-\x7f]|\\[\x20-\x7e])*"')
_IDN_ATOM = re.compile(rf"(?:{_ATOM}|[^\x00-\x7f])+(?:\.(?:{_ATOM}|[^\x00-\x7f])+)*")
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*")
_RELATIVE_POINTER = re.compile(r"(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~[01])*)*)")
_TEMPLATE_CHAR = r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})"
_TEMPLATE_VARIABLE = rf"{_TEMPLATE_CHAR}+(?:\.{_TEMPLATE_CHAR}+)*(?::[1-9][0-9]{{0,3}}|\*)?"
_TEMPLATE = re.compile(
    r"(?:[^\x00-\x20\x7f\"%<>\\^`{|}]|%[0-9A-Fa-f]{2}"
    rf"|\{{[+#./;?&=,!@|]?{_TEMPLATE_VARIABLE}(?:,{_TEMPLATE_VARIABLE})*\}})*"
)
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*"
_URI_CHAR = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
_IRI_CHAR = (
    r"(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}|[^\x00-\xa0\ud800-\udfff\ufdd0-\ufdef])"
)
_LONGEST_LABEL = 63
_ALLOWED = frozenset("ß\u03c2\u06fd\u06fe\u0f0b\u3007\u00b7\u0375\u05f3\u05f4\u30fb\u200c\u200d-")
_FORBIDDEN = frozenset("\u0640\u07fa\u302e\u302f\u3031\u3032\u3033\u3034\u3035\u303b")
_CATEGORIES = frozenset(["Ll", "Lo", "Lm", "Mn", "Mc", "Nd"])
_VIRAMA = 9  # canonical combining class
_ARABIC_DIGITS = re.compile("[\u0660-\u0669]")
_EXTENDED_DIGITS = re.compile("[\u06f0-\u06f9]")
_JOINS_BACK_ONLY = frozenset(["ALEF", "DAL", "THAL", "REH", "ZAIN", "JEH", "WAW", "HAMZA", "TEH"])
_RIGHT_TO_LEFT = frozenset(["R", "AL", "AN"])
_RTL_LABEL = frozenset(["R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"])
_LTR_LABEL = frozenset(["L", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"])
_LONGEST_HOST = 253  # octets, RFC 1035 2.3.4 without the root


def _uri(char: str, *, relative: bool) -> re.Pattern[str]:
    """RFC 3986 appendix A (RFC 3987 with that other `char`): URI, or URI-reference."""
    authority = rf"//(?P<authority>(?:{char}|[\[\]])*)(?:/(?:{char}|/)*)?"
    path = rf"(?:{authority}|/?(?!/)(?:{char}|/)*)"
    no_colon = rf"(?:{authority}|(?![^/?#]*:)/?(?!/)(?:{char}|/)*)".replace(
        "<authority>", "<other>"
    )
    start = rf"(?:{_SCHEME}:{path}|{no_colon})" if relative else rf"{_SCHEME}:{path}"
    return re.compile(rf"{start}(?:\?(?:{char}|[/?])*)?(?:#(?:{char}|[/?])*)?")


_URI = _uri(_URI_CHAR, relative=False)
_URI_REFERENCE = _uri(_URI_CHAR, relative=True)
_IRI = _uri(_IRI_CHAR, relative=False)
_IRI_REFERENCE = _uri(_IRI_CHAR, relative=True)
_IP_FUTURE = re.compile(r"[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+")
_AUTHORITY = re.compile(r"(?:[^@\[\]]*@)?(?:\[(?P<ip>[^\[\]@]*)\]|[^\[\]@:]*)(?::[0-9]*)?")


def is_date(text: str) -> bool:
    """RFC 3339 full-date, in the Gregorian calendar."""
    found = _DATE.fullmatch(text)
    if not found:
        return False
    year, month, day = map(int, found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return day <= (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def is_time(text: str) -> bool:
    """RFC 3339 full-time; a leap second only at 23:59:60 UTC."""
    found = _TIME.fullmatch(text)
    if not found:
        return False
    hour, minute, second, sign, off_hour, off_minute = found.groups()
    if second != "60":
        return True
    offset = (int(off_hour) * 60 + int(off_minute)) * (-1 if sign == "-" else 1) if sign else 0
    return (int(hour) * 60 + int(minute) - offset) % 1440 == 1439  # noqa: PLR2004 - 23:59


def is_date_time(text: str) -> bool:
    """RFC 3339 date-time."""
    date, mark, time = text[:10], text[10:11], text[11:]
    return mark in ("T", "t") and is_date(date) and is_time(time)


def _or_in_utc(fits: Callable[[str], bool]) -> Callable[[str], bool]:
    """The same for a time whose offset is optional, as in RFC 3339's partial-time."""
    return lambda text: fits(text) or fits(f"{text}Z")


def is_ipv6(text: str) -> bool:
    """RFC 4291 2.2, without a zone."""
    try:
        return IPv6Address(text).scope_id is None
    except ValueError:
        return False


def is_hostname(text: str) -> bool:
    """RFC 1123 2.1; a label `xn--…` must be an A-label of IDNA."""
    return text.isascii() and is_idn_hostname(text) and "." not in (text[:1], text[-1:])


def is_idn_hostname(text: str) -> bool:
    """RFC 5890 2.3.2.3."""
    labels = re.split("[.\u3002\uff0e\uff61]", text)
    if len(text) > _LONGEST_HOST or not all(map(_is_label, labels)):
        return False
    names = [_u_label(label) for label in labels]
    return not _is_bidi_name(names) or all(
        _keeps_bidi(name) and (_is_bidi_name([name]) or _keeps_ltr(name)) for name in names
    )


def _u_label(label: str) -> str:
    lower = label.lower()
    return lower[4:].encode().decode("punycode") if lower.startswith("xn--") else label


# Labels of internationalised host names: IDNA 2008 (RFC 5891 to 5893)


def _is_label(text: str) -> bool:
    """Whether a label is an A-label, a U-label, or plain letters, digits and hyphens."""
    if not text or text.startswith("-") or text.endswith("-"):
        return False
    lower = text.lower()
    if lower.startswith("xn--"):
        return _is_a_label(lower)
    if text.isascii():
        shaped = re.fullmatch(r"[A-Za-z0-9-]+", text) is not None
        return shaped and len(text) <= _LONGEST_LABEL and text[2:4] != "--"
    return _is_u_label(text)


def _is_a_label(text: str) -> bool:
    try:
        decoded = text[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError):
        return False
    same = not decoded.isascii() and _punycode(decoded) == text
    return same and len(text) <= _LONGEST_LABEL and _is_u_label(decoded)


def _punycode(text: str) -> str:
    return "xn--" + text.encode("punycode").decode("ascii")


def _is_u_label(text: str) -> bool:
    """RFC 5891 4.2: normalised, allowed characters, contextual rules, the Bidi rule, and short."""
    return (
        unicodedata.is_normalized("NFC", text)
        and text[2:4] != "--"
        and unicodedata.category(text[0])[0] != "M"
        and all(_is_allowed(char) for char in text)
        and all(_fits_context(text, at) for at in range(len(text)))
        and not (_ARABIC_DIGITS.search(text) and _EXTENDED_DIGITS.search(text))
        and _keeps_bidi(text)
        and len(_punycode(text)) <= _LONGEST_LABEL
    )


def _is_allowed(char: str) -> bool:
    """RFC 5892: PVALID, or allowed in some contexts."""
    if char in _ALLOWED:
        return True
    if char in _FORBIDDEN or unicodedata.category(char) not in _CATEGORIES:
        return False
    return unicodedata.normalize("NFKC", char.casefold()) == char


def _fits_context(text: str, at: int) -> bool:
    """RFC 5892 appendix A."""
    char, before, following = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if char == "\u00b7":
        return before == following == "l"
    if char == "\u0375":
        return _script(following) == "GREEK"
    if char in "\u05f3\u05f4":
        return _script(before) == "HEBREW"
    if char == "\u30fb":
        return any(_script(c) in {"HIRAGANA", "KATAKANA", "CJK"} for c in text if c != char)
    if char in "\u200c\u200d":
        joined = char == "\u200c" and _joins(before) and _joins(following)
        return joined or (before != "" and unicodedata.combining(before) == _VIRAMA)
    return True


def _joins(char: str) -> bool:
    """Whether an Arabic letter joins the next one, according to its name (RFC 5892 A.1)."""
    name = unicodedata.name(char, "") if char else ""
    words = name.removeprefix("ARABIC LETTER ").split(" ")
    return name.startswith("ARABIC LETTER ") and words[0] not in _JOINS_BACK_ONLY


def _script(char: str) -> str:
    return unicodedata.name(char, "").split(" ")[0] if char else ""


def _keeps_bidi(text: str) -> bool:
    """RFC 5893 2, for one label; a label without right-to-left characters keeps the rule."""
    kinds = [unicodedata.bidirectional(char) for char in text]
    if not _RIGHT_TO_LEFT & set(kinds):
        return True
    if kinds[0] == "L":
        return False
    last = next(kind for kind in reversed(kinds) if kind != "NSM")
    return (
        kinds[0] in {"R", "AL"}
        and set(kinds) <= _RTL_LABEL
        and last in {"R", "AL", "EN", "AN"}
        and not {"EN", "AN"} <= set(kinds)
    )


def _is_bidi_name(labels: list[str]) -> bool:
    """Whether the labels of a name contain right-to-left characters; then the Bidi rule applies."""
    return any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in "".join(labels))


def _keeps_ltr(text: str) -> bool:
    """RFC 5893 2, rules 5 and 6, for a label of a right-to-left name without such characters."""
    kinds = [unicodedata.bidirectional(char) for char in text]
    return kinds[0] == "L" and set(kinds) <= _LTR_LABEL and kinds[-1] in {"L", "EN", "NSM"}


# Mailboxes and links


def _mailbox(
    text: str, local_parts: tuple[re.Pattern[str], ...], is_host: Callable[[str], bool]
) -> bool:
    """RFC 5321 4.1.2 Mailbox."""
    local, at, domain = text.rpartition("@")
    if not at or not any(pattern.fullmatch(local) for pattern in local_parts):
        return False
    if domain.startswith("[") and domain.endswith("]"):
        literal = domain[1:-1]
        if literal.lower().startswith("ipv6:"):
            return is_ipv6(literal[5:])
        return _IPV4.fullmatch(literal) is not None
    return is_host(domain)


def _is_mail_domain(text: str) -> bool:
    return is_idn_hostname(unicodedata.normalize("NFC", text))


def is_email(text: str) -> bool:
    """RFC 5321 Mailbox."""
    return _mailbox(text, (_DOT_ATOM, _QUOTED), is_hostname)


def is_idn_email(text: str) -> bool:
    """RFC 6531 Mailbox."""
    return _mailbox(text, (_IDN_ATOM, _IDN_QUOTED), _is_mail_domain)


def _is_uri(pattern: re.Pattern[str], text: str) -> bool:
    found = pattern.fullmatch(text)
    if not found:
        return False
    groups = found.groupdict()
    authority = groups.get("authority") or groups.get("other")
    if not authority:
        return True
    parts = _AUTHORITY.fullmatch(authority)
    if not parts:
        return False
    ip = parts["ip"]
    return ip is None or is_ipv6(ip) or _IP_FUTURE.fullmatch(ip) is not None


def is_regex(text: str) -> bool:
    """An ECMA-262 pattern, according to the library that runs it."""
    try:
        compile_pattern(text)
    except ValueError:
        return False
    return True


def _full(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": is_date,
    "time": is_time,
    "x-time": _or_in_utc(is_time),
    "date-time": is_date_time,
    "x-date-time": _or_in_utc(is_date_time),
    "duration": _full(_DURATION),
    "email": is_email,
    "idn-email": is_idn_email,
    "hostname": is_hostname,
    "idn-hostname": is_idn_hostname,
    "ipv4": _full(_IPV4),
    "ipv6": is_ipv6,
    "uri": lambda text: _is_uri(_URI, text),
    "uri-reference": lambda text: _is_uri(_URI_REFERENCE, text),
    "iri": lambda text: _is_uri(_IRI, text),
    "iri-reference": lambda text: _is_uri(_IRI_REFERENCE, text),
    "uri-template": _full(_TEMPLATE),
    "uuid": _full(_UUID),
    "json-pointer": _full(_POINTER),
    "relative-json-pointer": _full(_RELATIVE_POINTER),
    "regex": is_regex,
}
"""Name -> question. A format that is not here is an annotation and asserts nothing."""
