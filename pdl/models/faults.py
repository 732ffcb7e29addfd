"""`Fault`: why a model could not be asked, or declines to answer; when and how to retry.

A fault is not an invalid answer: the model is not told of it.
"""

from __future__ import annotations

import math
import random
import re
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from pdl.errors import PdlError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl._types import Json


Kind: TypeAlias = Literal[
    "connection",
    "timeout",
    "cut",
    "rate_limited",
    "server",
    "not_json",
    "not_utf8",
    "content_type",
    "bad_payload",
    "too_large",
    "auth",
    "quota",
    "not_found",
    "redirect",
    "bad_request",
    "refusal",
    "failed",
    "exhausted",
    "unavailable",
]
"""What went wrong.

Retried: connection: no connection could be made; timeout: the time was up; cut: the connection
ended before the reply did; rate_limited: too many calls; server: the server itself failed;
not_json, not_utf8, content_type: the reply is not what the interface documents; bad_payload: it is
JSON, but not of the documented shape.

Not retried: too_large: the reply exceeds a limit; auth: the key is missing or invalid; quota: no
credit is left; not_found: no such model or address; redirect: the server points elsewhere;
bad_request: the server rejects the request; refusal: the model, or a filter of its provider,
declines to answer; failed: a function or a library raised an exception;
exhausted: no recorded reply is left; unavailable: a package or a file is missing.
"""

AFTER_REFUSAL = "ask in other words, or another model"
"""What may help after a refusal."""

TRANSIENT: frozenset[Kind] = frozenset(get_args(Kind)[: get_args(Kind).index("too_large")])
"""The kinds that a retry may fix."""

UNREACHED: frozenset[Kind] = frozenset({"auth", "quota", "not_found", "redirect", "unavailable"})
"""Kinds that every other call of the same model will have, too, until somebody acts."""


class Fault(PdlError):  # noqa: N818 - it is not an error of the caller
    """A call without a reply.

    `status` is the HTTP status, if there was one; `retry_after` how many seconds the server asked
    to wait. `setting` is the setting that the server rejects, if that is all: its name in
    `Request.config`; `is_of_form` is whether it rejects the form of the schema, which a description
    can replace. `is_transient` is whether a retry may help.
    """

    def __init__(  # noqa: PLR0913 - everything that is known of it
        self,
        kind: Kind,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        hint: str = "",
        setting: str = "",
        is_of_form: bool = False,
    ) -> None:
        super().__init__(Problem(f"model/{kind.replace('_', '-')}", message, hint=hint))
        self.kind: Kind = kind
        self.status = status
        self.retry_after = retry_after
        self.setting = setting
        self.is_of_form = is_of_form

    @property
    def is_transient(self) -> bool:
        """Whether a retry may help."""
        return self.kind in TRANSIENT

    def __reduce__(self) -> tuple[Callable[..., Fault], tuple[object, ...]]:
        told = {
            "status": self.status,
            "retry_after": self.retry_after,
            "hint": self.problem.hint,
            "setting": self.setting,
            "is_of_form": self.is_of_form,
        }
        return _restored, (self.kind, self.problem.message, told)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""C0 and C1 except tabs and newlines, and what changes the direction of text (UAX #9)."""


def shown(text: str) -> str:
    """Return text of a server as it may be shown: terminal control characters are escaped."""
    return _CONTROL.sub(lambda found: ascii(found.group())[1:-1], text)


def told_by(error: BaseException) -> str:
    """Return the class and the beginning of the text of an exception, on one line."""
    words = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _restored(kind: Kind, message: str, told: dict[str, Any]) -> Fault:
    return Fault(kind, message, **told)


_MINUTE = 60.0
_HOUR = 3600.0
_LONG = 2.0  # from so many on, the larger unit is easier to read


def in_words(seconds: float) -> str:
    """Write seconds with at most three significant digits: `0.3 s`, `2.5 minutes`, `48 hours`."""
    if seconds < _LONG * _MINUTE:
        return f"{_digits(seconds)} s"
    if seconds < _LONG * _HOUR:
        return f"{_digits(seconds / _MINUTE)} minutes"
    return f"{_digits(seconds / _HOUR)} hours"


def tenths(seconds: float) -> str:
    """Write a measured time, in which hundredths of a second mean nothing."""
    return f"{seconds:.1f} s" if seconds < _LONG * _MINUTE else in_words(seconds)


def _digits(number: float) -> str:
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:.5f}".rstrip("0").rstrip(".")  # noqa: PLR2004 - three digits


@dataclass(frozen=True)
class Backoff:
    """How long to wait after a transport error, in seconds.

    After the n-th consecutive fault any time from zero to `first * 2**(n - 1)`, at most `most`,
    with equal probability ("full jitter":
    https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter).
    A server that asks for a pause gets it, plus up to a tenth or one second, so that clients that
    were told the same don't all return at the same moment.
    """

    first: float = 0.5
    most: float = 30.0
    rng: random.Random = field(default_factory=random.Random, repr=False, compare=False)

    def pause(self, fault: Fault, faults: int) -> float:
        """Return the seconds to wait after a fault, the n-th consecutive one."""
        if fault.retry_after is not None:
            return fault.retry_after + self.rng.uniform(0, min(1.0, fault.retry_after / 10))
        doubled = min(self.most, self.first * 2.0 ** min(faults - 1, 60))
        return self.rng.uniform(0, doubled)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait; None if it doesn't.

    Reads `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3), and `retry-after-ms`,
    which is more exact. A date is compared with the server's own clock, if it sent the time. The
    names of `headers` are in lowercase or case-insensitive.
    """
    exact = _number(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is not None:
        return seconds
    until = _date(value)
    if until is None:
        return None
    told = _date(headers.get("date", ""))
    return max(0.0, until - (told or time.time()))


def retry_info(detail: Mapping[str, Json]) -> float | None:
    """Return the seconds that a detail of Google's errors asks to wait (`google.rpc.RetryInfo`)."""
    delay = detail.get("retryDelay")
    return _number(delay.removesuffix("s")) if isinstance(delay, str) else None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None
