"""What a change of a schema or a prompt does: whose answers and values it breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.compare.inclusion import includes
    from pdl.compare.prompts import PromptComparison, compare_prompts, compare_rendered
    from pdl.compare.schemas import compare_inputs, compare_schemas
    from pdl.compare.tools import compare_tools
    from pdl.compare.verdicts import Change, Comparison, No, Unknown, Yes

__all__ = [
    "Change",
    "Comparison",
    "No",
    "PromptComparison",
    "Unknown",
    "Yes",
    "compare_inputs",
    "compare_prompts",
    "compare_rendered",
    "compare_schemas",
    "compare_tools",
    "includes",
]

_load = lazy(
    __name__,
    {
        "Change": "pdl.compare.verdicts",
        "Comparison": "pdl.compare.verdicts",
        "No": "pdl.compare.verdicts",
        "PromptComparison": "pdl.compare.prompts",
        "Unknown": "pdl.compare.verdicts",
        "Yes": "pdl.compare.verdicts",
        "compare_inputs": "pdl.compare.schemas",
        "compare_prompts": "pdl.compare.prompts",
        "compare_rendered": "pdl.compare.prompts",
        "compare_schemas": "pdl.compare.schemas",
        "compare_tools": "pdl.compare.tools",
        "includes": "pdl.compare.inclusion",
    },
)


def __getattr__(name: str) -> Any:
    return _load(name)
