"""Models that reason before they answer, though a grammar holds them from their first token on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.errors import ConfigError, Problem
from pdl.gbnf.compiling.wrap import Template
from pdl.models.exchange import Delta

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json

_MARKS = (("[THINK]", "[/THINK]"), ("<think>", "</think>"))
"""Pairs that open and close reasoning; the last is taken for a template that has none of them."""


def template_of(wish: Json, chat_template: str) -> str | None:
    """What stands in front of an answer, as `pdl.gbnf` wraps it; None for nothing.

    `wish` is such a template, or whether there is one: then its marks are those of the model's chat
    template, without the opening one where that has it. Raises ConfigError for what is no template.
    """
    if wish is None or wish is False:
        return None
    if wish is True:
        return _template_for(chat_template)
    try:
        if not isinstance(wish, str):
            raise TypeError(f"{wish!r} is neither a text nor true or false")  # noqa: TRY301
        if not Template.parse(wish).mark:
            raise ValueError(f"{wish!r} has no `…` for the reasoning: '<think>…</think>'")  # noqa: TRY301
    except (TypeError, ValueError) as error:
        raise ConfigError(Problem("config/think", f"`think`: {error}")) from error
    return wish


def _template_for(chat_template: str) -> str:
    _, _, behind = chat_template.rpartition("add_generation_prompt")
    for opener, closer in _MARKS:
        if opener in chat_template or closer in chat_template:
            break
    # What the prompt ends in is what stands behind the last word of the template about it.
    opened = behind.rfind(opener) > behind.rfind(closer)
    return f"…{closer}" if opened else f"{opener}…{closer}"


class Parting:
    """Parts what a model says, as a template has it, into its reasoning and its answer.

    The grammar has seen to it that the text is of this form, so that the first closing mark ends
    the reasoning.
    """

    def __init__(self, template: str) -> None:
        self._template = Template.parse(template)
        self._held = ""
        self._opened = not self._template.opener
        self._answers = False
        self._begun = False

    def feed(self, delta: Delta) -> Iterator[Delta]:
        """The same delta, its text told apart."""
        reasoning, text = self._parted(delta.text)
        parted = replace(delta, text=text, reasoning=delta.reasoning + reasoning)
        if parted != Delta():
            yield parted

    def close(self) -> str:
        """Reasoning that was withheld, since it might have been the beginning of a mark."""
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
        """The answer's text without the line breaks that stand in front of it."""
        if self._begun:
            return text
        text = text.lstrip("\n")
        self._begun = bool(text)
        return text


def _beginning(text: str, mark: str) -> int:
    """How many characters at the end of a text are the beginning of a mark."""
    return next((size for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), 0)
