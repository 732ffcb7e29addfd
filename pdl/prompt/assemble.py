"""Turns to what is sent: messages, the schema, the configuration; all problems together."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from pdl import prompt as prompts
from pdl import tools as toolsets
from pdl.errors import LimitError, MediaError, Problem, PromptError, TurnError, error_from
from pdl.prompt.markers import (
    MARKER,
    SCHEMA,
    SCHEMA_PLACEHOLDER,
    SURROGATE,
    as_written,
    has_markers,
    unescaped,
)
from pdl.prompt.messages import Message, Part, Rendered, Role, Text
from pdl.prompt.turns import ROLES, Split, Token, Turn, no_role

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.prompt.files import Folder
    from pdl.prompt.markers import Markers
    from pdl.prompt.messages import Media
    from pdl.schema import Schema
    from pdl.source import Source, Span
    from pdl.tools import ToolSet


_KEPT = (SCHEMA, SURROGATE)
_MESSAGES = frozenset({"system", "user", "assistant"})


@dataclass(eq=False, repr=False)
class Assembly:
    """One rendering on its way from turns to messages."""

    source: Source
    markers: Markers
    folder: Folder | None
    limits: Limits
    strict: bool
    prefill: bool
    problems: list[Problem] = field(default_factory=list)
    turns: list[tuple[Turn, Message]] = field(default_factory=list)
    schemas: list[Turn] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    tools: list[Turn] = field(default_factory=list)
    config: dict[str, Json] = field(default_factory=dict)
    describes: bool = False
    embedded: int = 0

    def assemble(self, split: Split) -> Rendered:
        """Put everything together. Raises an error for all problems if it is strict."""
        self.problems += split.problems
        self._add_preamble(split.preamble)
        for turn in split.turns:
            self._add(turn)
        schema = self._schema()
        tools = self._tools()
        self._check_order()
        self._drop_last_empty()
        messages = tuple(message for _, message in self.turns)
        if self.describes:
            messages = tuple(self._with_schema(message, schema) for message in messages)
        if self.problems:
            self.problems = sorted(dict.fromkeys(self.problems), key=_place)
            self._raise()
        return Rendered(
            messages,
            schema,
            tools,
            self.config,
            tuple(self.reasoning),
            tuple(self.problems),
        )

    def _raise(self) -> None:
        if not self.strict:
            return
        errors = [problem for problem in self.problems if not problem.code.startswith("warning/")]
        if errors:
            raise error_from(errors)

    def _problem(self, code: str, message: str, span: Span | None, hint: str = "") -> None:
        self.problems.append(Problem(code, message, span, hint))

    def _add_preamble(self, tokens: tuple[Token, ...]) -> None:
        text = as_written("".join(token.text for token in tokens), self.markers).strip()
        if not text:
            return
        first = next(token for token in tokens if as_written(token.text, self.markers).strip())
        if first.kind != "BLOCK" or first.text.strip().lower() not in ROLES:  # else media's error
            problem = no_role(text, self.source)
            self.problems += [problem] if problem is not None else []
        self._add(Turn("system", tokens))

    def _add(self, turn: Turn) -> None:
        if turn.role in _MESSAGES:
            message = Message(cast("Role", turn.role), self._parts(turn))
            self.turns.append((turn, message))
        elif turn.role == "schema":
            self.schemas.append(turn)
        elif turn.role == "reasoning":
            self.reasoning.append(self._spoken(turn))
        elif turn.role == "tools":
            self.tools.append(turn)
        elif turn.role == "config":
            self._refuse_schema_in(turn)
            placed = prompts.mapped_source(turn.raw, self.markers, self.source.name)
            found, problems = prompts.parse_config(placed)
            self.config.update(found)
            self.problems += problems

    def _spoken(self, turn: Turn) -> str:
        self._refuse_schema_in(turn)
        return as_written(turn.raw, self.markers).strip()

    def _refuse_schema_in(self, turn: Turn) -> bool:
        """Note a `{{ schema }}` where it cannot be printed; whether there was one."""
        if SCHEMA_PLACEHOLDER in turn.raw:
            message = f"`{{{{ schema }}}}` cannot be printed in a `{turn.role}` turn"
            hint = "it describes the schema for the model, in a system, user or assistant turn"
            self._problem("template/schema-place", message, self.markers.span(turn.marker), hint)
            return True
        return False

    def _parts(self, turn: Turn) -> tuple[Part, ...]:
        if not turn.content:
            return ()
        if len(turn.content) == 1 and turn.content[0].kind == "TEXT":
            text = self._clean(turn.content[0].text).strip()
            return (Text(text),) if text else ()
        return self._mixed(turn.content)

    def _mixed(self, content: tuple[Token, ...]) -> tuple[Part, ...]:
        """Text and blocks; the text is trimmed at both ends of the turn, as a whole."""
        parts: list[Part] = []
        for token in content:
            if token.kind == "TEXT":
                parts.append(Text(self._clean(token.text)))
                continue
            span = self.markers.span(token.marker) or self.source.span(0)
            try:
                media = prompts.parse_media(token.text, span, self.folder, self.limits)
                self._count(media, span)
                parts.append(media)
            except (MediaError, LimitError) as error:
                self.problems += error.problems
                parts.append(Text(f"<|{token.text}|>"))
        return _trimmed(_merged(parts))

    def _count(self, media: Media, span: Span) -> None:
        """Add a file to the bytes of all. Raises LimitError for too many of them."""
        self.embedded += len(media.data)
        most = self.limits.media_total_bytes
        if self.embedded > most:
            message = f"the files up to this one have more than {most:,} bytes together"
            hint = "embed fewer or smaller files, or raise `Limits.media_total_bytes`"
            raise LimitError(Problem("limit/media", message, span, hint))

    def _clean(self, text: str) -> str:
        """Text without markers, but for those that the schema's description will replace."""
        if text.isascii():
            return text
        self.describes = self.describes or SCHEMA_PLACEHOLDER in text
        found = MARKER.sub(lambda match: match[0] if match[1] in _KEPT else "", text)
        if has_markers(found) and has_markers(MARKER.sub("", found)):  # by now each is a marker
            raise TurnError(
                Problem("turn/damaged", "a turn marker was damaged", self.source.span(0))
            )
        return unescaped(found)

    def _with_schema(self, message: Message, schema: Schema | None) -> Message:
        """The message with the schema described where `{{ schema }}` stands."""
        if schema is None and not self.problems:
            found = re.search(r"\{\{[^}]*?(\bschema\b)", self.source.text)
            span = self.source.span(*found.span(1)) if found else self.source.span(0)
            hint = "add a `<|schema|>` turn, or pass a schema of that name"
            self._problem("template/undefined", "`schema` is undefined", span, hint)
        described = schema.describe() if schema is not None else ""
        parts = tuple(
            Text(part.text.replace(SCHEMA_PLACEHOLDER, described))
            if isinstance(part, Text)
            else part
            for part in message.parts
        )
        return Message(message.role, parts)

    def _schema(self) -> Schema | None:
        """The schema of the (last) schema turn."""
        for turn in self.schemas[1:]:
            hint = "union types are written `A | B` in one schema"
            self._problem(
                "turn/second-schema",
                "there is a second `schema` turn",
                self.markers.span(turn.marker),
                hint,
            )
        schema = None
        for turn in self.schemas:
            if self._refuse_schema_in(turn):
                continue
            try:
                schema = self._parse_schema(turn)
            except PromptError as error:
                self.problems += error.problems
        return schema

    def _parse_schema(self, turn: Turn) -> Schema:
        placed = prompts.mapped_source(turn.raw, self.markers, self.source.name)
        if not placed.text.strip():
            message = "this `schema` turn is empty"
            hint = "write a type such as `{ name: str }`, or leave the turn out"
            raise error_from(
                [Problem("schema/empty", message, self.markers.span(turn.marker), hint)]
            )
        return prompts.parse_schema(placed, self.folder, self.limits)

    def _tools(self) -> ToolSet | None:
        """The tools of the (last) tools turn that holds any."""
        for turn in self.tools[1:]:
            message, hint = "there is a second `tools` turn", "write all tools into one turn"
            span = self.markers.span(turn.marker)
            self._problem("turn/second-tools", message, span, hint)
        tools = None
        for turn in self.tools:
            if self._refuse_schema_in(turn):
                continue
            placed = prompts.mapped_source(turn.raw, self.markers, self.source.name)
            if not placed.text.strip():
                message = "this `tools` turn is empty"
                self._problem("warning/empty-turn", message, self.markers.span(turn.marker))
                continue
            try:
                tools = toolsets.ToolSet.parse(placed, limits=self.limits)
            except PromptError as error:
                self.problems += error.problems
        return tools

    def _check_order(self) -> None:
        if not self.turns:
            hint = "a prompt has at least a line `<|user|>` with a text below it"
            self._problem("turn/none", "there is no turn", self.source.span(0), hint)
        previous = ""
        for index, (turn, message) in enumerate(self.turns):
            if not message.parts and index + 1 < len(self.turns):
                self._problem(
                    "warning/empty-turn",
                    f"this `{turn.role}` turn is empty",
                    self.markers.span(turn.marker),
                )
            if turn.role == "system" and index:
                words = "`system` stands first, or not at all"
                self._problem("turn/system-not-first", words, self.markers.span(turn.marker))
            elif turn.role == previous and turn.role != "system":
                words = f"two `{turn.role}` turns stand in a row"
                hint = "join them, or put the other's turn between them"
                self._problem("turn/doubled", words, self.markers.span(turn.marker), hint)
            previous = turn.role

    def _drop_last_empty(self) -> None:
        """An empty last turn invites the answer; one that is not empty is the answer's start."""
        if self.turns and not self.turns[-1][1].parts:
            turn = self.turns.pop()[0]
            span = self.markers.span(turn.marker)
            if not self.turns:
                self._problem("turn/none", "all turns are empty", span)
            elif turn.role != "assistant":
                problem = f"the last turn, `{turn.role}`, is empty and was left out"
                self._problem("warning/empty-turn", problem, span)
        if self.turns and self.turns[-1][0].role == "assistant" and not self.prefill:
            self._problem(
                "turn/ends-with-assistant",
                "the prompt ends with an `assistant` turn that is not empty",
                self.markers.span(self.turns[-1][0].marker),
                "leave it empty, or say that the model is to go on from there (`prefill=True`,"
                " on the command line `--prefill`)",
            )


def _place(problem: Problem) -> tuple[bool, int]:
    """The order of problems: as they stand in the file; those without a place come last."""
    place = problem.location
    return place is None, place.start if place is not None else 0


def _merged(parts: list[Part]) -> list[Part]:
    """Neighbouring texts made one."""
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, Text) and isinstance(last, Text):
            merged[-1] = Text(last.text + part.text)
        else:
            merged.append(part)
    return merged


def _trimmed(parts: list[Part]) -> tuple[Part, ...]:
    """Without blanks at both ends, and without texts that are nothing but blanks."""
    if parts and isinstance(parts[0], Text):
        parts[0] = Text(parts[0].text.lstrip())
    if parts and isinstance(parts[-1], Text):
        parts[-1] = Text(parts[-1].text.rstrip())
    return tuple(part for part in parts if not isinstance(part, Text) or part.text.strip())
