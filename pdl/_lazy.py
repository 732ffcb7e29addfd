"""Packages whose names are imported when they are first used (PEP 562).

Lark, jsonschema and pydantic take longer to import than most prompts take to render.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module-level `__getattr__` for `package`; `homes` maps public names to modules.

    `module:name` is the home of a value with another name there.
    """

    def load(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=importlib.import_module(package))
        module, _, there = home.partition(":")
        value = getattr(importlib.import_module(module), there or name)
        setattr(importlib.import_module(package), name, value)
        return value

    return load
