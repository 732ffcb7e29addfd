"""Words that make a number another one: `5 (in thousands)`, `Revenue in millions: 5`."""

from __future__ import annotations

import re

_SCALE = (
    r"(?:(?:tens|hundred|thousand|dozen|lakh|crore)s?\b|[a-z]{0,6}ill?i[oõ]\w*|[a-z]{0,6}illi?ard\w*"
    r"|tausend\w*|tsd\b|tys\b|tis[ií]c\w*|tusen\w*|tusind\w*|duizend\w*|mille\b|mila\b|miles\b|mil\b|mi[on]\b"
    r"|mln\b|mld\b|mrd\b|miljo\w*|milyon\w*|milyar\w*|bin\b|juta\b|ribu\b|тыс\w*|тисяч\w*|млн\b|млрд\b|милл?и\w*"
    r"|мільй\w*|мільярд\w*|dutzend\b|[千万萬億亿兆만억천백]|['’]?000s?\b|bn\b|k\b|[$€£¥]\s?[mbk]\b)"
)
_OTHER = (
    r"(?:per\s?cent\w*|percentage|%|‰|bps\b|basis\s+points|negative\b|minus\b|loss\b|deficit\b|debit\b|decrease\b|below\s+zero|binary|hex\w*|octal"
    r"|base[\s-]?\d+|roman|log\b|logarithm\w*|recurring|repeating)"
)
_BEHIND = re.compile(
    rf"[*_`$]*[ \t]*(?:[(\[][^)\]\n]{{0,24}}?(?<!\w)(?:{_SCALE}|{_OTHER})|,?[ \t]+in[ \t]+{_SCALE}"
    r"|[ \t]+(?:recurring|repeating|below\s+zero|squared|cubed)\b"
    r"|\s?(?:이하|이상|미만|초과|以下|以上|未満|未满))",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"[(\[,]\s*(?:in\s+)?(?:[a-z]{{1,8}}\s+|[$€£¥]\s?)?(?:{_SCALE}|{_OTHER})\s*(?:of\s+[^)\]\n]{{1,24}})?[)\]][^\n]*$"
    rf"|\bin\s+(?:[a-z]{{1,8}}\s+)?(?:{_SCALE}|{_OTHER})[\s*_]*[:：=][^\n]*$"
    r"|[(\[]\s*[$€£¥]\s?[mkb]\s*[)\]][^\n]*$",
    re.IGNORECASE,
)
_CLOSERS = frozenset(")]:：=")
_EVERYWHERE = re.compile(
    r"\b(?:figures|amounts|values|numbers|prices|sums|all|reported|stated|expressed|given|dollars|usd|euros?)\s+"
    rf"(?:(?:are|is|shown)\s+)?in\s+(?:[a-z]{{1,8}}\s+(?:of\s+)?)?{_SCALE}",
    re.IGNORECASE,
)


def is_scaled(text: str, end: int, line: str) -> bool:
    """Whether the words in front of a number that ends at `end`, or those behind, scale it."""
    if _BEHIND.match(text, end):
        return True
    return not _CLOSERS.isdisjoint(line) and _LABEL.search(line) is not None


def all_scaled(text: str) -> bool:
    """Whether a text says that its numbers are in thousands or the like."""
    return " in " in text and _EVERYWHERE.search(text) is not None
