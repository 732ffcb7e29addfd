"""The schema of a prompt, where it can be told without data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.prompt.outline import Branches, Known, depends_on_data, outline_of
from pdl.prompt.placed import placed_source
from pdl.prompt.references import parse_schema

if TYPE_CHECKING:
    from pdl.prompt.prompt import Prompt
    from pdl.schema import Schema


def static_schema(prompt: Prompt) -> tuple[bool, Schema | None]:
    """Whether the schema is the same whatever the data, and then that schema, if there is one.

    Raises SchemaError or LimitError if it is wrong.
    """
    if prompt.template is None:
        return False, None
    marks = prompt.template.marks
    tree = prompt.template.environment.parse(prompt.source.text)
    items = outline_of(tree.body, marks).items
    turns = [item for item in items if isinstance(item, Known) and item.role == "schema"]
    hidden = any(_may_hold_schema(item) for item in items if isinstance(item, Branches))
    if hidden or len(turns) > 1 or any(depends_on_data(turn) for turn in turns):
        return False, None
    if not turns:
        return True, None
    placed = placed_source(turns[0].raw, marks, prompt.source.name)
    return True, parse_schema(placed, prompt.folder, prompt.limits)


def _may_hold_schema(branches: Branches) -> bool:
    """Whether a schema turn, or a turn of any name, may stand in one of the bodies."""
    if not branches.bodies:
        return True
    for body in branches.bodies:
        for item in body.items:
            if isinstance(item, Branches) and _may_hold_schema(item):
                return True
            if isinstance(item, Known) and item.role == "schema":
                return True
    return False
