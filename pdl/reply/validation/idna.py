"""Labels of internationalised host names: IDNA 2008 (RFC 5891 to 5893)."""

from __future__ import annotations

import re
import unicodedata

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


def is_label(text: str) -> bool:
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
        and keeps_bidi(text)
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
    char, before, behind = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if char == "\u00b7":
        return before == behind == "l"
    if char == "\u0375":
        return _script(behind) == "GREEK"
    if char in "\u05f3\u05f4":
        return _script(before) == "HEBREW"
    if char == "\u30fb":
        return any(_script(c) in {"HIRAGANA", "KATAKANA", "CJK"} for c in text if c != char)
    if char in "\u200c\u200d":
        joined = char == "\u200c" and _joins(before) and _joins(behind)
        return joined or (before != "" and unicodedata.combining(before) == _VIRAMA)
    return True


def _joins(char: str) -> bool:
    """Whether an Arabic letter joins the next one, as far as its name tells (RFC 5892 A.1)."""
    name = unicodedata.name(char, "") if char else ""
    words = name.removeprefix("ARABIC LETTER ").split(" ")
    return name.startswith("ARABIC LETTER ") and words[0] not in _JOINS_BACK_ONLY


def _script(char: str) -> str:
    return unicodedata.name(char, "").split(" ")[0] if char else ""


def keeps_bidi(text: str) -> bool:
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


def is_bidi_name(labels: list[str]) -> bool:
    """Whether the labels of a name hold right-to-left characters; then each keeps the Bidi rule."""
    return any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in "".join(labels))


def keeps_ltr(text: str) -> bool:
    """RFC 5893 2, rules 5 and 6, for a label of a right-to-left name without such characters."""
    kinds = [unicodedata.bidirectional(char) for char in text]
    return kinds[0] == "L" and set(kinds) <= _LTR_LABEL and kinds[-1] in {"L", "EN", "NSM"}
