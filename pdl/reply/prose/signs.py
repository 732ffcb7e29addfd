"""The sign in front of a number, which may stand apart from it: `-$5`, `minus **5**`."""

from __future__ import annotations

import re

from pdl.reply.prose.namings import COPULA
from pdl.reply.prose.vocabulary import words_of

_MINUS = "-−–‒﹣－"
_ODD = "—―‐‑⁻¬∓±"
"""Dashes that are no minus, and signs that may be one."""

_MONEY = r"(?:(?:US|CA|AU|NZ|HK|R|S)?\\?\$|[€£¥₹₩₽₺₴₫฿])"
_PAID = re.compile(rf"(?:^|(?<=[^\w)\]$]))(?P<sign>[{_MINUS}+])\s?(?<!\s\s){_MONEY}$")
_APART = re.compile(
    rf"(?:^|(?<=[^\w)\]]))[{_MINUS}{_ODD}](?:[*_`\"'“‘(\[{{\\]|{_MONEY})*$"
    rf"|(?:^|(?<=\s))[{_ODD}]$"
)
_SPACED = re.compile(rf"(?P<lead>.*?)[{_MINUS}{_ODD}]\s+{_MONEY}?$")
_BULLET = re.compile(r"[\s>#]*")
_BARE = re.compile(r"[^\w\n]*(?:\n|$)")
_WORD = re.compile(
    r"(?:\b(?:minus|negative?|négatif|moins|menos|meno|мінус|минус|mínus|miinus|eksi|âm)\b"
    rf"|マイナス|[负負]|마이너스|سالب)[\s:]*(?:[*_`\"'“‘(\[{{\\]|{_MONEY}|\s)*$",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(rf"(?<!\\)(?:\({_MONEY}\s?|{_MONEY}\s?\()$")
_LABELLED = re.compile(r"[:：=]\s*\($")
_MARKS = frozenset(".,")


def sign_of(before: str) -> str:
    """The sign that stands right in front of a number, with the sign of the money between."""
    last, other = before[-1:], before[-2:-1]
    if last and last in "+" + _MINUS:
        return last if not other or not (other.isalnum() or other in ")]") else ""
    paid = _PAID.search(before)
    return before[paid.start() :] if paid and not paid[0][1:2].isspace() else ""


def is_signed(above: str, token: str, behind: str) -> bool:
    """Whether a number without a sign of its own may be negative: `-**5**`, `— 5`, `($1,250)`.

    `above` is the text in front of it, with lines above its own.
    """
    before = above.rpartition("\n")[2]
    if _WORD.search(above) or _APART.search(before) or _ACCOUNT.search(before):
        return True
    if _LABELLED.search(before) and not _MARKS.isdisjoint(token) and behind.startswith(")"):
        return True
    spaced = _SPACED.fullmatch(before)
    if not spaced:
        return False
    lead = spaced["lead"].rstrip(" *_`")
    if _BULLET.fullmatch(lead):
        return _BARE.match(behind) is not None
    return lead.endswith((":", "：", "=", "(")) or any(
        map(COPULA.__contains__, words_of(lead)[-1:])
    )
