"""A template without its notation: the same for templates that render the same.

Comments, the spacing of tags, and the spelling of literals are gone with the lexer. Turn markers
that certainly begin a turn lose the whitespace around them, and static `schema`, `tools`, `config`,
and `input` turns become what they mean. Anything else stays as it is: templates that render
differently for some data never have the same canonical form.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pdl.errors import PromptError
from pdl.prompt.files import media_path
from pdl.prompt.markers import CLOSE, HERE, LEAD, NOTED, OPEN, POSITION, WHOLE, Markers, number_of
from pdl.prompt.markers import unescaped as without_escapes
from pdl.prompt.turns import ROLES, SENT
from pdl.schema.json_values import copy_json
from pdl.schema.keywords import subschemas
from pdl.source import Anchor, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jinja2.lexer import Token

    from pdl._types import Json, JsonSchema
    from pdl.limits import Limits
    from pdl.prompt.sandbox import PromptEnvironment
    from pdl.schema import Schema

# Only prompts with turns of that kind need what parses them.
# ruff: noqa: PLC0415

Item: TypeAlias = str | list[Any]
"""A piece of a canonical form: text, or a list of scalars for anything else."""

_MARK = re.compile(f"{LEAD}([{WHOLE}{OPEN}{CLOSE}])([\udc00-\udfff]{{3}})")
_JOINT = "+"
_VALUED = frozenset({"name", "string", "integer", "float"})
_PRINTING = frozenset({"if", "for", "with"})
_CAPTURING = frozenset({"autoescape", "call", "filter", "macro"})
_NAMING = frozenset({"include", "import", "extends", "from"})
_OPTIONS = frozenset({"ignore", "missing", "with", "without", "context"})
_LIST_SIGNS = frozenset({"lbracket", "rbracket", "lparen", "rparen", "comma"})
_TRIMMED = frozenset({*SENT, "reasoning"})
_SPACES = "\ufeff \t\n"
_BLANK_LINES = re.compile(r"(?:[ \t]*\n)+")
_LINE_END = re.compile(r"[ \t]*\n")


class Run(NamedTuple):
    """The text between two tags, with markers; comments cut it into stretches."""

    stretches: list[str]


class Tag(NamedTuple):
    """The tokens of a statement, or of an expression that is printed."""

    tokens: list[Token]

    @property
    def word(self) -> str:
        """The keyword of a statement; empty for an expression."""
        if self.tokens[0].type != "block_begin" or not self.tokens[1:]:
            return ""  # a file that isn't a template can end after `{%`
        return str(self.tokens[1].value)

    def names(self) -> set[Any]:
        """The names in it, keywords included."""
        return {token.value for token in self.tokens if token.type == "name"}

    def files(self) -> list[str]:
        """The files that a statement can name: all strings in it; adjacent ones are one string."""
        if self.word not in _NAMING:
            return []
        runs = itertools.groupby(self.tokens, lambda token: token.type == "string")
        return ["".join(one.value for one in run) for is_string, run in runs if is_string]

    def is_computed(self) -> bool:
        """Whether a statement names files other than as a string or a list of strings."""
        if self.word not in _NAMING:
            return False
        inside = self.tokens[2:-1]
        end = next((at for at, one in enumerate(inside) if one.type == "name"), len(inside))
        options = inside[end:] if self.word in ("include", "extends") else []
        return not (
            any(one.type == "string" for one in inside[:end])
            and all(one.type == "string" or one.type in _LIST_SIGNS for one in inside[:end])
            and all(one.type == "name" and one.value in _OPTIONS for one in options)
        )

    def opens(self, *, blocks_print: bool) -> bool | None:
        """Whether the body of a statement is printed where it is; None if it has no body."""
        word = self.word
        if word in _PRINTING:
            return not (word == "for" and "recursive" in self.names())
        if word == "block":
            return blocks_print
        if word == "set":
            kinds = [token.type for token in self.tokens]
            assigns = next((k for k in kinds if k in ("assign", "pipe", "block_end")), "")
            return None if assigns == "assign" else False
        return False if word in _CAPTURING else None

    def item(self) -> Item:
        """The tokens, without spacing and the spelling of literals."""
        found: list[Json] = []
        for token in self.tokens:
            found += (token.type, token.value) if token.type in _VALUED else (token.type,)
        return found


class _Mark(NamedTuple):
    """A `<|…|>`, one half of it, or a place where a comment was that cannot be ignored."""

    kind: str
    text: str = ""
    alone: bool = False

    @property
    def role(self) -> str:
        name = self.text.strip().lower()
        return name if self.kind == WHOLE and self.alone and name in ROLES else ""

    @property
    def may_refer(self) -> bool:
        """Whether the name of a file can follow."""
        is_schema = self.kind == WHOLE and self.text.strip().lower() == "schema"
        return is_schema or self.kind == _JOINT

    def item(self) -> Item:
        name = {WHOLE: "<|>", OPEN: "<|", CLOSE: "|>"}.get(self.kind, _JOINT)
        return [name] if name in (_JOINT, "|>") else [name, self.text, self.alone]


@dataclass(frozen=True)
class Tokens:
    """The tokens of one template; `is_main` if nothing is printed before and after it."""

    groups: list[Run | Tag]
    markers: Markers
    is_main: bool

    def walk(self, *, blocks_print: bool) -> Iterator[tuple[Run | Tag, bool, int]]:
        """Yield each tag and text, whether it is printed where it is, and how deep it is."""
        opened: list[bool] = []
        for group in self.groups:
            if isinstance(group, Tag) and group.word.startswith("end") and opened:
                opened.pop()
            yield group, all(opened), len(opened)
            if isinstance(group, Tag):
                body = group.opens(blocks_print=blocks_print)
                opened += [] if body is None else [body]

    def tags(self) -> Iterator[Tag]:
        """All tags."""
        return (group for group in self.groups if isinstance(group, Tag))

    def media_files(self) -> Iterator[str]:
        """The paths of media that the template names as text."""
        marks = (one for parts in self._all_parts() for one in parts[1::2] if one.kind == WHOLE)
        return (path for mark in marks if (path := media_path(mark.text)))

    def schema_files(self) -> Iterator[str]:
        """What follows an `@` that can begin a `schema` turn."""
        for parts in self._all_parts():
            for at in range(0, len(parts), 2):
                text = parts[at].strip(_SPACES)
                if (
                    text.startswith("@")
                    and "\n" not in text
                    and (not at or parts[at - 1].may_refer)
                ):
                    yield text[1:].strip()

    def _all_parts(self) -> Iterator[list[Any]]:
        return (self.parts(group) for group in self.groups if isinstance(group, Run))

    def parts(self, run: Run) -> list[Any]:
        """Alternately texts and marks."""
        parts: list[Any] = [[""]]
        blank = False
        for number, stretch in enumerate(run.stretches):
            head, *rest = _MARK.split(POSITION.sub("", stretch))
            is_joint = number > 0 and stretch.startswith(LEAD + HERE)
            if is_joint and not (blank or _is_end(parts[-1], head)):
                parts += (_Mark(_JOINT), [])
            parts[-1].append(head)
            for kind, digits, text in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
                origin = self.markers.origin(number_of(digits))
                assert origin is not None
                parts += (_Mark(kind, origin.text, origin.alone), [text])
            last = parts[-1][-1]
            blank = _ends_blank(last) and ("\n" in last or (blank and not rest))
        return [without_escapes("".join(p)) if isinstance(p, list) else p for p in parts]


def _is_end(before: list[str], after: str) -> bool:
    """Whether a comment is at the end of its line, and does not end an escape."""
    return _LINE_END.match(after) is not None and not (before and before[-1].endswith("\\"))


def _ends_blank(text: str) -> bool:
    return not text[text.rfind("\n") + 1 :].strip()


def tokens_of(environment: PromptEnvironment, source: Source, *, is_main: bool) -> Tokens:
    """Read a template. Raises TemplateSyntaxError, and ValueError for a number that is too long."""
    markers = Markers()
    groups: list[Run | Tag] = []
    tag: Tag | None = None
    for token in markers.mark_tokens(environment.lexer.tokenize(source.text), source):
        if tag is not None:
            tag.tokens.append(token)
            if token.type in ("block_end", "variable_end"):
                tag = None
        elif token.type == "data" and groups and isinstance(groups[-1], Run):
            groups[-1].stretches.append(token.value)
        elif token.type == "data":
            groups.append(Run([token.value]))
        else:
            tag = Tag([token])
            groups.append(tag)
    return Tokens(groups, markers, is_main)


def canonical(tokens: Tokens, limits: Limits, *, prints: bool, blocks_print: bool) -> list[Item]:
    """Return the canonical form of a template.

    `prints` says that what the template prints is never a value, `blocks_print` that its blocks
    are only printed where they are.
    """
    found: list[Item] = []
    last = len(tokens.groups) - 1
    for at, (group, is_printed, depth) in enumerate(tokens.walk(blocks_print=blocks_print)):
        if isinstance(group, Tag):
            found.append(group.item())
            continue
        parts = tokens.parts(group)
        if prints and is_printed:
            at_end = tokens.is_main and at == last and not depth
            found += _TextWriter(parts, limits, tokens.is_main and at == 0, at_end).items()
        else:
            found += (one.item() if isinstance(one, _Mark) else one for one in parts if one)
    return found


@dataclass
class _TextWriter:
    """Writes a text that is printed where it is; `parts` are alternately texts and marks."""

    parts: list[Any]
    limits: Limits
    at_start: bool
    at_end: bool

    def items(self) -> Iterator[Item]:
        """The text, without whitespace that does not count."""
        count = len(self.parts)
        sure = [-1, *(at for at in range(1, count, 2) if self._is_certain(at)), count]
        role = "system" if self.at_start else ""
        for start, end in itertools.pairwise(sure):
            if start >= 0:
                role = self.parts[start].role
                yield ["turn", role]
            ends = end < count or self.at_end
            yield from self._turn(role, self.parts[start + 1 : end], begins=start >= 0, ends=ends)

    def _turn(self, role: str, parts: list[Any], *, begins: bool, ends: bool) -> Iterator[Item]:
        """A turn from its marker on, if it begins here, and to its end, if it ends here."""
        if begins and ends:
            meaning = _meaning(role, parts, self.limits)
            if meaning is not None:
                yield meaning
                return
        last = len(parts) - 1
        for at, part in enumerate(parts):
            if at % 2:
                yield part.item()
                role = "" if part.role or part.kind == OPEN else role  # it may begin a turn
            elif role == "input" and begins and not at and _ends_blank(part):
                continue  # it is part of the declaration, which is not rendered
            elif text := _trimmed(part, role, begins=begins and not at, ends=ends and at == last):
                yield text

    def _is_certain(self, at: int) -> bool:
        """Whether a marker begins a turn wherever it is printed."""
        parts = self.parts
        before, after = parts[at - 1], parts[at + 1]
        begins = "\n" in before or (at == 1 and self.at_start)
        ends = "\n" in after or (at + 2 == len(parts) and self.at_end)
        is_alone = _ends_blank(before) and not after.partition("\n")[0].strip()
        return bool(parts[at].role) and begins and ends and is_alone


def _trimmed(text: str, role: str, *, begins: bool, ends: bool) -> str:
    """The content of a turn without whitespace at its ends; some of it counts where it is parsed.

    There, indentation is the column of a comment. `role` is empty if the turn is unknown.
    """
    if ends:
        text = text.rstrip() if role in _TRIMMED else text.rstrip(" \t\n")
    if begins and role in _TRIMMED:
        return text.lstrip()
    blank = _BLANK_LINES.match(text) if begins else None
    return text[blank.end() :] if blank else text


def _meaning(role: str, parts: list[Any], limits: Limits) -> Item | None:
    """What the whole content of a turn means; None if it is a message, or invalid."""
    is_split = len(parts) > 1  # at which comments, only a setting can tell
    if role not in NOTED or any(mark.kind != _JOINT for mark in parts[1::2]):
        return None
    text = "".join(parts[::2])
    if role == "input":
        return ["input"]  # the inputs of a prompt are part of its fingerprint
    try:
        if role == "config":
            return None if is_split else config_item(text)
        if role == "tools":
            return _tools(text, limits)
        return _named(text, is_split) if text.lstrip(_SPACES)[:1] == "@" else _schema(text, limits)
    except PromptError:
        return None


def _named(text: str, is_split: bool) -> Item | None:  # noqa: FBT001 - by a comment
    """A schema that is in a file, or a Python type."""
    name = text.strip(_SPACES)
    return None if is_split or "\n" in name else ["schema", name]


def _schema(text: str, limits: Limits) -> Item:
    from pdl.schema import Schema as Parsed

    return schema_item(Parsed.parse(text, limits=limits))


def config_item(text: str) -> Item | None:
    """Return the settings of a text in alphabetical order; None if one is wrong."""
    from pdl.prompt.config import parse_config

    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    ends = [*starts[1:], len(text)]
    lines = Source(text)
    pairs = zip(starts, ends, strict=True)
    anchors = [Anchor(at, end - at, lines, at, begins_line=True) for at, end in pairs]
    found, problems = parse_config(Source(text, anchors=tuple(anchors)))
    return None if problems else ["config", *flat(dict(sorted(found.items())))]


def _tools(text: str, limits: Limits) -> Item | None:
    from pdl.tools import ToolSet

    if not text.strip():
        return None
    found: list[Any] = ["tools"]
    for tool in ToolSet.parse(text, limits=limits):
        found += (tool.name, tool.description, *schema_item(tool.schema))
    return found


def schema_item(schema: Schema) -> list[Any]:
    """Return what a schema means to a model: its form, and its document in its order."""
    document = plain(schema.document)
    return ["schema", schema.form, schema.lang, *schema.tasks, *flat(document)]


def plain(document: JsonSchema, dropped: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return a schema without some keywords; those that contain nothing come first, sorted."""
    found: dict[str, Any] = copy_json(document)
    pending = [found]
    while pending:
        node = pending.pop()
        kept = [entry for entry in node.items() if entry[0] not in dropped]
        simple = sorted(entry for entry in kept if not isinstance(entry[1], dict | list))
        others = [entry for entry in kept if isinstance(entry[1], dict | list)]
        node.clear()
        node.update((*simple, *others))
        pending += [inner for _, inner in subschemas(node) if isinstance(inner, dict)]
    return found


def flat(value: Json) -> Iterator[Any]:
    """Yield a JSON value as scalars and, before what they contain, lists for containers.

    No other value yields the same, and none is too deep.
    """
    pending: list[Any] = [iter([value])]
    while pending:
        node = next(pending[-1], pending)
        if node is pending:
            pending.pop()
        elif isinstance(node, dict):
            yield ["object", len(node)]
            pending.append(part for entry in node.items() for part in entry)
        elif isinstance(node, list):
            yield ["array", len(node)]
            pending.append(iter(node))
        else:
            yield node
