"""`pdl diff`: what a change of prompts or schemas does to programs, recordings, and callers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, get_args

import click

from pdl.cli.changes import FIELDS, FORMATS, FileChanges, Report
from pdl.cli.files import refuse_two_stdins
from pdl.cli.help import Command
from pdl.cli.inputs import check_root, importing
from pdl.cli.options import EXCLUDE, ROOT, TYPES, formats_option, out_option, values_options
from pdl.cli.terminal import INVALID, Terminal
from pdl.cli.versions import Reading, Selection
from pdl.compare.verdicts import Audience, Change
from pdl.errors import PromptError, error_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pdl.cli.output import Output
    from pdl.cli.values import TemplateValues
    from pdl.cli.versions import Pair
    from pdl.errors import Problem

_ALIKE = 0.6  # of the longer of two prompts is in lines of both, if one is the other one renamed
_MOST_GUESSED = 10_000  # pairs of a removed and an added prompt that are compared for that


@click.command(
    "diff",
    cls=Command,
    fields=FIELDS,
    exit_codes={
        0: "No change breaks those that --for names.",
        1: "A change breaks them, or might: whether it does could not be decided.",
        2: "A path, a commit, a prompt, or an option is invalid.",
    },
    examples=(
        ("what you changed since the last commit", "pdl diff --against HEAD"),
        ("in CI: what a pull request breaks", "pdl diff prompts/ --against origin/main --breaking"),
        ("two files, directories, or JSON Schemas", "pdl diff old/ticket.pdl new/ticket.pdl"),
        ("two commits", "pdl diff v1.0:prompts HEAD:prompts"),
        ("do old recordings still fit", "pdl diff --against v1.0 --for recordings"),
        ("what the model reads", "pdl diff old.pdl new.pdl --context ticket.json"),
    ),
    short_help="Show what a change of prompts breaks.",
)
@click.argument("paths", nargs=-1, type=click.Path(allow_dash=True), metavar="OLD NEW | [PATH]...")
@click.option(
    "--against",
    metavar="GITREF",
    help="Compare the files with those of a commit, a branch, or a tag. Without paths, compares all"
    " prompts below the current directory.",
)
@click.option("--breaking", is_flag=True, help="Show only what breaks.")
@click.option(
    "--for",
    "audiences",
    multiple=True,
    type=click.Choice(get_args(Audience)),
    help="Whose breakage counts: programs that read answers, recordings of old answers, or callers"
    " that pass values. Default: all. Repeatable.",
)
@EXCLUDE
@values_options
@ROOT
@TYPES
@formats_option(
    FORMATS,
    "text to read, JSON with the fields below, annotations of a GitHub pull"
    " request, or Markdown for a comment in one.",
)
@out_option
def command(  # noqa: PLR0913  (each is an option)
    *,
    paths: tuple[str, ...],
    against: str | None,
    breaking: bool,
    audiences: tuple[Audience, ...],
    exclude: tuple[str, ...],
    values: TemplateValues,
    root: str | None,
    types: bool,
    form: str,
    output: Output,
) -> None:
    """Show what changed in prompts, and who it breaks.

    Compares two prompt files, two JSON Schemas, a prompt and a JSON Schema, or the prompts of two
    directories. Each can be REF:PATH, as git writes a file of a commit, or - for standard input.
    With --against, compares the files of PATHS with those of a commit.

    A change of the answer breaks programs if answers are valid that were not before, and recordings
    if old answers no longer are. A change of the inputs breaks callers if old values no longer are
    valid. An example shows each of these. With --context or --set, compares what is rendered with
    these values. Changes go to standard output, and their counts to standard error.
    """
    check_root(root)
    refuse_two_stdins(*paths, values.context)
    pairs = Selection(paths, against, exclude, Reading(root, types)).pairs()
    if values.are_given and (len(pairs) > 1 or len(pairs[0].versions) == 1):
        raise click.UsageError("--context and --set require two versions of one prompt")
    with importing(types):
        found, problems = _compared(pairs, values, form)
    if problems and form == "json":
        raise error_from(problems)
    report = Report(tuple(found), audiences or get_args(Audience), len(pairs))
    text = FORMATS[form](report.only_breaking() if breaking else report, output.terminal)
    if text or output.file is not None:
        output.write_report(text)
    if found or not problems:
        Terminal.stderr().write(report.summary)
    if problems:
        raise error_from(problems)
    if not report.ok:
        raise click.exceptions.Exit(INVALID)


def _compared(
    pairs: Iterable[Pair], values: TemplateValues, form: str
) -> tuple[list[FileChanges], list[Problem]]:
    """The changes of all prompts, of each that has some, and the problems of those without."""
    touched = [pair for pair in pairs if not pair.is_untouched]
    parts = {part for pair in touched for one in pair.versions for part in one.parts()}
    found: list[FileChanges] = []
    problems: list[Problem] = []
    for pair, guess in _with_renamed([pair for pair in touched if not pair.is_part(parts)]):
        try:
            changes = _changes(pair, values)
        except PromptError as error:
            problems += error.problems
            if form in _ANNOTATING:
                found.append(FileChanges(pair.name, tuple(map(_invalid, error.problems))))
            continue
        if guess:
            changes = tuple(replace(one, guess=one.guess or guess) for one in changes)
        if changes:
            found.append(FileChanges(pair.name, changes))
    return found, list(dict.fromkeys(problems))


_ANNOTATING = ("github", "markdown")  # whose readers do not see standard error


def _invalid(problem: Problem) -> Change:
    """A problem of a new version, for those who do not see the standard error."""
    hint = f" ({problem.hint})" if problem.hint else ""
    message = f"the new version is invalid: {problem.message}{hint}"
    breaks = get_args(Audience)
    return Change("messages", "", message, breaks=breaks, new_span=problem.span)


def _changes(pair: Pair, values: TemplateValues) -> tuple[Change, ...]:
    """The changes of one prompt, or of what it renders to with the values. Raises PromptError."""
    from pdl import compare  # noqa: PLC0415 - help needs no comparison

    if any(one.is_json for one in pair.versions):
        return _schema_changes(pair, values)
    after = pair.new.prompt if pair.new is not None else None
    if pair.old is not None and (fault := pair.old.fault()):
        # The commit that mends or removes it must not fail for it.
        done = "is not compared" if after is not None else "was removed"
        message = f"the old version was invalid and {done}: {fault.message}"
        return (Change("messages", "", message, old_span=fault.span),)
    before = pair.old.prompt if pair.old is not None else None
    found = compare.compare_prompts(before, after).changes
    if not values.are_given or before is None or after is None:
        return found
    renderings = (one.render(values.read(one.inputs), prefill=True) for one in (before, after))
    inputs = [change for change in found if change.part == "inputs"]
    return (*inputs, *compare.compare_rendered(*renderings).changes)


def _schema_changes(pair: Pair, values: TemplateValues) -> tuple[Change, ...]:
    from pdl import compare  # noqa: PLC0415 - help needs no comparison

    if pair.old is not None and pair.new is not None:
        return compare.compare_schemas(pair.old.schema(values), pair.new.schema(values)).changes
    if pair.old is None:
        return (Change("schema", "", "the file was added"),)
    return (Change("schema", "", "the file was removed", breaks=get_args(Audience)),)


def _with_renamed(pairs: Sequence[Pair]) -> Iterator[tuple[Pair, str]]:
    """The pairs; a removed prompt may have been renamed, which is a guess.

    The added one is then compared with the removed one instead of with nothing.
    """
    removed = {pair.name: pair for pair in pairs if pair.new is None}
    added = {pair.name: pair for pair in pairs if pair.old is None}
    renamed = _renamed(removed, added)
    origins = {new: old for old, (new, _) in renamed.items()}
    for pair in pairs:
        if pair.name in renamed:
            new, why = renamed[pair.name]
            yield pair, f"it was renamed to `{new}`, which {why}"
        elif pair.name in origins:
            old = origins[pair.name]
            yield replace(pair, old=removed[old].old), f"it was `{old}`"
        else:
            yield pair, ""


def _renamed(removed: Mapping[str, Pair], added: Mapping[str, Pair]) -> dict[str, tuple[str, str]]:
    """Which prompts may have been renamed: the new names, and why each is likely."""
    if len(removed) * len(added) > _MOST_GUESSED:
        return {}
    pairs = (*removed.values(), *added.values())
    prints = {pair.name: one.fingerprint for pair in pairs for one in pair.versions}
    lines = {pair.name: _lines(one.some_data) for pair in pairs for one in pair.versions}
    shares = sorted(
        (-1.0 if prints[old] == prints[new] != "" else -_share(lines[old], lines[new]), old, new)
        for old, new in product(removed, added)
    )
    found: dict[str, tuple[str, str]] = {}
    taken: set[str] = set()
    for share, old, new in shares:
        if -share >= _ALIKE and old not in found and new not in taken:
            same = "renders the same" if share == -1 else f"has {-share:.0%} of its text"
            found[old] = new, same
            taken.add(new)
    return found


def _lines(data: bytes) -> Counter[bytes]:
    """The lines of a prompt, without the markers that every prompt has."""
    lines = map(bytes.strip, data.splitlines())
    return Counter(line for line in lines if not line.startswith(b"<|"))


def _share(old: Counter[bytes], new: Counter[bytes]) -> float:
    """How much of the longer one of two texts is in lines of both; below 1."""
    equal, *sizes = (sum(len(line) * n for line, n in c.items()) for c in (old & new, old, new))
    return min(equal / max(*sizes, 1), 0.99)
