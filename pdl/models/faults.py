"""`Fault`: why a model could not be asked, or declines to answer; its kinds, and which may pass.

A fault is not an invalid answer: the model is not told of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from pdl.errors import PdlError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable


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


def _restored(kind: Kind, message: str, told: dict[str, Any]) -> Fault:
    return Fault(kind, message, **told)
