"""Static checks of a prompt file: findings that need no data."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from jinja2 import TemplateNotFound, TemplateSyntaxError

from pdl import prompt as prompts
from pdl.errors import Problem, PromptError, nearest
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.prompt.assemble import input_place, no_role, order_problems, schema_place
from pdl.prompt.content import Content, Ending, Finding, ended, endings
from pdl.prompt.files import Folder, checked_parts, read_prompt
from pdl.prompt.includes import Reference, included_files, named_files
from pdl.prompt.markers import MARKER, as_written
from pdl.prompt.mend import mended
from pdl.prompt.names import Names
from pdl.prompt.outline import Branches, Outline, outline_of
from pdl.prompt.prompt import INPUT_TURN, Prompt, allowed, as_path, check_length
from pdl.prompt.template import compile_template, source_of
from pdl.prompt.template_errors import compile_problem, word_span
from pdl.prompt.turns import DYNAMIC, ROLES, SENT, Turn, lookalikes, mapped_source

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping
    from importlib.resources.abc import Traversable
    from pathlib import Path
    from typing import Self

    from pdl.prompt.mend import Mended
    from pdl.prompt.references import GivenTypes, Types
    from pdl.prompt.template import Template
    from pdl.source import Source, Span

__all__ = ["Finding", "included_files", "lint_file", "lint_text"]

_ALTERNATING = frozenset({"user", "assistant"})
_SINGLE = frozenset({"schema", "tools"})
_SOME_TURN = "write a turn, such as `<|user|>`"


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
    file = as_path(path, "path")
    try:
        text = read_prompt(file, str(file), limits)
    except PromptError as error:
        return tuple(Finding(problem) for problem in error.problems)
    base = media_root if media_root is not None else getattr(file, "parent", None)
    options: dict[str, Any] = {"base": base, "limits": limits, "partial": partial, "types": types}
    return lint_text(text, str(file), **options)


def lint_text(  # noqa: PLR0913 - each is an option
    text: str,
    name: str = "<string>",
    *,
    base: str | os.PathLike[str] | Traversable | None = None,
    limits: Limits = DEFAULT_LIMITS,
    partial: bool = False,
    types: GivenTypes = False,
    files: Mapping[str, str] | None = None,
) -> tuple[Finding, ...]:
    """Return all findings of a prompt's text, as `lint_file` does; `base` is that of `pdl.loads`.

    `files` are texts that replace files below `base`, or are beside them, by the paths that tags
    name: those that are open in an editor, and not saved.
    """
    folder = None
    if base is not None:
        folder = OpenFolder.of(as_path(base, "base"), files or {})
    return lint_in_folder(text, name, folder, limits, partial=partial, types=types)


def lint_in_folder(  # noqa: PLR0913 - each is an option
    text: str,
    name: str,
    folder: Folder | None,
    limits: Limits = DEFAULT_LIMITS,
    *,
    partial: bool = False,
    types: GivenTypes = False,
) -> tuple[Finding, ...]:
    """Return the findings of a prompt whose files a folder reads in a way of its own."""
    source = source_of(text, str(name))
    read = _Reader(folder, limits, allowed(types), partial=partial)
    try:
        check_length(source, limits)
        found = read.findings(source)
    except PromptError as error:
        found = read.others(source, error.problem)
    return tuple(sorted(_distinct(found), key=_position))


class OpenFolder(Folder):
    """A folder in which the texts of an editor replace those of files."""

    _texts: Mapping[tuple[str, ...], bytes]

    @classmethod
    def of(cls, root: Path | Traversable, texts: Mapping[str, str]) -> Self:
        made = cls(root)
        made._texts = {
            tuple(name.split("/")): text.encode("utf-8", "replace") for name, text in texts.items()
        }
        return made

    def read(self, relative: str, limit: int) -> bytes:
        data = self._texts.get(checked_parts(relative))
        if data is not None and len(data) <= limit:
            return data
        return super().read(relative, limit)


class _Reader(NamedTuple):
    """What all readings of a text share."""

    folder: Folder | None
    limits: Limits
    types: Types
    partial: bool

    def findings(self, source: Source, doubt: Mended | None = None) -> list[Finding]:
        """Findings of a template that parses. Raises TemplateError or LimitError otherwise."""
        noted: list[Problem] = []
        template = compile_template(source, self.folder, self.limits, self.types, noted)
        noted += template.problems
        inputs = None
        try:
            if INPUT_TURN.search(source.text):
                pieces = list(ended(template.pieces()))
                inputs = prompts.read_inputs(pieces, source, self.limits)
        except PromptError as error:
            noted += error.problems
        options = (False, self.limits, tuple(noted), self.types)
        prompt = Prompt(source, template, inputs, self.folder, *options)
        found = [*map(Finding, noted), *_Linter(prompt, doubt).findings(partial=self.partial)]
        return found if doubt is None else [one for one in found if doubt.keeps(one.problem)]

    def others(self, source: Source, problem: Problem) -> list[Finding]:
        """A problem that keeps a template from being read, and what is certain all the same."""
        if not problem.code.startswith("template/"):
            return [Finding(problem)]
        found = []
        for blocks in (True, False):
            doubt = mended(source, blocks=blocks)
            found = list(map(Finding, doubt.syntax_errors(problem)))
            with suppress(PromptError):
                return [*found, *self.findings(doubt.source, doubt)]
        return found


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    """Findings without those that say the same of the same place."""
    kept: dict[tuple[str, ...], Finding] = {}
    for one in findings:
        problem = one.problem
        kept.setdefault((problem.code, str(problem.location), problem.message), one)
    return list(kept.values())


def _position(finding: Finding) -> tuple[str, int]:
    span = finding.problem.location
    return (span.source.name, span.start) if span is not None else ("", 0)


class _Linter:
    def __init__(self, prompt: Prompt, doubt: Mended | None) -> None:
        assert prompt.template is not None
        self.prompt = prompt
        self.doubt = doubt
        self.template: Template = prompt.template
        self.markers = self.template.markers
        self.source: Source = prompt.source
        self.ends = {self._origin(one): one for one in endings(self.template.pieces())}
        self.content = Content(prompt, self.markers, self.ends.keys())
        self.names = Names(prompt, self.template, doubt)
        self.tree = self.template.tree

    def _origin(self, ending: Ending) -> int:
        return self.source.span(ending.start, ending.end).origin().start

    def findings(self, *, partial: bool) -> Iterator[Finding]:
        """Every check, in order."""
        yield from self._includes()
        try:
            self.template.check_expansion()
        except PromptError as error:
            yield from map(Finding, error.problems)
            return
        yield from self.names.findings()
        outline = self.template.outline
        yield from (Finding(self._reworded(problem)) for problem in outline.problems)
        if not partial:
            yield from self._beginning(outline)
            yield from self._schema(outline)
        yield from self._lookalikes()
        yield from self._turns(outline)

    def _includes(self) -> Iterator[Finding]:
        env = self.template.environment
        for name, demanding in named_files(self.tree).items():
            try:
                env.get_template(name)
            except TemplateNotFound as error:
                if any(not self._is_found(one) for one in demanding):
                    reason = error.message if error.message != name else "it was not found"
                    message = f"cannot include `{name}`: {reason}"
                    line = next(one.line for one in demanding if not self._is_found(one))
                    span = word_span(self.source, line, name, "string")
                    yield Finding(Problem("template/include", message, span))
            except TemplateSyntaxError as error:
                problem = compile_problem(error, env, self.source)
                if problem is not None:
                    yield Finding(problem)
            else:
                if any(one.prints_turns for one in demanding):
                    yield from self._inputs_of(name)

    def _is_found(self, reference: Reference) -> bool:
        """Whether a tag finds one of the files that it names, or needs none."""
        return reference.is_lenient or any(map(self._exists, reference.names))

    def _exists(self, name: str) -> bool:
        try:
            self.template.environment.get_template(name)
        except TemplateNotFound:
            return False
        except TemplateSyntaxError:
            pass
        return True

    def _inputs_of(self, name: str) -> Iterator[Finding]:
        """The `input` turns of another template, which have no effect; imports print no turns."""
        env = self.template.environment
        tree = env.parse(env.sources[name].text, name)
        for item in outline_of(tree.body, self.markers).items:
            if isinstance(item, Turn) and item.role == "input":
                yield Finding(input_place(self.markers.span(item.marker)))

    def _beginning(self, outline: Outline) -> Iterator[Finding]:
        text = as_written("".join(token.text for token in outline.preamble), self.markers).strip()
        if text.strip(DYNAMIC + " \n\t"):
            raw = Turn("", tuple(outline.preamble)).raw
            preamble = mapped_source(raw, self.markers, self.source.name)
            blocks = list(self.content.blocks(outline.preamble))
            yield from map(Finding, blocks)
            reported = [*outline.problems, *blocks]
            yield from map(Finding, no_role(preamble, self.source, reported))
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

    def _reworded(self, problem: Problem) -> Problem:
        """The problem of an unknown turn; where it ends types, it can't be meant as text."""
        span = problem.location
        if "&lt;" not in problem.hint or span is None or span.start not in self.ends:
            return problem
        return Problem(problem.code, problem.message, problem.span, _SOME_TURN)

    def _halves(self) -> Iterator[Finding]:
        """Parts of markers where types end, which make these invalid."""
        for ending in self.ends.values():
            if ending.is_closed:
                continue
            begun = [role for role in ROLES if role.startswith(ending.name)]
            role = begun[0] if len(begun) == 1 else nearest(ending.name, ROLES)
            message = f"this looks like {f'`<|{role}|>`' if role else 'a turn'}, but is text"
            span = self.source.span(ending.start, ending.end)
            hint = f"write `<|{role}|>`" if role else _SOME_TURN
            yield Finding(Problem("turn/lookalike", message, span, hint))

    def _lookalikes(self) -> Iterator[Finding]:
        """Text that looks like a marker; at the beginning of the file that is another error."""
        yield from self._halves()
        text = self.source.text
        halves = {one.start for one in self.ends.values()}
        for offset, piece, _ in self.template.pieces():
            for start, end, meant in lookalikes(piece):
                first, last = offset + start, offset + end
                line = text[text.rfind("\n", 0, first) + 1 : first]
                rest = text[last:].partition("\n")[0]
                is_alone = not line.strip() and not rest.strip()
                if not text[:first].strip() or not (is_alone or meant.endswith(")|>")):
                    continue
                if first in halves:  # which is an error
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
        if self.doubt is not None or (inputs is None and INPUT_TURN.search(self.source.text)):
            return
        message = "`schema` is printed, but this file has no `schema` turn"
        hint = "add one, or pass `schema` when the prompt is rendered"
        yield Finding(
            Problem("template/undefined", message, self.names.first_use("schema"), hint), "warning"
        )

    def _turns(self, outline: Outline) -> Iterator[Finding]:
        """Check a list of turns, and each list inside branches."""
        yield from map(Finding, order_problems(_sent(outline), self.markers))
        yield from self._repeated_roles(outline)
        for item in outline.items:
            if isinstance(item, Turn):
                yield from self.content.findings(item)
            else:
                for body in item.bodies:
                    yield from self._turns(body)
                if item.loops:
                    yield from self._repeated(item)

    def _repeated_roles(self, outline: Outline) -> Iterator[Finding]:
        """Second turns of a role that only one turn can have."""
        first: dict[str, Span | None] = {}
        for item in outline.items:
            if not isinstance(item, Turn) or item.role not in _SINGLE:
                continue
            span = self.markers.span(item.marker)
            if item.role in first:
                before = first[item.role]
                problem = Problem(
                    f"turn/second-{item.role}", f"there is a second `{item.role}` turn", span
                )
                related = ((before.origin(), "the first one"),) if before is not None else ()
                yield Finding(problem, related=related)
            first.setdefault(item.role, span)

    def _repeated(self, loop: Branches) -> Iterator[Finding]:
        items = loop.bodies[0].items if loop.bodies else []
        roles = [item for item in items if isinstance(item, Turn) and item.role in _ALTERNATING]
        if roles and len(roles) == len(items) and roles[0].role == roles[-1].role:
            message = f"a second pass of this loop makes consecutive `{roles[0].role}` turns"
            span = self.markers.span(roles[0].marker)
            yield Finding(Problem("turn/doubled", message, span), "warning")


def _sent(outline: Outline) -> list[Turn | None]:
    """The turns that are sent; None represents unknown turns."""
    sent = [item for item in outline.items if isinstance(item, Branches) or item.role in SENT]
    return [item if isinstance(item, Turn) else None for item in sent]


def _says_nothing(turn: Turn) -> bool:
    """Whether a turn sends nothing, whatever the data."""
    if turn.role not in SENT:
        return True
    return not turn.cut and all(
        token.kind == "TEXT" and not MARKER.sub("", token.text).strip() for token in turn.content
    )
