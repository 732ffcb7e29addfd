"""Turns to what is sent: messages, the schema, the configuration; all problems together."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar, cast

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
from pdl.prompt.messages import Message, Part, Role, Text
from pdl.prompt.rendered import Rendered
from pdl.prompt.template import parse_schema
from pdl.prompt.turns import DYNAMIC, ROLES, Split, Token, Turn, lookalikes, mapped_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.prompt.files import Folder
    from pdl.prompt.markers import Markers
    from pdl.prompt.messages import Media
    from pdl.prompt.references import Types
    from pdl.prompt.rendered import Origin
    from pdl.schema import Schema
    from pdl.source import Source, Span
    from pdl.tools import ToolSet


_KEPT = (SCHEMA, SURROGATE)
_MESSAGES = frozenset({"system", "user", "assistant"})

_Parsed = TypeVar("_Parsed")


@dataclass(eq=False, repr=False)
class Assembly:
    """One rendering, from turns to messages."""

    source: Source
    markers: Markers
    folder: Folder | None
    limits: Limits
    strict: bool
    prefill: bool
    types: Types = False
    origin: Origin | None = None
    declared: Source | None = None
    """The declaration in the `input` turn."""
    problems: list[Problem] = field(default_factory=list)
    turns: list[tuple[Turn, Message]] = field(default_factory=list)
    schemas: list[Turn] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    tools: list[Turn] = field(default_factory=list)
    config: dict[str, Json] = field(default_factory=dict)
    describes: bool = False
    embedded: int = 0

    def assemble(self, split: Split) -> Rendered:
        """Return what the turns make. Raises an error with all problems if it is strict."""
        self.problems += split.problems
        self._add_preamble(split.preamble)
        for turn in split.turns:
            self._add(turn)
        self._refuse_second(
            "turn/second-schema", self.schemas, "write union types as `A | B` in one schema"
        )
        self._refuse_second("turn/second-tools", self.tools, "write all tools into one turn")
        schema = self._last_of(self.schemas, self._parse_schema)
        tools = self._last_of(self.tools, self._parse_tools)
        self._check_order(split)
        self._drop_last_empty()
        messages = tuple(message for _, message in self.turns)
        if self.origin is not None:
            self.origin.turns = tuple(self._span(turn) for turn, _ in self.turns)
        if self.describes:
            messages = tuple(self._with_schema(message, schema) for message in messages)
        if self.problems:
            self.problems = sorted(dict.fromkeys(self.problems), key=_position)
            self._raise()
        return Rendered(
            *(messages, schema, tools, self.config, tuple(self.reasoning)),
            *(tuple(self.problems), self.folder, self.origin),
        )

    def _raise(self) -> None:
        if not self.strict:
            return
        errors = [problem for problem in self.problems if not problem.code.startswith("warning/")]
        if errors:
            raise error_from(errors)

    def _span(self, turn: Turn) -> Span | None:
        return self.markers.span(turn.marker)

    def _source_of(self, turn: Turn) -> Source:
        return mapped_source(turn.raw, self.markers, self.source.name)

    def _problem(self, code: str, message: str, span: Span | None, hint: str = "") -> None:
        self.problems.append(Problem(code, message, span, hint))

    def _add_preamble(self, tokens: tuple[Token, ...]) -> None:
        text = as_written("".join(token.text for token in tokens), self.markers).strip()
        if not text:
            return
        first = next(token for token in tokens if as_written(token.text, self.markers).strip())
        if first.kind != "BLOCK" or first.text.strip().lower() not in ROLES:  # else media's error
            preamble = mapped_source(Turn("", tokens).raw, self.markers, self.source.name)
            self.problems += no_role(preamble, self.source, self.problems)
        self._add(Turn("system", tokens))

    def _add(self, turn: Turn) -> None:
        if turn.role in _MESSAGES:
            message = Message(cast("Role", turn.role), self._parts(turn))
            self.turns.append((turn, message))
        elif turn.role == "schema":
            self.schemas.append(turn)
        elif turn.role == "reasoning":
            self._refuse_schema_in(turn)
            self.reasoning.append(as_written(turn.raw, self.markers).strip())
        elif turn.role == "tools":
            self.tools.append(turn)
        elif turn.role == "config":
            self._refuse_schema_in(turn)
            from pdl.prompt.config import parse_config  # noqa: PLC0415 - few prompts need it

            found, problems = parse_config(self._source_of(turn))
            self.config.update(found)
            self.problems += problems
        elif turn.role == "input":
            origin = self.markers.origin(turn.marker)
            if origin is None or origin.source is not self.source:
                self.problems.append(input_place(self._span(turn)))
            else:
                self._refuse_text_in(turn)

    def _refuse_text_in(self, turn: Turn) -> None:
        """Note what an `input` turn holds after its declaration: it would be lost."""
        if self.declared is None:
            return
        if MARKER.sub("", turn.raw).strip() == self.declared.text.strip():
            return  # which most often is so, and quick to see
        source = self._source_of(turn)
        last = self.declared.anchors[0].offset + len(self.declared.text.rstrip())
        before = [one for one in source.anchors if one.source is self.source and one.offset <= last]
        end = before[-1].start + last - before[-1].offset if before else 0
        rest = source.text[end:].lstrip()
        if not rest:
            return
        block = next((token for token in turn.content if token.kind == "BLOCK"), None)
        if block is not None:  # a turn that is not alone on its line
            self._mixed((block,))
            return
        start = len(source.text) - len(rest)
        message = "this text is in the `input` turn, which is never sent"
        hint = "add a line such as `<|user|>` before it"
        self._problem("input/text", message, source.span(start, start + 1), hint)

    def _refuse_schema_in(self, turn: Turn) -> bool:
        """Note a `{{ schema }}` where it cannot be printed; whether there was one."""
        if SCHEMA_PLACEHOLDER in turn.raw:
            self.problems.append(schema_place(turn, self.markers))
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
        from pdl.prompt.files import parse_media  # noqa: PLC0415 - few prompts need it

        parts: list[Part] = []
        for token in content:
            if token.kind == "TEXT":
                parts.append(Text(self._clean(token.text)))
                continue
            span = self.markers.span(token.marker) or self.source.span(0)
            try:
                media = parse_media(token.text, span, self.folder, self.limits)
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
        """Text without markers, except those that the schema's description will replace."""
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
        """The message with the schema's description instead of `{{ schema }}`."""
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

    def _refuse_second(self, code: str, turns: list[Turn], hint: str) -> None:
        for turn in turns[1:]:
            message = f"there is a second `{turn.role}` turn"
            self._problem(code, message, self._span(turn), hint)

    def _last_of(
        self, turns: list[Turn], parse: Callable[[Turn], _Parsed | None]
    ) -> _Parsed | None:
        """What the last of the turns parses to."""
        found = None
        for turn in turns:
            if self._refuse_schema_in(turn):
                continue
            try:
                found = parse(turn) or found
            except PromptError as error:
                self.problems += error.problems
        return found

    def _parse_schema(self, turn: Turn) -> Schema:
        source = self._source_of(turn)
        if not source.text.strip():
            message = "this `schema` turn is empty"
            hint = "write a type such as `{ name: str }`, or remove the turn"
            raise error_from([Problem("schema/empty", message, self._span(turn), hint)])
        return parse_schema(source, self.folder, self.limits, self.types)

    def _parse_tools(self, turn: Turn) -> ToolSet | None:
        source = self._source_of(turn)
        if source.text.strip():
            return toolsets.ToolSet.parse(source, limits=self.limits)
        self._problem("warning/empty-turn", "this `tools` turn is empty", self._span(turn))
        return None

    def _check_order(self, split: Split) -> None:
        if not self.turns:
            hint = "add a line `<|user|>` with text below it"
            words = f"the prompt has no {'message ' if split.turns else ''}turns"
            self._problem("turn/none", words, self.source.span(0), hint)
        for turn, message in self.turns[:-1]:
            if not message.parts:
                words = f"this `{turn.role}` turn is empty"
                self._problem("warning/empty-turn", words, self._span(turn))
        self.problems += order_problems([turn for turn, _ in self.turns], self.markers)

    def _drop_last_empty(self) -> None:
        """An empty last turn invites the answer; one that is not empty is the answer's start."""
        if self.turns and not self.turns[-1][1].parts:
            turn = self.turns.pop()[0]
            span = self._span(turn)
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
                "leave it empty, or let the model continue it (`prefill=True`,"
                " on the command line `--prefill`)",
            )


def schema_place(turn: Turn, markers: Markers) -> Problem:
    """The problem of `{{ schema }}` in a turn that is not a message."""
    message = f"`{{{{ schema }}}}` cannot be printed in a `{turn.role}` turn"
    hint = "it describes the schema for the model, in a system, user or assistant turn"
    return Problem("template/schema-place", message, markers.span(turn.marker), hint)


def input_place(span: Span | None) -> Problem:
    """The problem of an `input` turn that is not in the main file."""
    message = "this `input` turn has no effect: it isn't in the main file"
    hint = "move it into the file that is rendered"
    return Problem("input/place", message, span, hint)


def no_role(preamble: Source, source: Source, reported: Sequence[Problem]) -> list[Problem]:
    """The problem of text before the first turn, unless one at its beginning is reported.

    That is the turn marker of an unknown name. In a value, what looks like one is only text.
    """
    text = preamble.text.strip()
    line = text.split("\n", 1)[0].split(DYNAMIC, 1)[0].strip()
    start = preamble.text.find(text)
    span = preamble.span(start, start + max(len(line), 1)).origin()
    if span.source is preamble:  # a value that no text of the file comes before
        span = source.span(0)
    at = [problem.location for problem in reported]
    if any(one and one.source is span.source and one.start == span.start for one in at):
        return []
    for _, _, meant in lookalikes(line):
        message = f"this looks like `{meant}`, but is not one"
        return [Problem("turn/no-role", message, span, f"write `{meant}`")]
    message = "text before the first turn"
    hint = "begin with a line `<|system|>` or `<|user|>`; write comments as `{# … #}`"
    return [Problem("turn/no-role", message, span, hint)]


def order_problems(turns: Iterable[Turn | None], markers: Markers) -> Iterator[Problem]:
    """Problems of the order of turns that are sent; None represents unknown turns."""
    previous, begun = "", False
    for turn in turns:
        role = turn.role if turn is not None else ""
        if turn is not None and role == "system" and begun:
            message = "`system` must be the first turn"
            yield Problem("turn/system-not-first", message, markers.span(turn.marker))
        elif turn is not None and role == previous and role in ("user", "assistant"):
            other = "an `assistant`" if role == "user" else "a `user`"
            hint = f"merge them, or add {other} turn between them"
            message = f"consecutive `{role}` turns"
            yield Problem("turn/doubled", message, markers.span(turn.marker), hint)
        previous, begun = role, begun or bool(role)


def _position(problem: Problem) -> tuple[bool, int]:
    """The order of problems: that of the file; those without a position come last."""
    span = problem.location
    return span is None, span.start if span is not None else 0


def _merged(parts: list[Part]) -> list[Part]:
    """Adjacent texts, joined."""
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, Text) and isinstance(last, Text):
            merged[-1] = Text(last.text + part.text)
        else:
            merged.append(part)
    return merged


def _trimmed(parts: list[Part]) -> tuple[Part, ...]:
    """Without whitespace at both ends, and without texts of whitespace only."""
    if parts and isinstance(parts[0], Text):
        parts[0] = Text(parts[0].text.lstrip())
    if parts and isinstance(parts[-1], Text):
        parts[-1] = Text(parts[-1].text.rstrip())
    return tuple(part for part in parts if not isinstance(part, Text) or part.text.strip())
