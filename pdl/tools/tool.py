"""`Tool`: a name, what it is for, and the schema of its arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.schema import Schema


@dataclass(frozen=True)
class Tool:
    """Something that a model may call by its name, with arguments that fit a schema.

    `schema` is that of the object that holds the arguments, without the tool's description.
    `function` is what `ToolSet.dispatch` calls; tools that are only described have none. It has no
    part in comparisons.
    """

    name: str
    schema: Schema
    description: str = ""
    function: Callable[..., Any] | None = field(default=None, compare=False, repr=False)
