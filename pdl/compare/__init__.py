"""What a change of a schema or a prompt does: whose answers and values it breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.compare.inclusion import includes
    from pdl.compare.verdicts import Change, No, Unknown, Yes

__all__ = ["Change", "No", "Unknown", "Yes", "includes"]

_load = lazy(
    __name__,
    {
        "Change": "pdl.compare.verdicts",
        "No": "pdl.compare.verdicts",
        "Unknown": "pdl.compare.verdicts",
        "Yes": "pdl.compare.verdicts",
        "includes": "pdl.compare.inclusion",
    },
)


def __getattr__(name: str) -> Any:
    return _load(name)
