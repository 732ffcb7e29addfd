"""Models: connect to one, ask it, and get back an answer that was checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.models.answer import Answer, AskError, Attempt
    from pdl.models.cache import Cache
    from pdl.models.connecting import connect
    from pdl.models.drivers import ask, ask_async
    from pdl.models.exchange import Delta, Dropped, Fault, Model, Reply, Request, Usage
    from pdl.models.retry import Backoff
    from pdl.models.terms import CacheWarning, Hook, Terms

_HOMES = {
    "Answer": "pdl.models.answer",
    "AskError": "pdl.models.answer",
    "Attempt": "pdl.models.answer",
    "Backoff": "pdl.models.retry",
    "Cache": "pdl.models.cache",
    "CacheWarning": "pdl.models.terms",
    "Delta": "pdl.models.exchange",
    "Dropped": "pdl.models.exchange",
    "Fault": "pdl.models.exchange",
    "Hook": "pdl.models.terms",
    "Model": "pdl.models.exchange",
    "Reply": "pdl.models.exchange",
    "Request": "pdl.models.exchange",
    "Terms": "pdl.models.terms",
    "Usage": "pdl.models.exchange",
    "ask": "pdl.models.drivers",
    "ask_async": "pdl.models.drivers",
    "connect": "pdl.models.connecting",
}

__all__ = [
    "Answer",
    "AskError",
    "Attempt",
    "Backoff",
    "Cache",
    "CacheWarning",
    "Delta",
    "Dropped",
    "Fault",
    "Hook",
    "Model",
    "Reply",
    "Request",
    "Terms",
    "Usage",
    "ask",
    "ask_async",
    "connect",
]

__getattr__ = lazy(__name__, _HOMES)
