"""The grammars, and the one place that turns the parser generator's errors into ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.syntax.explaining import explain
    from pdl.syntax.turns import parse_turns

__all__ = ["explain", "parse_turns"]

__getattr__ = lazy(
    __name__, {"explain": "pdl.syntax.explaining", "parse_turns": "pdl.syntax.turns"}
)
