"""Prompt files in, checked replies out.

A `.pdl` file is a Jinja template that renders to turns, with a compact schema of the answer in its
`<|schema|>` turn. `pdl.load(path).render(data)` returns the messages; `pdl.check(schema, reply)`
finds the answer in what the model said and checks it; `pdl.ask(rendered, model)` does both, and
lets the model fix its mistakes.

Since pdl has a plugin of pytest, that would rewrite the asserts of all modules here: no need
(PYTEST_DONT_REWRITE).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl import batch, compare, evaluation, gbnf, masks, models, testing, tools
    from pdl.errors import (
        CasesError,
        ConfigError,
        FileError,
        GrammarError,
        InputError,
        LimitError,
        MediaError,
        PdlError,
        PinError,
        Problem,
        PromptError,
        SchemaError,
        TemplateError,
        TokenError,
        ToolError,
        TurnError,
        VocabularyError,
    )
    from pdl.gbnf import to_gbnf
    from pdl.limits import Limits
    from pdl.models import (
        Answer,
        AskError,
        Budget,
        Fault,
        Price,
        Request,
        ask,
        ask_async,
        reply_from,
        run_tools,
        run_tools_async,
        stream,
    )
    from pdl.prompt import Media, Message, Prompt, Rendered, Text, load, loads
    from pdl.reply import Check, Coercions, OutputError, Rule, Violation, check, extract
    from pdl.schema import Schema

    __version__: str

_HOMES = {
    "Answer": "pdl.models",
    "AskError": "pdl.models",
    "Budget": "pdl.models",
    "CasesError": "pdl.errors",
    "Check": "pdl.reply",
    "Coercions": "pdl.reply",
    "ConfigError": "pdl.errors",
    "Fault": "pdl.models",
    "FileError": "pdl.errors",
    "GrammarError": "pdl.errors",
    "InputError": "pdl.errors",
    "LimitError": "pdl.errors",
    "Limits": "pdl.limits",
    "Media": "pdl.prompt",
    "MediaError": "pdl.errors",
    "Message": "pdl.prompt",
    "OutputError": "pdl.reply",
    "PdlError": "pdl.errors",
    "PinError": "pdl.errors",
    "Price": "pdl.models",
    "Problem": "pdl.errors",
    "Prompt": "pdl.prompt",
    "PromptError": "pdl.errors",
    "Rendered": "pdl.prompt",
    "Request": "pdl.models",
    "Rule": "pdl.reply",
    "Schema": "pdl.schema",
    "SchemaError": "pdl.errors",
    "TemplateError": "pdl.errors",
    "Text": "pdl.prompt",
    "TokenError": "pdl.errors",
    "ToolError": "pdl.errors",
    "TurnError": "pdl.errors",
    "Violation": "pdl.reply",
    "VocabularyError": "pdl.errors",
    "ask": "pdl.models",
    "ask_async": "pdl.models",
    "check": "pdl.reply",
    "extract": "pdl.reply",
    "load": "pdl.prompt",
    "loads": "pdl.prompt",
    "reply_from": "pdl.models",
    "run_tools": "pdl.models",
    "run_tools_async": "pdl.models",
    "stream": "pdl.models",
    "to_gbnf": "pdl.gbnf",
}

__all__ = [
    "Answer",
    "AskError",
    "Budget",
    "CasesError",
    "Check",
    "Coercions",
    "ConfigError",
    "Fault",
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
    "PinError",
    "Price",
    "Problem",
    "Prompt",
    "PromptError",
    "Rendered",
    "Request",
    "Rule",
    "Schema",
    "SchemaError",
    "TemplateError",
    "Text",
    "TokenError",
    "ToolError",
    "TurnError",
    "Violation",
    "VocabularyError",
    "ask",
    "ask_async",
    "batch",
    "check",
    "compare",
    "evaluation",
    "extract",
    "gbnf",
    "load",
    "loads",
    "masks",
    "models",
    "reply_from",
    "run_tools",
    "run_tools_async",
    "stream",
    "testing",
    "to_gbnf",
    "tools",
]


_PACKAGES = frozenset(
    {"batch", "compare", "evaluation", "gbnf", "masks", "models", "testing", "tools"}
)
"""Packages that few programs need."""

_load = lazy(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415  (slow, and seldom asked for)

        return globals().setdefault(name, version("pdl-prompts"))
    if name in _PACKAGES:
        return import_module(f"pdl.{name}")
    return _load(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
