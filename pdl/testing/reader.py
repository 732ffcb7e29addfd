"""Reading a file of cases: which cases there are, and what is wrong with the file itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from pdl.errors import CasesError, Problem, quoted
from pdl.limits import DEFAULT_LIMITS
from pdl.prompt import load
from pdl.prompt.files import read_prompt
from pdl.prompt.template import source_of
from pdl.testing.cases import Case, CaseFile
from pdl.testing.sections import MARKS, SHARED, SUFFIX, is_cases, sections_of
from pdl.testing.tables import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.source import Source
    from pdl.testing.cases import Load
    from pdl.testing.sections import Range, Section, Sections

_VERBATIM = frozenset({"reply", "messages", "judge"})
"""Sections that hold what others wrote, in which a line such as `<|user|>` means itself."""


_WHOLE = re.compile(r"<\|\s*\w+\s*\|>")


def root_of(file: Path, top: Path) -> Path:
    """Return the directory below which a file of cases names files: `top`, if it is below that."""
    return top if file.resolve().is_relative_to(top.resolve()) else file.parent


def read_cases(path: str | Path, *, root: str | Path | None = None, load: Load = load) -> CaseFile:
    """Return the cases of a file, `NAME.tests.pdl`, which are of the prompt `NAME.pdl` beside it.

    Files that it names (`@FILE`) are read below `root`; without one, below the file's own
    directory. `load` returns the prompt at a path, or raises PdlError. What is wrong
    with a part of the file is in the `problems` of the result and of its cases, so that the others
    can run. Raises FileError if the file can't be read, and CasesError if its name doesn't end in
    `.tests.pdl`.
    """
    file = Path(path)
    if not is_cases(file):
        message = f"{file}: a file of cases is called NAME{SUFFIX}, beside NAME.pdl"
        raise CasesError(Problem("test/name", message))
    text = read_prompt(file, str(file), DEFAULT_LIMITS)
    return parse_cases(source_of(text, str(file)), file, root=root, load=load)


def parse_cases(
    source: Source, path: Path, *, root: str | Path | None = None, load: Load = load
) -> CaseFile:
    """Return the cases of a text, which may differ from what the file has, as `read_cases` does."""
    found = sections_of(source.text)
    prompt = path.with_name(path.name.removesuffix(SUFFIX) + ".pdl")
    top = path.parent if root is None else Path(root)
    problems = [*_text(source, found, found.preamble, "before the first mark")]
    problems += _strays(source, found)
    file = CaseFile(source, path, prompt, top, read=load)
    cases: dict[str, Case] = {}
    for case in _cases(file, found, problems):
        if case.name in cases:
            other = cases[case.name].span
            message = f"there are two cases `{case.name}`: the other one is {other}"
            problems.append(Problem("test/twice", message, case.span, "give it a name of its own"))
        else:
            cases[case.name] = case
    if not cases and not problems:
        hint = "write `<|case|> a name`, then `<|data|>` and `<|reply|>`"
        problems.append(Problem("test/none", "there is no case in this file", source.span(0), hint))
    object.__setattr__(file, "cases", tuple(cases.values()))
    object.__setattr__(file, "problems", tuple(problems))
    return file


def _cases(file: CaseFile, found: Sections, problems: list[Problem]) -> Iterator[Case]:
    """The cases of sections and of tables, in their order."""
    groups = _groups(found.all)
    shared = tuple(one for one in next(groups) if _is_shared(file.source, one, problems))
    for number, group in enumerate(groups, 1):
        first, *rest = group
        span = file.source.span(*first.mark)
        where = f"that belongs to no section of this `{first.name}`"
        problems += _text(file.source, found, first.body, where)
        if first.name == "cases":
            yield from rows_of(file, first, shared, problems)
            problems += [_outside(file.source, one) for one in rest]
            continue
        name = " ".join(file.source.text[slice(*first.argument)].split())
        yield Case(name or f"case {number}", span, file, tuple(rest), shared)


def _groups(sections: tuple[Section, ...]) -> Iterator[list[Section]]:
    """The sections before the first case, then those of each case or table, which comes first."""
    starts = [index for index, one in enumerate(sections) if one.name in {"case", "cases"}]
    for start, end in zip([0, *starts], [*starts, len(sections)], strict=True):
        yield list(sections[start:end])


def _is_shared(source: Source, section: Section, problems: list[Problem]) -> bool:
    if section.name in SHARED:
        return True
    problems.append(_outside(source, section))
    return False


def _outside(source: Source, section: Section) -> Problem:
    """The problem of a section that no case has."""
    message = f"`<|{section.name}|>` belongs to no case"
    return Problem(
        "test/outside", message, source.span(*section.mark), "write `<|case|> a name` before it"
    )


def _text(source: Source, found: Sections, place: Range, where: str) -> Iterator[Problem]:
    """The problem of text where only comments (`# …`) can be; of strays is told elsewhere."""
    told = {stray.place.start for stray in found.strays}
    offset = place.start
    for line in source.text[slice(*place)].splitlines(keepends=True):
        if line.strip() and not line.lstrip().startswith("#"):
            start = offset + len(line) - len(line.lstrip())
            if start in told:
                return
            span = source.span(start, offset + len(line.rstrip()))
            hint = (
                "begin a section with its mark, such as `<|case|> a name`; comments begin with `#`"
            )
            yield Problem("test/text", f"there is text {where}", span, hint)
            return
        offset += len(line)


def _strays(source: Source, found: Sections) -> Iterator[Problem]:
    """The problems of lines that look like marks, where they can't be what somebody else wrote."""
    for stray in found.strays:
        around = found.all[stray.section].name if stray.section >= 0 else ""
        if around in _VERBATIM and not stray.meant:
            continue
        hint = f"did you mean `<|{stray.meant}|>`?" if stray.meant else ""
        told = source.text[slice(*stray.place)]
        told = stray.name if _WHOLE.fullmatch(told) else told
        known = ", ".join(f"`{name}`" for name in MARKS)
        more = f"; a {around} that has such a line goes into a file: `<|{around}|> @FILE`"
        yield Problem(
            "test/mark",
            f"{quoted(told)} is no mark of a file of cases",
            source.span(*stray.place),
            (hint or f"the marks are {known}") + (more if around in _VERBATIM else ""),
        )
