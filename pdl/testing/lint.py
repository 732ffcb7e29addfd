"""What is wrong with a file of cases, found without rendering: nothing is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.errors import PdlError, Problem, did_you_mean, quoted
from pdl.prompt import load
from pdl.prompt.lint import Finding
from pdl.testing.content import with_place
from pdl.testing.judges import GIVEN
from pdl.testing.never import never
from pdl.testing.parts import parts_of
from pdl.testing.reader import read_cases
from pdl.testing.rendering import check_data, key_span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pdl.prompt import Prompt
    from pdl.schema import Schema
    from pdl.source import Span
    from pdl.testing.cases import Case, CaseFile, Judge, Load, Parts


def lint_cases(
    path: str | Path, *, root: str | Path | None = None, load: Load = load
) -> tuple[Finding, ...]:
    """Return all findings of a file of cases, as `lint_read` does of one that was read.

    The arguments are those of `read_cases`. Never raises a PdlError.
    """
    try:
        return lint_read(read_cases(path, root=root, load=load))
    except PdlError as error:
        return tuple(map(Finding, error.problems))


def lint_read(file: CaseFile) -> tuple[Finding, ...]:
    """Return what is wrong with a file of cases and with each case, each once, by position."""
    found: dict[tuple[str, ...], Finding] = {}
    for one in _Linter(file).findings():
        problem = one.problem
        found.setdefault((problem.code, str(problem.location), problem.message), one)
    return tuple(sorted(found.values(), key=_position))


def _position(finding: Finding) -> tuple[str, int]:
    span = finding.problem.location
    return (span.source.name, span.start) if span is not None else ("", 0)


class _Linter:
    """The checks of a file, with the prompts that it is about."""

    def __init__(self, file: CaseFile) -> None:
        self.file = file
        self.prompts: dict[Path, Prompt | None] = {}
        self.schema: Schema[Any] | None = None

    def findings(self) -> Iterator[Finding]:
        """Every check, in order."""
        yield from map(Finding, self.file.problems)
        yield from self._loaded(self.file.prompt, self.file.source.span(0), "test/prompt")
        prompt = self.prompts[self.file.prompt]
        self.schema = _schema(prompt)
        for case in self.file.cases:
            parts = parts_of(case)
            yield from map(Finding, parts.problems)
            if prompt is not None and not parts.problems:
                yield from self._data(case, parts, prompt)
            yield from self._expectation(parts)
            for judge in parts.judges:
                yield from self._judge(judge, parts)

    def _loaded(self, path: Path, span: Span, code: str) -> Iterator[Finding]:
        """Load a prompt, and tell if that fails: its own problems are told of its own file."""
        if path in self.prompts:
            return
        self.prompts[path] = None
        try:
            prompt = self.file.load(path)
            _schema(prompt)
        except PdlError as error:
            first = error.problem
            where = first.location
            if where is None:
                message = f"the prompt can't be read: {first.message}"
                yield Finding(Problem(code, message, span, first.hint))
                return
            message = f"{quoted(path.name)} has errors, so what is about it was not checked"
            yield Finding(Problem(code, message, span), "note", ((where.origin(), first.message),))
        else:
            self.prompts[path] = prompt

    def _data(self, case: Case, parts: Parts, prompt: Prompt) -> Iterator[Finding]:
        """Values that the prompt refuses, and names that it doesn't read."""
        try:
            check_data(case, parts, prompt)
        except PdlError as error:
            yield from map(Finding, with_place(error, case.span))
        if prompt.inputs is not None:
            return
        for name in parts.data or {}:
            if name not in prompt.variables:
                message = f"{quoted(self.file.prompt.name)} doesn't read `{name}`"
                hint = did_you_mean(name, prompt.variables)
                span = key_span(parts, name) or case.span
                yield Finding(Problem("test/unread", message, span, hint), "warning")

    def _expectation(self, parts: Parts) -> Iterator[Finding]:
        """An expectation that no answer of the prompt meets."""
        expectation = parts.expectation
        why = never(expectation, self.schema) if expectation and self.schema else ""
        if expectation and why:
            source = expectation.source
            span = source.span(0, len(source.text.partition("\n")[0]))
            message = f"no answer of the prompt is like this: {why}"
            yield Finding(Problem("test/never", message, span), "warning")

    def _judge(self, judge: Judge, parts: Parts) -> Iterator[Finding]:
        """A judge that can't be read, or whose inputs nothing fills."""
        yield from self._loaded(judge.prompt, judge.span, "test/judge")
        prompt = self.prompts[judge.prompt]
        if prompt is None or prompt.inputs is None:
            return
        known = {*GIVEN, *(parts.data or {}), *prompt.inputs.defaults}
        for name in prompt.inputs.schema.document.get("required", ()):
            if name not in known:
                message = f"nothing fills the input `{name}` of the judge"
                named = ", ".join(f"`{one}`" for one in GIVEN)
                hint = f"a judge gets {named}, and the names of the data"
                yield Finding(Problem("test/judge", message, judge.span, hint))


def _schema(prompt: Prompt | None) -> Schema[Any] | None:
    """The schema of all answers of a prompt, if it is known. Raises PdlError.

    It isn't if it depends on data, or if an answer can be calls of tools.
    """
    if prompt is None or prompt.template is None:
        return None
    schema = prompt.template.constant_schema[1]
    return schema if prompt.template.constant_turns("tools") == [] else None
