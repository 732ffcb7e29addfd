"""Names of rules, from the paths of the schemas that they are for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.schema.references import steps

if TYPE_CHECKING:
    from pdl.gbnf.compiling.claims import Goal

_SILENT = frozenset(
    {"properties", "$defs", "allOf", "anyOf", "oneOf", "prefixItems", "patternProperties"}
)
_SAID = {"items": "item", "additionalProperties": "value", "unevaluatedProperties": "value"}
_KEPT = 3  # steps of a path that a name has
_ODD = re.compile(r"[^A-Za-z0-9]+")


def wish(goal: Goal) -> str:
    """What a rule for a goal may be called: `person-age`."""
    if not goal:
        return "value"
    path = [str(step) for step in steps(goal[0].pointer)]
    said: list[str] = []
    at = 0
    while at < len(path):
        step = path[at]
        if step in _SILENT and at + 1 < len(path):
            at += 1
            if step == "$defs":
                said.clear()
            said.append(path[at])
        else:
            said.append(_SAID.get(step, step))
        at += 1
    words = (_ODD.sub("-", word).strip("-") for word in said[-_KEPT:])
    return "-".join(word for word in words if word) or "root"
