"""Prompt files in, checked replies out.

A `.pdl` file is a Jinja template that renders to turns, with a compact schema of the answer in its
`<|schema|>` turn. `pdl.load(path).render(data)` gives the messages; `pdl.check(schema, reply)`
finds the answer in what the model said and checks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl import gbnf
    from pdl.errors import (
        ConfigError,
        FileError,
        GrammarError,
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
    from pdl.gbnf import to_gbnf
    from pdl.limits import Limits
    from pdl.prompt import Media, Message, Prompt, Rendered, Text, load, loads
    from pdl.reply import Check, Coercions, check, extract
    from pdl.schema import Schema

    __version__: str

_HOMES = {
    "Check": "pdl.reply",
    "Coercions": "pdl.reply",
    "ConfigError": "pdl.errors",
    "FileError": "pdl.errors",
    "GrammarError": "pdl.errors",
    "InputError": "pdl.errors",
    "LimitError": "pdl.errors",
    "Limits": "pdl.limits",
    "Media": "pdl.prompt",
    "MediaError": "pdl.errors",
    "Message": "pdl.prompt",
    "OutputError": "pdl.errors",
    "PdlError": "pdl.errors",
    "Problem": "pdl.errors",
    "Prompt": "pdl.prompt",
    "PromptError": "pdl.errors",
    "Rendered": "pdl.prompt",
    "Schema": "pdl.schema",
    "SchemaError": "pdl.errors",
    "TemplateError": "pdl.errors",
    "Text": "pdl.prompt",
    "TurnError": "pdl.errors",
    "check": "pdl.reply",
    "extract": "pdl.reply",
    "load": "pdl.prompt",
    "loads": "pdl.prompt",
    "to_gbnf": "pdl.gbnf",
}

__all__ = [
    "Check",
    "Coercions",
    "ConfigError",
    "FileError",
    "GrammarError",
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
    "gbnf",
    "load",
    "loads",
    "to_gbnf",
]


_load = lazy(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415  (slow, and seldom asked for)

        return version("pdl-prompts")
    if name == "gbnf":
        import pdl.gbnf  # noqa: PLC0415  (a package of its own, which few programs need)

        return pdl.gbnf
    return _load(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
