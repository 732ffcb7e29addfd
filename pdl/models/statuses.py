"""What the status of an error means."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.models.faults import AFTER_REFUSAL, Fault, Kind, in_words, retry_after
from pdl.models.payloads.reading import reported_error
from pdl.models.secret import NO_SECRET, Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.models.payloads.reading import BadPayload

_KINDS: dict[int, Kind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "not_found",
    408: "server",
    409: "server",
    425: "server",
    429: "rate_limited",
}
_QUOTA = frozenset(
    {
        "insufficient_quota",
        "credit_balance_exhausted",
        "enforced_spend_limit_reached",
        "organization_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
        "project_spend_limit_exceeded",
        "billing_error",
    }
)
"""Names of errors that no waiting fixes, though some have the status of a rate limit."""
_NAMED: dict[str, Kind] = {
    **dict.fromkeys(_QUOTA, "quota"),
    **dict.fromkeys(
        ("api_key_invalid", "authentication_error", "invalid_api_key", "unauthenticated"), "auth"
    ),
    **dict.fromkeys(
        ("invalid_model", "model_decommissioned", "model_not_found", "not_found_error"), "not_found"
    ),
    **dict.fromkeys(
        ("content_filter", "content_policy_violation", "responsibleaipolicyviolation"), "refusal"
    ),
}
"""The kinds of named errors, where the status only says that the request is bad."""
_WORDED: dict[Kind, re.Pattern[str]] = {
    "auth": re.compile(
        r"\b(?:incorrect|invalid|wrong|expired|missing)\s+api[ _-]?key\b"
        r"|\bapi[ _-]?key\s+(?:is\s+|has\s+)?(?:not\s+valid|invalid|incorrect|expired)\b",
        re.IGNORECASE,
    ),
    "quota": re.compile(
        r"\bcredit balance is too low\b|\binsufficient (?:account )?(?:balance|credits?|funds)\b",
        re.IGNORECASE,
    ),
    "refusal": re.compile(
        r"\b(?:flagged|violat\w+|triggering|blocked)\b.{0,60}\b(?:usage|content)\s+"
        r"(?:management\s+)?polic(?:y|ies)\b",
        re.IGNORECASE,
    ),
}
"""The same by their wording, for providers that don't name them."""
_LIMITED = frozenset({"429", "rate_limit_error", "rate_limit_exceeded", "resource_exhausted"})
_HINTS: dict[Kind, str] = {
    "auth": "check the key, and whether it may use this model",
    "not_found": "check the name of the model and the base URL",
    "redirect": "use the new address as the base URL; redirects are not followed",
    "quota": "add credit to this account, or raise its spending limit",
    "refusal": AFTER_REFUSAL,
}
_REPORTED = "the provider reports an error"  # how `BadPayload` begins, redundant after a status
_SHOWN = 300  # characters of a server's message


def fault_of(
    status: int, headers: Mapping[str, str], body: bytes, key: Secret = NO_SECRET
) -> Fault | BadPayload:
    """Return the fault of a status with the server's message, without the key.

    It is a BadPayload with a `reply` if the model is at fault and not the request.
    """
    error = _error_in(body, key)
    if error is not None and error.reply is not None:
        return error
    kind = _kind(status, error)
    words = error.message.removeprefix(_REPORTED) if error else _excerpt(body, key)
    if kind == "redirect":
        words = f" to {_bare(key.redact(headers.get('location', 'nowhere')))}"
    wait = retry_after(headers)
    if wait is None and error is not None:
        wait = error.wait
    asks = "" if wait is None else f"; it asks to wait {in_words(wait)}"
    return Fault(
        kind,
        f"the server answered with status {status}{words}{asks}",
        status=status,
        retry_after=wait,
        hint=_HINTS.get(kind, ""),
        setting=error.setting if error else "",
    )


def fault_of_body(bad: BadPayload) -> Fault:
    """Return the fault of a body that is not a reply, though its status was a success."""
    names = {kind.lower() for kind in bad.kinds}
    named = _named(bad)
    kind: Kind = "bad_request"
    if bad.is_cut:
        kind = "cut"
    elif not names:
        kind = "bad_payload"
    elif named is not None:
        kind = named
    elif names & _LIMITED:
        kind = "rate_limited"
    elif bad.is_transient or names == {"error"}:
        kind = "server"
    hint = _HINTS.get(kind, "")
    return Fault(kind, str(bad), retry_after=bad.wait, hint=hint, setting=bad.setting)


def _named(error: BadPayload) -> Kind | None:
    """The kind of an error by its names, or else by its wording."""
    for name in error.kinds:
        if name.lower() in _NAMED:
            return _NAMED[name.lower()]
    return next((kind for kind, words in _WORDED.items() if words.search(error.message)), None)


def _kind(status: int, error: BadPayload | None) -> Kind:
    if error and _QUOTA & {kind.lower() for kind in error.kinds}:
        return "quota"
    if status in _KINDS:
        return _KINDS[status]
    if status >= 500:  # noqa: PLR2004 - RFC 9110, section 15
        return "server"
    if status < 400:  # noqa: PLR2004
        return "redirect"
    return (error and _named(error)) or "bad_request"


def _error_in(body: bytes, key: Secret) -> BadPayload | None:
    """The error that a body reports, without the key, which is redacted before texts are cut."""
    try:
        return reported_error(key.redact_json(json.loads(body)))
    except (ValueError, RecursionError):
        return None


def _excerpt(body: bytes, key: Secret) -> str:
    """The beginning of a text; nothing of an HTML page, which isn't readable."""
    text = " ".join(key.redact(body.decode("utf-8", "replace")).split())
    if not text or text.startswith("<"):
        return ""
    return f": {text[:_SHOWN]}…" if len(text) > _SHOWN else f": {text}"


def _bare(url: str) -> str:
    """An address without what may be secret: the user, the query."""
    address = url.partition("?")[0].partition("#")[0]
    scheme, mark, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    bare = f"{scheme}://{host.rpartition('@')[2]}{slash}{path}" if mark else address
    bare = "".join(letter if letter.isprintable() else "?" for letter in bare)
    return f"{bare[:_SHOWN]}…" if len(bare) > _SHOWN else bare
