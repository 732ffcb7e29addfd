"""Code actions: a quick fix for each hint that tells a change, and refactorings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from pdl.edit.document import Document, Edit, Range
from pdl.edit.features.diagnostics import diagnostics as diagnose
from pdl.edit.features.fixes import Case, of_a_word
from pdl.edit.features.fixes_syntax import SYNTAX_FIXES
from pdl.edit.features.fixes_template import TEMPLATE_FIXES
from pdl.edit.features.fixes_typed import MEANING_FIXES
from pdl.edit.features.refactorings import refactorings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pdl.edit.features.diagnostics import Diagnostic
    from pdl.edit.features.fixes import Fix
    from pdl.edit.workspace import Workspace

FIXES = {**TEMPLATE_FIXES, **SYNTAX_FIXES, **MEANING_FIXES}
"""The fixes by the codes of diagnostics."""

_ROUNDS = 20
_ROUNDS_LENGTH = 50_000  # characters that are looked at while an editor waits
_UNUSED = ("input/unused", "schema/unused-name")


@dataclass(frozen=True)
class Action:
    """Changes that an editor offers; `fixes` are the diagnostics that they mend.

    The changes of a file are in the order of its text; the path is None for a text without a file.
    """

    title: str
    kind: Literal["quickfix", "refactor", "source"]
    edits: dict[Path | None, list[Edit]]
    is_preferred: bool = False
    fixes: tuple[Diagnostic, ...] = ()


def actions(
    workspace: Workspace, document: Document, where: Range, diagnostics: Sequence[Diagnostic]
) -> list[Action]:
    """Return what can be done about diagnostics that touch a range, and with the text there.

    Diagnostics of an earlier text are ignored.
    """
    found = []
    known = set(diagnose(workspace, document)) if diagnostics else set()
    for one in diagnostics:
        if one in known and one.range.start <= where.end and where.start <= one.range.end:
            found += [
                Action(fix.title, "quickfix", _of(document, fix.edits), fix.is_preferred, (one,))
                for fix in fixes(workspace, document, one)
            ]
    found += [
        Action(title, "refactor", _of(document, edits))
        for title, edits in refactorings(document, where)
    ]
    if len(diagnostics) > 1 and any(action.is_preferred for action in found):
        rounds = min(max(_ROUNDS_LENGTH // (len(document.text) + 1), 1), _ROUNDS)
        edits = fix_all(workspace, document, rounds)
        if edits:
            found.append(Action("fix all that can be fixed", "source", _of(document, edits)))
    return _united(found)


def _united(found: list[Action]) -> list[Action]:
    """The actions, of which those that change the same by the same name are one."""
    out: dict[object, Action] = {}
    for one in found:
        changes = tuple((path, tuple(edits)) for path, edits in one.edits.items())
        other = out.setdefault((one.title, one.kind, changes), one)
        if other is not one:
            is_preferred = other.is_preferred or one.is_preferred
            together = other.fixes + one.fixes
            both = replace(other, is_preferred=is_preferred, fixes=together)
            out[one.title, one.kind, changes] = both
    return list(out.values())


def fixes(workspace: Workspace, document: Document, one: Diagnostic) -> list[Fix]:
    """Return the fixes of a diagnostic, which is one of the document as it is."""
    fixer = FIXES.get(one.code)
    if document.sections is not None and document.typed_at(one.range.start) is None:
        fixer = of_a_word  # nothing there is a template
    if fixer is None or one.file is not None:
        return []
    return [fix for fix in fixer(Case(workspace, document, one)) if fix.edits]


def changed_text(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with changes that do not overlap."""
    out: list[str] = []
    at = 0
    for one in sorted(edits, key=lambda edit: edit[:2]):
        out += (text[at : one.start], one.text)
        at = one.end
    return "".join(out) + text[at:]


def fix_all(workspace: Workspace, document: Document, rounds: int = _ROUNDS) -> list[Edit]:
    """Return one change that makes all preferred fixes, those of what then is found too."""
    text = document.text
    seen = {text}
    for _ in range(rounds):
        edits = _together(_preferred(workspace, document))
        if not edits:
            break
        changed = changed_text(document.text, edits)
        if changed in seen:
            break
        seen.add(changed)
        workspace, document = _trial(workspace, document, changed)
    return _difference(text, document.text)


def _preferred(workspace: Workspace, document: Document) -> list[tuple[Edit, ...]]:
    """The fixes of one round; what nothing uses is removed last, since a fix may use it."""
    found: dict[bool, list[tuple[Edit, ...]]] = {True: [], False: []}
    for one in diagnose(workspace, document):
        fix = next((fix for fix in fixes(workspace, document, one) if fix.is_preferred), None)
        if fix is not None:
            found[one.code in _UNUSED].append(fix.edits)
    return found[False] or found[True]


def _together(wanted: Iterable[tuple[Edit, ...]]) -> list[Edit]:
    """The changes that are apart from those before them."""
    kept: list[Edit] = []
    for edits in wanted:
        if all(one.end < other.start or other.end < one.start for one in edits for other in kept):
            kept += edits
    return kept


def _trial(workspace: Workspace, document: Document, text: str) -> tuple[Workspace, Document]:
    """A workspace in which a document has another text."""
    if document.path is None:
        return workspace, Document(text)
    workspace = workspace.copy()
    return workspace, workspace.open(document.path, text)


def _difference(before: str, after: str) -> list[Edit]:
    """One change that makes a text another."""
    if before == after:
        return []
    most = min(len(before), len(after))
    start = next((at for at in range(most) if before[at] != after[at]), most)
    left = most - start
    end = next((at for at in range(left) if before[-1 - at] != after[-1 - at]), left)
    return [Edit(start, len(before) - end, after[start : len(after) - end])]


def _of(document: Document, edits: Iterable[Edit]) -> dict[Path | None, list[Edit]]:
    return {document.path: sorted(edits, key=lambda one: one[:2])}
