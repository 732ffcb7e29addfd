"""The grammar that constrains a model to a request's schema; compiled once for later requests.

Models may reason before they answer, though a grammar constrains them from their first token on:
then the grammar includes the reasoning tags, and `ReasoningSplitter` separates it from the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.errors import ConfigError, Problem
from pdl.gbnf.compiling.compiled import compile_schema
from pdl.gbnf.compiling.forms import Template, wrap
from pdl.gbnf.compiling.options import Options
from pdl.gbnf.grammar import Grammar
from pdl.models.exchange import Delta, Dropped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.gbnf import Compiled
    from pdl.schema import Schema
    from pdl.tools.formats import Format
    from pdl.tools.tool import Calls
    from pdl.tools.toolset import ToolSet


_MARKS = (("[THINK]", "[/THINK]"), ("<think>", "</think>"))
"""Pairs of reasoning tags; the last one is used for a template that has none of them."""


def template_of(wish: Json, chat_template: str) -> str | None:
    """Return the template of reasoning before an answer, as `pdl.gbnf` wraps it; None for nothing.

    `wish` is such a template, or whether there is one: then its tags are those of the model's chat
    template, without the opening tag if that has it. Raises ConfigError for an invalid template.
    """
    if wish is None or wish is False:
        return None
    if wish is True:
        return _template_for(chat_template)
    try:
        if not isinstance(wish, str):
            raise TypeError(f"{wish!r} is not a string, true or false")  # noqa: TRY301
        if not Template.parse(wish).mark:
            raise ValueError(f"{wish!r} has no `…` for the reasoning: write '<think>…</think>'")  # noqa: TRY301
    except (TypeError, ValueError) as error:
        raise ConfigError(Problem("config/think", f"`think`: {error}")) from error
    return wish


def _template_for(chat_template: str) -> str:
    _, _, behind = chat_template.rpartition("add_generation_prompt")
    for opener, closer in _MARKS:
        if opener in chat_template or closer in chat_template:
            break
    # The prompt ends in what follows the last mention of it in the template.
    opened = behind.rfind(opener) > behind.rfind(closer)
    return f"…{closer}" if opened else f"{opener}…{closer}"


class ReasoningSplitter:
    """Splits what a model says, according to a template, into its reasoning and its answer.

    The grammar ensures that the text has this form, so the first closing tag ends the reasoning.
    """

    def __init__(self, template: str) -> None:
        self._template = Template.parse(template)
        self._held = ""
        self._opened = not self._template.opener
        self._answers = False
        self._begun = False

    def feed(self, delta: Delta) -> Iterator[Delta]:
        """Yield the same delta with its text split."""
        reasoning, text = self._parted(delta.text)
        parted = replace(delta, text=text, reasoning=delta.reasoning + reasoning)
        if parted != Delta():
            yield parted

    def close(self) -> str:
        """Return reasoning that was withheld, since it might have been the beginning of a tag."""
        held, self._held = ("", self._held) if self._answers else (self._held, "")
        return held

    def _parted(self, text: str) -> tuple[str, str]:
        if self._answers:
            return "", self._answer(text)
        self._held += text
        if not self._opened:
            if len(self._held) < len(self._template.opener):
                return "", ""
            self._held = self._held.removeprefix(self._template.opener)
            self._opened = True
        thought, mark, answer = self._held.partition(self._template.mark)
        if mark:
            self._answers, self._held = True, ""
            return thought, self._answer(answer)
        kept = _beginning(self._held, self._template.mark)
        self._held = thought[len(thought) - kept :]
        return thought[: len(thought) - kept], ""

    def _answer(self, text: str) -> str:
        """The text of the answer without leading newlines."""
        if self._begun:
            return text
        text = text.lstrip("\n")
        self._begun = bool(text)
        return text


def _beginning(text: str, mark: str) -> int:
    """How many characters at the end of a text are the beginning of a tag."""
    return next((size for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), 0)


_GRAMMARS = 64


@dataclass(frozen=True, slots=True)
class Constraint:
    """The text of a grammar, and what only the check enforces."""

    grammar: str
    dropped: tuple[Dropped, ...] = ()


@lru_cache(maxsize=_GRAMMARS)
def constraint(schema: Schema, template: str | None = None) -> Constraint:
    """Return the constraint of a schema, after a `template` of reasoning if there is one.

    Raises what `pdl.gbnf.compile` raises.
    """
    return _constraint(compile_schema(schema, Options.generate()), template)


def constraint_of_tools(
    tools: ToolSet, form: Format, calls: Calls, schema: Schema | None, template: str | None = None
) -> Constraint:
    """Return the constraint of tool calls or an answer, which matches a schema or is any text.

    `calls` is `any`, or `several` if there must be one. Raises what `ToolSet.grammar` raises.
    """
    answer = schema if calls == "any" else None
    return _constraint(tools.grammar(form, calls, schema=answer), template)


def _constraint(compiled: Compiled, template: str | None) -> Constraint:
    grammar = compiled.grammar
    if template is not None:
        grammar = Grammar(wrap(grammar.rules, template, root=grammar.root), grammar.root)
    dropped = (
        Dropped(entry.pointer, entry.keyword, entry.why) for entry in compiled.report.post_hoc
    )
    return Constraint(str(grammar), tuple(dropped))
