"""Static checks of a prompt file: findings that need no data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from jinja2 import TemplateNotFound, TemplateSyntaxError, meta, nodes

from pdl import tools as toolsets
from pdl.errors import MediaError, Problem, PromptError, did_you_mean
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.prompt.assemble import input_place, no_role, order_problems, schema_place
from pdl.prompt.config import address_problems, config_doubts, parse_config, quoted_types
from pdl.prompt.files import parse_media
from pdl.prompt.markers import MARKER, as_written
from pdl.prompt.outline import Branches, Outline, outline_of
from pdl.prompt.prompt import Prompt, load
from pdl.prompt.template import parse_schema
from pdl.prompt.template_errors import compile_problem, word_span
from pdl.prompt.turns import DYNAMIC, SENT, Turn, lookalikes, mapped_source

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator
    from importlib.resources.abc import Traversable

    from pdl.prompt.references import GivenTypes
    from pdl.prompt.template import Template
    from pdl.source import Source, Span

_STAND_INS = ("1", "1000000", '"a"', "str", "0.5")
"""What an expression in a schema might print, tried in order."""
_ALTERNATING = frozenset({"user", "assistant"})
_SINGLE = frozenset({"schema", "tools"})
_DEPENDS = {
    "schema": ("schema/dynamic", "this schema depends on data, so it was not checked"),
    "tools": ("tool/dynamic", "these tools depend on data, so they were not checked"),
}


@dataclass(frozen=True)
class Finding:
    """A problem of a file and its severity: only errors keep a prompt from working."""

    problem: Problem
    severity: Literal["error", "warning", "note"] = "error"


def lint_file(
    path: str | os.PathLike[str] | Traversable,
    limits: Limits = DEFAULT_LIMITS,
    *,
    media_root: str | os.PathLike[str] | None = None,
    partial: bool = False,
    types: GivenTypes = False,
) -> tuple[Finding, ...]:
    """Return all findings of a prompt file, sorted by position. Never raises a PromptError.

    `partial` means that other files include it, so it doesn't have to begin with a turn or have
    one. `types` are those that its schema can name, as for `load`.
    """
    try:
        prompt = load(path, media_root=media_root, limits=limits, types=types)
    except PromptError as error:
        return tuple(Finding(problem) for problem in error.problems)
    return tuple(sorted(_Linter(prompt).findings(partial=partial), key=_position))


def included_files(
    path: str | os.PathLike[str], *, media_root: str | os.PathLike[str] | None = None
) -> set[Path]:
    """Return the resolved paths that a prompt file includes, imports or extends by name."""
    try:
        prompt = load(path, media_root=media_root)
    except PromptError:
        return set()
    assert prompt.template is not None
    tree = prompt.template.environment.parse(prompt.source.text)
    folder = Path(path).parent if media_root is None else Path(media_root)
    return {(folder / name).resolve() for name in meta.find_referenced_templates(tree) if name}


def _position(finding: Finding) -> tuple[str, int]:
    span = finding.problem.location
    return (span.source.name, span.start) if span is not None else ("", 0)


class _Linter:
    def __init__(self, prompt: Prompt) -> None:
        assert prompt.template is not None
        self.prompt = prompt
        self.template: Template = prompt.template
        self.markers = self.template.markers
        self.source: Source = prompt.source
        self.tree = self.template.environment.parse(self.source.text)

    def findings(self, *, partial: bool) -> Iterator[Finding]:
        """Every check, in order."""
        yield from self._includes()
        try:
            self.template.check_expansion()
        except PromptError as error:
            yield from map(Finding, error.problems)
            return
        yield from self._names()
        outline = outline_of(self.tree.body, self.markers)
        yield from (Finding(problem) for problem in outline.problems)
        if not partial:
            yield from self._beginning(outline)
            yield from self._schema(outline)
        yield from self._lookalikes()
        yield from self._turns(outline)

    def _includes(self) -> Iterator[Finding]:
        env = self.template.environment
        for name in dict.fromkeys(meta.find_referenced_templates(self.tree)):
            if name is None:
                continue
            line = next((n.lineno for n in self._referring(name)), 1)
            try:
                env.get_template(name)
            except TemplateNotFound as error:
                reason = error.message if error.message != name else "it was not found"
                message = f"cannot include `{name}`: {reason}"
                span = word_span(self.source, line, name)
                yield Finding(Problem("template/include", message, span))
            except TemplateSyntaxError as error:
                problem = compile_problem(error, env, self.source)
                if problem is not None:
                    yield Finding(problem)
            else:
                yield from self._inputs_of(name)

    def _inputs_of(self, name: str) -> Iterator[Finding]:
        """The `input` turns of another template, which have no effect; imports print no turns."""
        env = self.template.environment
        if any(isinstance(node, (nodes.Include, nodes.Extends)) for node in self._referring(name)):
            for item in outline_of(
                env.parse(env.sources[name].text, name).body, self.markers
            ).items:
                if isinstance(item, Turn) and item.role == "input":
                    yield Finding(input_place(self.markers.span(item.marker)))

    def _referring(self, name: str) -> Iterator[nodes.Node]:
        kinds = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
        for node in self.tree.find_all(kinds):
            if any(const.value == name for const in node.find_all(nodes.Const)):
                yield node

    def _names(self) -> Iterator[Finding]:
        inputs = self.prompt.inputs
        if inputs is None:
            return
        set_somewhere = {
            node.name for node in self.tree.find_all(nodes.Name) if node.ctx == "store"
        }
        for problem in quoted_types(inputs.schema, inputs.source):
            yield Finding(problem, "warning")
        for name in self.prompt.variables:
            if name not in (*inputs.names, *set_somewhere) and not inputs.is_open:
                message = f"`{name}` is used, but is not an input of this prompt"
                hint = did_you_mean(name, inputs.names) or "declare it in the `<|input|>` turn"
                yield Finding(Problem("template/undefined", message, self._first_use(name), hint))
        for name in inputs.names:
            if name not in self.prompt.variables:
                message = f"the input `{name}` is never used"
                yield Finding(Problem("input/unused", message, inputs.span(name)), "warning")

    def _first_use(self, name: str) -> Span:
        """Where the prompt, or else one of the templates that it includes, reads a name."""
        for source, tree in self._trees():
            uses = [node.lineno for node in tree.find_all(nodes.Name) if node.name == name]
            if uses:
                return word_span(source, min(uses), name)
        return self.source.span(0)

    def _trees(self) -> Iterator[tuple[Source, nodes.Template]]:
        env = self.template.environment
        yield self.source, self.tree
        for name, source in list(env.sources.items()):
            if name is not None:
                yield source, env.parse(source.text, name)

    def _beginning(self, outline: Outline) -> Iterator[Finding]:
        text = as_written("".join(token.text for token in outline.preamble), self.markers).strip()
        if text.strip(DYNAMIC + " \n\t"):
            raw = Turn("", tuple(outline.preamble)).raw
            preamble = mapped_source(raw, self.markers, self.source.name)
            for problem in no_role(preamble, self.source, outline.problems):
                yield Finding(problem)
        elif not outline.items:
            message, hint = "the prompt has no turns", "add a line `<|user|>` with text below it"
            yield Finding(Problem("turn/none", message, self.source.span(0), hint))
        elif all(isinstance(item, Turn) and item.role not in SENT for item in outline.items):
            message = "the prompt has no message turns"
            hint = "add a line `<|user|>` with text below it"
            yield Finding(Problem("turn/none", message, self.source.span(0), hint))
        elif all(isinstance(item, Turn) and _says_nothing(item) for item in outline.items):
            last = cast("Turn", outline.items[-1])
            span = self.markers.span(last.marker)
            yield Finding(Problem("turn/none", "all turns are empty", span))

    def _lookalikes(self) -> Iterator[Finding]:
        """Text that looks like a marker; at the beginning of the file that is another error."""
        text = self.source.text
        for offset, piece, _ in self.template.pieces():
            for start, end, meant in lookalikes(piece):
                first, last = offset + start, offset + end
                line = text[text.rfind("\n", 0, first) + 1 : first]
                rest = text[last:].partition("\n")[0]
                is_alone = not line.strip() and not rest.strip()
                if not text[:first].strip() or not (is_alone or meant.endswith(")|>")):
                    continue
                message = f"this looks like `{meant}`, but is text"
                span = self.source.span(first, last)
                problem = Problem("turn/lookalike", message, span, f"write `{meant}`")
                yield Finding(problem, "warning")

    def _schema(self, outline: Outline) -> Iterator[Finding]:
        """`{{ schema }}` outside messages, or in a file without a schema turn."""
        inputs = self.prompt.inputs
        if {"schema"} == set(self.template.variables) - {*self.prompt.variables}:
            for turn in self.template.misplaced_schema:
                yield Finding(schema_place(turn, self.markers))
        if "schema" not in self.prompt.variables or (inputs and "schema" in inputs.names):
            return
        if any(isinstance(item, Branches) or item.role == "schema" for item in outline.items):
            return
        message = "`schema` is printed, but this file has no `schema` turn"
        hint = "add one, or pass `schema` when the prompt is rendered"
        yield Finding(
            Problem("template/undefined", message, self._first_use("schema"), hint), "warning"
        )

    def _turns(self, outline: Outline) -> Iterator[Finding]:
        """Check a list of turns, and each list inside branches."""
        yield from (Finding(problem) for problem in self._order(outline))
        for item in outline.items:
            if isinstance(item, Turn):
                yield from self._content(item)
            else:
                for body in item.bodies:
                    yield from self._turns(body)
                if item.loops:
                    yield from self._repeated(item)

    def _order(self, outline: Outline) -> Iterator[Problem]:
        items = outline.items
        sent = [item for item in items if isinstance(item, Branches) or item.role in SENT]
        turns = [item if isinstance(item, Turn) else None for item in sent]
        yield from order_problems(turns, self.markers)
        seen = set[str]()
        for item in items:
            if isinstance(item, Turn) and item.role in _SINGLE:
                if item.role in seen:
                    message = f"there is a second `{item.role}` turn"
                    yield Problem(
                        f"turn/second-{item.role}", message, self.markers.span(item.marker)
                    )
                seen.add(item.role)

    def _repeated(self, loop: Branches) -> Iterator[Finding]:
        items = loop.bodies[0].items if loop.bodies else []
        roles = [item for item in items if isinstance(item, Turn) and item.role in _ALTERNATING]
        if roles and len(roles) == len(items) and roles[0].role == roles[-1].role:
            message = f"a second pass of this loop makes consecutive `{roles[0].role}` turns"
            span = self.markers.span(roles[0].marker)
            yield Finding(Problem("turn/doubled", message, span), "warning")

    def _content(self, turn: Turn) -> Iterator[Finding]:
        for token in turn.content:
            is_sent = turn.role in SENT
            if is_sent and token.kind == "BLOCK" and DYNAMIC not in token.text:
                span = self.markers.span(token.marker) or self.source.span(0)
                try:
                    parse_media(token.text, span, self.prompt.folder, self.prompt.limits)
                except MediaError as error:
                    yield from (Finding(problem) for problem in error.problems)
        if turn.role == "schema":
            yield from self._typed(turn, self._parse_schema)
            yield from (Finding(problem, "warning") for problem in self._doubted(turn))
        elif turn.role == "tools":
            yield from self._typed(turn, self._parse_tools)
        elif turn.role == "config":
            yield from self._config(turn)

    def _config(self, turn: Turn) -> Iterator[Finding]:
        """Problems of settings, and doubts about those that don't depend on data."""
        sources = list(self._filled(turn, ("1", "2")))
        source = sources[0]
        config, problems = parse_config(source)
        for problem in problems:
            if problem.code != "config/line" or not _touches_gap(problem, source):
                yield Finding(problem)  # a line that an expression prints may hold entries
        yield from map(Finding, address_problems(config, source))
        others = parse_config(sources[-1])[0]
        known = {name: value for name, value in config.items() if others.get(name) == value}
        yield from (Finding(problem, "warning") for problem in config_doubts(known, source))

    def _filled(self, turn: Turn, stand_ins: Iterable[str]) -> Iterator[Source]:
        """A turn's source with each stand-in for its expressions; one source if it has none."""
        for stand_in in stand_ins if DYNAMIC in turn.raw else ("",):
            text = turn.raw.replace(DYNAMIC, stand_in)
            yield mapped_source(text, self.markers, self.source.name)

    def _parse_schema(self, source: Source) -> None:
        prompt = self.prompt
        parse_schema(source, prompt.folder, prompt.limits, prompt.types)

    def _parse_tools(self, source: Source) -> None:
        if source.text.strip():
            toolsets.ToolSet.parse(source, limits=self.prompt.limits)

    def _typed(self, turn: Turn, parse: Callable[[Source], None]) -> Iterator[Finding]:
        """Problems of a turn of types, or a note that they depend on data."""
        certain = [] if turn.cut else self._type_problems(turn, parse)
        if certain:
            yield from (Finding(problem) for problem in certain)
        elif certain is None or turn.cut:
            code, message = _DEPENDS[turn.role]
            yield Finding(Problem(code, message, self.markers.span(turn.marker)), "note")

    def _doubted(self, turn: Turn) -> Iterator[Problem]:
        """Doubts about a schema, with the first stand-in that fits."""
        for source in self._filled(turn, _STAND_INS):
            try:
                prompt = self.prompt
                schema = parse_schema(source, prompt.folder, prompt.limits, prompt.types)
            except PromptError:
                continue
            doubts = quoted_types(schema, source)
            yield from (one for one in doubts if not _touches_gap(one, source))
            return

    def _type_problems(self, turn: Turn, parse: Callable[[Source], None]) -> list[Problem] | None:
        """Problems of types, whatever the expressions in them print; None if that is unknown.

        Each expression is replaced by several stand-ins. The text is valid if it parses with one of
        them. A problem is certain if two of them show it at the same position of the file; not all
        have to, since a stand-in of the wrong kind is itself a mistake and can hide others.
        """
        found: list[Problem] = []
        for source in self._filled(turn, _STAND_INS):
            try:
                parse(source)
            except PromptError as error:
                found += (p for p in error.problems if not _touches_gap(p, source))
            else:
                return []
        if DYNAMIC not in turn.raw:
            return found
        seen = Counter(f"{problem.location}: {problem.message}" for problem in found)
        certain = {text: p for p in found if seen[text := f"{p.location}: {p.message}"] > 1}
        return list(certain.values()) or None


def _says_nothing(turn: Turn) -> bool:
    """Whether a turn sends nothing, whatever the data."""
    if turn.role not in SENT:
        return True
    return not turn.cut and all(
        token.kind == "TEXT" and not MARKER.sub("", token.text).strip() for token in turn.content
    )


def _touches_gap(problem: Problem, source: Source) -> bool:
    """Whether a problem's span overlaps text that was not copied from a file: a stand-in."""
    span = problem.span
    if span is None or span.source.text != source.text:
        return False
    starts = [anchor.start for anchor in source.anchors[1:]] + [len(source.text)]
    gaps = (
        (anchor.start + anchor.length, start)
        for anchor, start in zip(source.anchors, starts, strict=False)
    )
    return any(start < end and span.start <= end and span.end >= start for start, end in gaps)
