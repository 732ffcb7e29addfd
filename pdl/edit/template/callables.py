"""Filters, tests, functions and macros as an editor shows them: signatures and words.

They are those of the environment that prompts run in; where pdl only bounds a filter of Jinja's,
its signature and its words are Jinja's.
"""

from __future__ import annotations

import inspect
import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from jinja2 import filters as jinja_filters
from jinja2 import tests as jinja_tests

from pdl.edit.template import words
from pdl.edit.template.expressions import unquoted
from pdl.prompt.filters import FILTERS, TESTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.edit.template.expressions import Node
    from pdl.edit.template.tags import Statement

CallableKind: TypeAlias = Literal["filter", "test", "function"]

_CONTEXT = frozenset({"environment", "env", "context", "eval_ctx"})
_JINJA = re.compile(r"Jinja's `\w+`, bounded\.")
_ROLE = re.compile(r":\w+:`([^`<]*)[^`]*`")
_MARKUP = re.compile(r"``([^`]*)``")
_SIGNATURES = {
    "cycler": ("*items",),
    "default": ('default_value=""', "boolean=False"),
    "d": ('default_value=""', "boolean=False"),
    "dict": ("**items",),
    "filter": ("attribute", "value"),
    "get": ("key", "default"),
    "concat": ("with",),
    "join": ('d=""', "attribute=None"),
    "joiner": ('sep=", "',),
    "map": ("*filter", "attribute", "default"),
    "namespace": ("**values",),
    "range": ("start", "end", "step_by=1"),
    "replace": ("from", "to", "count=None"),
    "reject": ("test", "*args"),
    "rejectattr": ("attribute", "test", "*args"),
    "round": ("precision=0", 'method="common"'),
    "select": ("test", "*args"),
    "selectattr": ("attribute", "test", "*args"),
    "slice": ("slices", "fill_with=None", "start", "end"),
    "super": (),
    "caller": ("*args",),
    "truncate": ("length=255", "killwords=False", 'end="..."', "leeway=None"),
}
"""Where the function takes several notations, so its own signature says little."""
_ALIASES = {"d": "default", "divisible_by": "divisibleby"}
_WORDS: Mapping[str, Mapping[str, words.Word]] = {"filter": words.FILTERS, "test": words.TESTS}
_SYMBOLS = frozenset({"!=", "<", "<=", "==", ">", ">="})


class Callable(NamedTuple):
    """A filter, a test or a function: the parameters that are written, and its words."""

    kind: CallableKind
    name: str
    parameters: tuple[str, ...]
    words: str

    @property
    def signature(self) -> str:
        """How it is written."""
        listed = f"({', '.join(self.parameters)})" if self.parameters else ""
        if self.kind == "function":
            return f"{self.name}({', '.join(self.parameters)})"
        return f"value {'|' if self.kind == 'filter' else 'is'} {self.name}{listed}"


@cache
def filters() -> Mapping[str, Callable]:
    """Return the filters by their names."""
    return {
        name: _described("filter", name, one, jinja_filters.FILTERS.get(name))
        for name, one in sorted(FILTERS.items())
    }


@cache
def tests() -> Mapping[str, Callable]:
    """Return the tests by their names, without those that are signs."""
    return {
        name: _described("test", name, one, jinja_tests.TESTS.get(name))
        for name, one in sorted(TESTS.items())
        if name not in _SYMBOLS
    }


@cache
def functions() -> Mapping[str, Callable]:
    """Return the functions by their names; `caller` and `super` are known only at some places."""
    return {
        name: Callable("function", name, _SIGNATURES.get(name, ("message",)), said_of(word))
        for name, word in words.FUNCTIONS.items()
    }


def find(kind: CallableKind, name: str) -> Callable | None:
    """Return what has a name."""
    known = {"filter": filters, "test": tests, "function": functions}[kind]()
    return known.get(name)


def _described(kind: CallableKind, name: str, function: Any, jinja: Any) -> Callable:
    own = inspect.unwrap(function)
    word = _WORDS[kind].get(_ALIASES.get(name, name))
    text = inspect.getdoc(own) or ""
    if jinja is not None and (not text or _JINJA.match(text)):
        own = inspect.unwrap(jinja)
        text = inspect.getdoc(own) or ""
    said = _paragraph(text) if word is None else said_of(word)
    return Callable(kind, name, _parameters(kind, name, own), said)


def said_of(word: words.Word | None) -> str:
    """Return a sentence and its example as Markdown, if there is one."""
    if word is None:
        return ""
    return f"{word.text}\n\n`{word.example}`" if word.example else word.text


def _parameters(kind: CallableKind, name: str, function: Any) -> tuple[str, ...]:
    if kind == "filter" and name in _SIGNATURES:
        return _SIGNATURES[name]
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ()
    while found and found[0].name in _CONTEXT:
        found.pop(0)
    return tuple(
        str(one.replace(annotation=inspect.Parameter.empty)).replace("'", '"') for one in found[1:]
    )


def _paragraph(text: str) -> str:
    """The first paragraph of a docstring as Markdown."""
    first = " ".join(text.strip().split("\n\n")[0].split())
    return _MARKUP.sub(r"`\1`", _ROLE.sub(r"`\1`", first))


def parameters(statement: Statement) -> tuple[str, ...]:
    """Return the parameters of a macro with their defaults."""
    return tuple(
        word.text if default is None else f"{word.text}={_shown(default)}"
        for word, default in statement.parameters
    )


def signature(statement: Statement) -> str:
    """Return how a macro is called, with its defaults."""
    name = statement.targets[0].text if statement.targets else ""
    return f"{name}({', '.join(parameters(statement))})"


def _shown(default: Node) -> str:
    if default.kind == "string":
        return json.dumps(unquoted(default.text), ensure_ascii=False)[:40]
    return default.text if default.kind in ("name", "number") else "…"
