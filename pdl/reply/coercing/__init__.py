"""Changes of data that a caller has allowed, made where a value does not fit without them."""

from __future__ import annotations

from pdl.reply.coercing.solve import coerce

__all__ = ["coerce"]
