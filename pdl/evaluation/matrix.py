"""The trials of an evaluation: prompts × models × cases × repeats, and what keeps some out."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pdl.errors import CasesError, FileError, PdlError, Problem, error_from
from pdl.evaluation.manifest import Manifest, PromptPlan
from pdl.evaluation.records import CaseRecord, Column
from pdl.models.callables import model_of
from pdl.models.connecting import model_named_by
from pdl.prompt import Prompt, load
from pdl.prompt.template import source_of
from pdl.testing import parse_cases, read_cases
from pdl.testing.parts import parts_of
from pdl.testing.rendering import render_case
from pdl.testing.sections import SUFFIX, is_cases

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from pdl._types import Json
    from pdl.evaluation.options import EvaluationOptions
    from pdl.models.arguments import Askable
    from pdl.models.exchange import Model
    from pdl.prompt import Rendered
    from pdl.schema import Schema
    from pdl.testing import Case, CaseFile
    from pdl.testing.cases import Parts

Promptable: TypeAlias = "str | os.PathLike[str] | Prompt"
"""A prompt file, the file of its cases, or a loaded prompt."""
_TABLES = (".jsonl", ".csv")


@dataclass(frozen=True)
class Planned:
    """A case of a prompt, ready to be asked; `chars` is how long its messages are."""

    case: Case
    parts: Parts
    chars: int


@dataclass(frozen=True)
class Plan:
    """All trials of an evaluation.

    `prompts` are by name, `models` by the name of their columns, `cases` by the names of prompt and
    case. `problems` are what is wrong with files and cases, which are left out for it; `unasked`
    counts the cases that record what the checker does, and ask no model.
    """

    manifest: Manifest
    prompts: Mapping[str, Prompt]
    models: Mapping[str, Model]
    cases: Mapping[tuple[str, str], Planned]
    judge: Model | None = None
    problems: tuple[Problem, ...] = ()
    unasked: int = 0


def make_plan(  # noqa: PLR0913 - what is asked, of whom, and how
    prompts: Iterable[Promptable],
    models: Sequence[Askable],
    cases: Promptable | None,
    options: EvaluationOptions,
    *,
    root: str | os.PathLike[str] | None = None,
    name: str = "",
    arguments: Mapping[str, Json] | None = None,
) -> Plan:
    """Return the trials of prompts and models; without models, of the one that each prompt names.

    The cases are those of a file, or of the file beside each prompt. Nothing is asked. Raises
    PdlError for prompts and models that can't be loaded, and if no case is left. `arguments` are
    kept, for resuming.
    """
    maker = _Maker(root)
    for given in prompts:
        maker.add_prompt(given, cases)
    if not maker.cases:
        raise maker.no_cases()
    judge = None if options.judge is None else model_of(options.judge)
    if judge is None and any(one.parts.judges for one in maker.cases.values()):
        message = "these cases have judges, and no model is named for them"
        raise CasesError(Problem("test/no-judge", message, hint="name one: `--judge MODEL`"))
    columns = maker.columns(models)
    if options.budget is not None:
        options.budget.check_prices([*maker.models, *([] if judge is None else [judge.name])])
    manifest = Manifest(
        name=name,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        prompts=tuple(maker.prompt_plan(one) for one in maker.prompts),
        columns=tuple(columns),
        cases=tuple(maker.records.values()),
        digests=maker.digests,
        repeats=options.repeats,
        options=options.recorded(judge.name if judge is not None else None),
        arguments=dict(arguments or {}),
        budget=options.bounds(),
        timeouts=(options.timeout,),
        invalid=tuple(maker.invalid),
    )
    return Plan(
        manifest, maker.prompts, maker.models, maker.cases, judge, tuple(maker.problems),
        len(maker.unasked),
    )  # fmt: skip


@dataclass
class _Maker:
    """What of a plan is known so far."""

    root: str | os.PathLike[str] | None
    prompts: dict[str, Prompt] = field(default_factory=dict)
    cases: dict[tuple[str, str], Planned] = field(default_factory=dict)
    records: dict[str, CaseRecord] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unasked: set[str] = field(default_factory=set)
    invalid: list[str] = field(default_factory=list)
    first: dict[str, Rendered] = field(default_factory=dict)
    """A rendering of each prompt."""
    varying: set[str] = field(default_factory=set)
    """The prompts whose schema depends on data."""

    def add_prompt(self, given: Promptable, cases: Promptable | None) -> None:
        """Add a prompt with its cases."""
        path = None if isinstance(given, Prompt) else Path(given)
        if path is not None and is_cases(path):
            cases = path if cases is None else cases
            path = path.with_name(path.name.removesuffix(SUFFIX) + ".pdl")
        try:
            prompt = given if isinstance(given, Prompt) else load(str(path))
        except FileError as error:
            if not is_cases(str(given)):
                raise
            for problem in error.problems:  # cases without their prompt keep no others from it
                self._add_problem(problem, str(given))
            return
        where = Path(prompt.source.name) if path is None else path
        if any(one.source == prompt.source for one in self.prompts.values()):
            return
        name = where.stem if where.stem not in self.prompts else str(where)
        self.prompts[name] = prompt
        file = _case_file(where, cases, self.root)
        for problem in file.problems:
            if problem not in self.problems:
                self._add_problem(problem, str(problem.location or file.path))
        for case in file.cases:
            self._add_case(name, replace(case, file=file))

    def _add_case(self, name: str, case: Case) -> None:
        parts = parts_of(case)
        if parts.problems:
            for problem in parts.problems:
                self._add_problem(problem, case.name)
            return
        if parts.must_be_refused:
            self.unasked.add(str(case.span))
            return
        parts = replace(parts, messages=None)  # they are of one rendering, not of an answer
        try:
            rendered = render_case(case, parts, self.prompts[name])
            known = self._case_name(case, parts)
        except PdlError as error:
            for problem in error.problems:
                self._add_problem(problem, case.name)
            return
        if rendered.schema != self.first.setdefault(name, rendered).schema:
            self.varying.add(name)
        chars = sum(len(str(one)) for one in rendered.messages)
        self.cases[name, known] = Planned(case, parts, chars)

    def _add_problem(self, problem: Problem, case: str) -> None:
        """Note what is wrong with a case, by its name or place."""
        if problem not in self.problems:
            self.problems.append(problem)
        if case not in self.invalid:
            self.invalid.append(case)

    def _case_name(self, case: Case, parts: Parts) -> str:
        """The name of a case in the run, which it shares with equal ones of other prompts."""
        digest = _digest(case, parts)
        name = case.name
        if self.digests.get(name, digest) != digest:
            name = f"{case.name} ({case.file.prompt.stem})"
        expectation = parts.expectation
        if name not in self.records:
            self.digests[name] = digest
            self.records[name] = CaseRecord(
                name,
                str(case.span.origin()),
                dict(parts.data or {}),
                "" if expectation is None else expectation.source.text,
                None if expectation is None else expectation.exact,
                tuple(one.prompt.stem for one in parts.judges),
            )
        return name

    def prompt_plan(self, name: str) -> PromptPlan:
        """Return what the manifest has of a prompt."""
        prompt = self.prompts[name]
        schema: Schema | None = None
        if name in self.first and name not in self.varying:
            schema = self.first[name].schema
        names = tuple(case for one, case in self.cases if one == name)
        document = None if schema is None else schema.to_json_schema()
        return PromptPlan(name, prompt.fingerprint, document, names)

    def columns(self, models: Sequence[Askable]) -> list[Column]:
        """Return the columns, after naming and connecting their models."""
        named = [*dict.fromkeys(self._model(model_of(one)) for one in models)]
        return [
            Column(prompt, model)
            for prompt in self.first
            for model in named or [self._model(model_named_by(self.first[prompt]))]
        ]

    def _model(self, model: Model) -> str:
        """The name of a model in the run; functions of one name are numbered."""
        name, number = model.name, 1
        while name.startswith("function:") and self.models.get(name, model) != model:
            number += 1
            name = f"{model.name} {number}"
        self.models.setdefault(name, model)
        return name

    def no_cases(self) -> PdlError:
        """Return the error that there is nothing to ask."""
        if self.problems:
            return error_from(self.problems)
        names = ", ".join(self.prompts) or "the prompts"
        why = "each of them records what the checker does" if self.unasked else "the file has none"
        hint = "write one: `<|case|> a name`, then `<|data|>` and `<|expect|>`"
        message = f"there is no case to ask {names}: {why}"
        return CasesError(Problem("test/no-cases", message, hint=hint))


def _case_file(
    prompt: Path, cases: Promptable | None, root: str | os.PathLike[str] | None
) -> CaseFile:
    """The cases for a prompt: of a file, a table, or the file beside it."""
    path = prompt.with_name(f"{prompt.stem}{SUFFIX}") if cases is None else Path(str(cases))
    if cases is None and not path.exists():
        hint = f"write them into {path.name}, or name their file: `--cases FILE`"
        message = f"{prompt} has no cases: {path} does not exist"
        raise CasesError(Problem("test/no-cases", message, hint=hint))
    if path.suffix in _TABLES:
        file = _table(path)
    else:
        file = read_cases(path, root=None if root is None else Path(root))
    return replace(file, prompt=prompt)


def _table(path: Path) -> CaseFile:
    """The cases of a table that no file of cases names. Raises FileError."""
    if not path.is_file():
        raise FileError(Problem("file/unreadable", f"{path}: no such file"))
    text = f"<|cases|> @{path.name}\n"
    return parse_cases(source_of(text, str(path)), path, root=path.parent)


def _digest(case: Case, parts: Parts) -> str:
    """A digest of all of a case that decides about a trial."""
    expectation = parts.expectation
    found = [
        parts.data,
        None if expectation is None else expectation.source.text,
        [one.source.text for one in parts.assertions],
        [
            [case.file.load(one.prompt).fingerprint, one.expectation.source.text]
            for one in parts.judges
        ],
        parts.must_refuse,
    ]
    text = json.dumps(found, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
