"""Prompt files in, checked replies out.

A `.pdl` file is a Jinja template that renders to turns, with a compact schema of the answer in its
`<|schema|>` turn. `pdl.load(path).render(data)` gives the messages; `pdl.check(schema, reply)`
finds the answer in what the model said and checks it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pdl.errors import (
        ConfigError,
        FileError,
        InputError,
        LimitError,
        MediaError,
        OutputError,
        PdlError,
        Problem,
        PromptError,
        SchemaError,
        TemplateError,
        TurnError,
    )
    from pdl.limits import Limits
    from pdl.prompt import Media, Message, Prompt, Rendered, Text, load, loads
    from pdl.reply import Check, check, extract
    from pdl.schema import Schema

    __version__: str

_HOMES = {
    "pdl.errors": [
        "ConfigError",
        "FileError",
        "InputError",
        "LimitError",
        "MediaError",
        "OutputError",
        "PdlError",
        "Problem",
        "PromptError",
        "SchemaError",
        "TemplateError",
        "TurnError",
    ],
    "pdl.limits": ["Limits"],
    "pdl.prompt": ["Media", "Message", "Prompt", "Rendered", "Text", "load", "loads"],
    "pdl.reply": ["Check", "check", "extract"],
    "pdl.schema": ["Schema"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Check",
    "ConfigError",
    "FileError",
    "InputError",
    "LimitError",
    "Limits",
    "Media",
    "MediaError",
    "Message",
    "OutputError",
    "PdlError",
    "Problem",
    "Prompt",
    "PromptError",
    "Rendered",
    "Schema",
    "SchemaError",
    "TemplateError",
    "Text",
    "TurnError",
    "check",
    "extract",
    "load",
    "loads",
]


def __getattr__(name: str) -> Any:
    """Import a public name's module when the name is first used (PEP 562)."""
    if name == "__version__":
        version: str = importlib.import_module("importlib.metadata").version("pdl-prompts")
        return version
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'pdl' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
