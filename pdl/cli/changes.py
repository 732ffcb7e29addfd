"""The changes of prompts for people, for programs, for GitHub, and for pull requests."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from pdl.cli.output import json_document, workflow_command
from pdl.cli.terminal import Terminal, visible, visible_line
from pdl.compare.verdicts import Audience
from pdl.errors import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pdl.cli.terminal import Style
    from pdl.compare.verdicts import Change, No, Piece
    from pdl.source import Span

_NOUNS = {"inputs": "input", "tools": "tool", "config": "config", "includes": "include"}
_VERDICTS = {"both": "widened and narrowed", "unknown": "undecided"}
_MOST_LINES = 40  # of a text that changed
_CONTEXT = 40  # characters around what changed in a line
_MOST_CHANGED = 400  # characters that were added or removed in a line
_WITNESS = 120  # characters of an example
_MOST_TOLD = 1_000  # changes in a text
_MOST_ANNOTATIONS = 50
_MOST_MARKDOWN = 60_000  # characters; a comment on GitHub has at most 65,536
_FULL = 500  # characters that are left, which few changes need


@dataclass(frozen=True)
class FileChanges:
    """The changes of one prompt; `file` is its name."""

    file: str
    changes: tuple[Change, ...]


class Told(NamedTuple):
    """A change, and the prompts that have it."""

    change: Change
    files: list[str]


@dataclass(frozen=True)
class Report:
    """The changes of all files that were compared, and whose breakage counts."""

    files: tuple[FileChanges, ...]
    audiences: tuple[Audience, ...]
    compared: int

    @property
    def ok(self) -> bool:
        """Whether no change breaks the audiences."""
        return not any(self.breaks(change) for _, change in self)

    def __iter__(self) -> Iterator[tuple[str, Change]]:
        return ((one.file, change) for one in self.files for change in one.changes)

    def told(self) -> list[Told]:
        """Return each change once: that of a part is one of all prompts that include it."""
        found: dict[Any, Told] = {}
        for file, change in self:
            span = _span(change)
            is_own = span is None or span.source.name == file
            where = file if is_own else (str(span), change.part)
            told = found.setdefault((where, change.path, change.message), Told(change, []))
            if file not in told.files:
                told.files.append(file)
        return list(found.values())

    def breaks(self, change: Change) -> bool:
        """Whether a change breaks one of the audiences, or might, if that is undecided."""
        return not set(self.audiences).isdisjoint(change.breaks)

    def level(self, change: Change) -> Style:
        """How bad a change is: an error, a warning if it breaks another audience, or a note."""
        if self.breaks(change):
            return "error"
        return "warning" if change.breaks else "note"

    def only_breaking(self) -> Report:
        """The report without what does not break."""
        kept = (FileChanges(f.file, tuple(filter(self.breaks, f.changes))) for f in self.files)
        return Report(tuple(one for one in kept if one.changes), self.audiences, self.compared)

    @property
    def summary(self) -> str:
        """The counts on one line: `3 files: 5 changes, 2 break`."""
        changes = [change for _, change in self]
        bad = [change for change in changes if self.breaks(change)]
        undecided = sum(change.verdict == "unknown" for change in bad)
        said = count(len(changes), "change") if changes else "no changes"
        if bad:
            said += f", {len(bad)} {'breaks' if len(bad) == 1 else 'break'}"
            said += f" ({undecided} undecided)" if undecided else ""
        return f"{count(self.compared, 'file')}: {said}"


def _label(change: Change) -> str:
    """What a change does: `narrowed, breaks recordings`, or `changed` for a text."""
    verdict = _VERDICTS.get(change.verdict or "", change.verdict)
    if not change.breaks:
        return verdict or "changed"
    *others, last = (one for one in get_args(Audience) if one in change.breaks)
    whom = f"{', '.join(others)} and {last}" if others else last
    if change.verdict == "unknown":
        return f"{verdict}, may break {whom}"
    return f"{verdict}, breaks {whom}" if verdict else f"breaks {whom}"


def _said(change: Change) -> str:
    noun = _NOUNS.get(change.part, "")
    place = f"{noun} `{change.path}`".strip() if change.path else noun
    # The label has the verdict, and the notes have the examples; only here is why it is undecided.
    effect = "" if change.verdict == "unknown" else change.effect
    message = change.message.removesuffix(effect)
    return f"{place}: {message}" if place else message


def _notes(told: Told) -> Iterator[tuple[str, str]]:
    """The prompts of a part, the witnesses, and the guess, each after its name."""
    change, files = told
    span = _new_span(change)
    if files[1:] or (span is not None and span.source.name != files[0]):
        more = f" and {count(len(files) - 3, 'other')}" if files[3:] else ""
        yield "in", ", ".join(f"`{file}`" for file in files[:3]) + more
    yield from _examples(change)
    if change.guess:
        yield "guess", change.guess


def _examples(change: Change) -> Iterator[tuple[str, str]]:
    """The witnesses, or only their parts at the path if the whole ones are too long to read."""
    _, _, parts = change.effect.partition("; ")
    witnesses = [one.witness for one in (change.lost, change.gained) if one is not None]
    if parts and any(len(one) > _WITNESS for one in witnesses):
        yield "example", f"{parts} there"
        return
    there = " there" if change.witnesses == "part" else ""
    if change.lost is not None:
        yield "lost", f"`{_shortened(change.lost)}` was valid{there}, and no longer is"
    if change.gained is not None:
        yield "gained", f"`{_shortened(change.gained)}` was not valid{there}, and now is"


def _shortened(witness: No) -> str:
    text = witness.witness
    return text if len(text) <= _WITNESS else f"{text[:_WITNESS]}…"


def _is_whole(change: Change) -> bool:
    """Whether a whole file was added or removed: its text is not shown."""
    return change.path == "" and not (change.old and change.new)


def _new_span(change: Change) -> Span | None:
    """Where a change is in the new version."""
    return change.new_span.origin() if change.new_span is not None else None


def _span(change: Change) -> Span | None:
    """Where a change is: in the new version, or where it was in the old one."""
    span = change.new_span or change.old_span
    return span.origin() if span is not None else None


def _text(report: Report, terminal: Terminal) -> str:
    told = report.told()
    shown = [told[at] for at in sorted(_ranked(report, told)[:_MOST_TOLD])]
    parts = ["\n".join(_text_lines(one, report.level(one.change), terminal)) for one in shown]
    return "\n\n".join([*parts, *_more(len(told) - _MOST_TOLD)])


def _ranked(report: Report, told: list[Told]) -> list[int]:
    """The numbers of the changes; those that break come first, so that others are left out."""
    return sorted(range(len(told)), key=lambda at: not report.breaks(told[at].change))


def _more(left_out: int) -> Iterator[str]:
    """What says that there are more changes than those that are shown."""
    if left_out > 0:
        yield f"and {count(left_out, 'more change')}; --format json has all changes"


def _text_lines(told: Told, level: Style, terminal: Terminal) -> Iterator[str]:
    change = told.change
    span = _span(change)
    place = told.files[0] if _is_whole(change) or span is None else str(span)
    where = terminal.style(visible_line(place), "strong")
    label = terminal.style(f"{_label(change)}:", level)
    yield f"{where}: {label} {visible_line(_said(change))}"
    if change.words and not _is_whole(change):
        yield from (f"  | {line}" for line in word_lines(change.words, terminal))
    elif span is not None and not _is_whole(change):
        yield from terminal.excerpt(span)
    for name, note in _notes(told):
        yield f"  {terminal.style(f'{name}:', 'hint')} {visible_line(note)}"


class _Stretch(NamedTuple):
    """A part of a line: equal, removed, or inserted."""

    kind: str
    text: str


def word_lines(words: Sequence[Piece], terminal: Terminal) -> list[str]:
    """Return the lines of a text that changed, with the words that were removed and inserted.

    They have the colors of the terminal; without color, they are `[-removed-]` and `{+inserted+}`.
    What is equal is shortened.
    """
    lines: list[list[_Stretch]] = [[]]
    for piece in words:
        changed = piece.kind != "equal"
        text = piece.text
        if changed and not text.strip():  # else nobody would see it
            text = text.replace("\n", "\\n").replace("\t", "\\t")
        first, *rest = text.split("\n")
        lines[-1].append(_Stretch(piece.kind, first))
        lines += [[_Stretch(piece.kind, one)] for one in rest]
    kept = [[one for one in line if one.text] for line in lines]
    shown: list[str] = []
    for line in kept:
        if any(one.kind != "equal" for one in line):
            shown.append("".join(_marked(line, terminal)))
        elif shown and shown[-1] != "…":
            shown.append("…")
    shown = shown[:-1] if shown and shown[-1] == "…" else shown
    more = len(shown) - _MOST_LINES
    return [*shown[:_MOST_LINES], f"… {count(more, 'more line')}"] if more > 0 else shown


def _marked(line: list[_Stretch], terminal: Terminal) -> Iterator[str]:
    last = len(line) - 1
    for index, (kind, text) in enumerate(line):
        if kind == "equal":
            yield visible_line(_trimmed(text, index > 0, index < last))
            continue
        cut = text
        if len(text) > _MOST_CHANGED:
            cut = f"{text[: _MOST_CHANGED // 2]} … {text[-_MOST_CHANGED // 2 :]}"
        removed = kind == "removed"
        if terminal.has_color and text.strip():
            marked = cut
        else:
            marked = f"[-{cut}-]" if removed else f"{{+{cut}+}}"
        yield terminal.style(visible_line(marked), "removed" if removed else "inserted")


def _trimmed(text: str, after: bool, before: bool) -> str:  # noqa: FBT001 - two sides of a text
    """Equal text in a line: a few words after a change, and before one."""
    start = _words_at_start(text) if after else ""
    end = _words_at_start(text[::-1])[::-1] if before else ""
    return text if len(start) + len(end) + _CONTEXT > len(text) else f"{start}…{end}"


def _words_at_start(text: str) -> str:
    cut = text[:_CONTEXT]
    return cut[: cut.rfind(" ") + 1] or cut


FIELDS = {
    "ok": "Whether no change breaks those that --for names.",
    "changes": "A list of objects with:",
    "file": "The prompt.",
    "part": "messages, schema, inputs, tools, config, reasoning, includes, or media.",
    "path": "What changed in it: a JSONPath, a turn, a key, or a name.",
    "message": "How it changed.",
    "old, new": "The two texts; empty if there was or is none.",
    "verdict": "compatible, widened, narrowed, both, unknown (undecided), or null for texts.",
    "breaks": "A list of programs, recordings, callers; if undecided, those it might break.",
    "lost, gained": "Answers that only the old or only the new version allows, or null.",
    "guess": "A presumption, such as a new name, or an empty string.",
    "source, line, column": "The position, whose source can be a file that the prompt includes;"
    " nulls if nothing is in the new version.",
}
"""The fields of `--format json`."""


def _json(report: Report, terminal: Terminal) -> str:  # noqa: ARG001  (FORMATS)
    changes = [_fields(file, change) for file, change in report]
    return json_document({"ok": report.ok, "changes": changes})


def _fields(file: str, change: Change) -> dict[str, Any]:
    span = _new_span(change)
    return {
        "file": file,
        "part": change.part,
        "path": change.path,
        "message": change.message,
        "old": change.old,
        "new": change.new,
        "verdict": change.verdict,
        "breaks": [one for one in get_args(Audience) if one in change.breaks],
        "lost": change.lost.witness if change.lost is not None else None,
        "gained": change.gained.witness if change.gained is not None else None,
        "guess": change.guess,
        "source": span.source.name if span else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
    }


def _github(report: Report, terminal: Terminal) -> str:  # noqa: ARG001  (FORMATS)
    """Workflow commands: what is only in the old version has no line in a pull request.

    Those that break are first, since GitHub shows only the first ones of each level.
    """
    told = report.told()
    shown = [told[at] for at in _ranked(report, told)[:_MOST_ANNOTATIONS]]
    lines = [_annotation(one, report.level(one.change)) for one in shown]
    more = _more(len(told) - len(shown))
    return "\n".join([*lines, *(workflow_command("note", {"title": "pdl"}, one) for one in more)])


def _annotation(told: Told, level: Style) -> str:
    change = told.change
    span = _new_span(change)
    properties = {
        "file": visible(span.source.name if span else told.files[0]),
        "line": span.line if span else None,
        "col": span.column if span else None,
        "title": f"pdl: {_label(change)}",
    }
    lines = [_said(change), *(f"{name}: {note}" for name, note in _notes(told))]
    return workflow_command(level, properties, visible("\n".join(lines)))


def _markdown(report: Report, terminal: Terminal) -> str:  # noqa: ARG001  (FORMATS)
    """A comment for a pull request: its prompts, and a list of the changes of each."""
    told, left = report.told(), _MOST_MARKDOWN
    items: dict[int, str] = {}
    for at in _ranked(report, told):
        if left < _FULL:
            break
        item = _item(told[at], report)
        size = len(item) + 2 * len(told[at].files[0]) + 10  # with the heading
        if size <= left:
            items[at], left = item, left - size
    parts = [f"**pdl diff**, {report.summary}"]
    for file, group in groupby(sorted(items), lambda at: told[at].files[0]):
        parts.append(f"### {_code(file)}")
        parts.append("\n".join(items[at] for at in group))
    return "\n\n".join([*parts, *_more(len(told) - len(items))])


def _item(told: Told, report: Report) -> str:
    change = told.change
    label = f"**{_label(change)}**" if report.breaks(change) else _label(change)
    lines = [f"- {label}: {_markdown_text(_said(change))}"]
    lines += [f"  - {name}: {_markdown_text(note)}" for name, note in _notes(told)]
    if change.words and not _is_whole(change):
        shown = word_lines(change.words, Terminal(None, is_tty=False, has_color=False))
        fence = _fence("\n".join(shown), 3)
        block = [f"{fence}text", *map(visible, shown), fence]
        lines += ["", "  <details><summary>text</summary>", ""]
        lines += [f"  {line}" for line in block] + ["", "  </details>", ""]
    return "\n".join(lines)


_CODE = re.compile(r"`([^`]*)`")
_MARKUP = re.compile(r"([\\`*_\[\]~|])")


def _markdown_text(text: str) -> str:
    """A message as Markdown: what is in backticks is code, and nothing else is markup."""
    plain = True
    found: list[str] = []
    for piece in _CODE.split(visible(text)):
        found.append(_plain(piece) if plain else _code(piece))
        plain = not plain
    return "".join(found)


def _plain(text: str) -> str:
    """Text without markup, HTML, or what GitHub would link: users, issues, commits."""
    escaped = _MARKUP.sub(r"\\\1", html.escape(" ".join(text.split(" ")), quote=False))
    return re.sub(r"([@#])(?=\w)", "\\1<!-- -->", escaped).replace("\n", " ")


def _code(text: str) -> str:
    """Code in a line of Markdown, which can contain backticks."""
    shown = visible(text).replace("\n", " ") or " "
    fence = _fence(shown, 1)
    space = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{space}{shown}{space}{fence}"


def _fence(text: str, least: int) -> str:
    """More backticks than the text has in a row."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    return "`" * max(least, longest + 1)


FORMATS: dict[str, Callable[[Report, Terminal], str]] = {
    "text": _text,
    "json": _json,
    "github": _github,
    "markdown": _markdown,
}
"""The formats of `pdl diff`."""
