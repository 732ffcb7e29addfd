"""Writing into files of cases: replies that a model gave, and golden messages."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from dataclasses import dataclass
from errno import EACCES
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pdl.errors import CasesError, FileError, Problem
from pdl.models.exchange import Reply
from pdl.prompt.template import source_of
from pdl.prompt.turns import ROLES
from pdl.replacing import is_outside, replacing
from pdl.schema.json_values import json_line
from pdl.testing import row_edits
from pdl.testing.content import JSON_LINES
from pdl.testing.edits import Edit, edited
from pdl.testing.forms import clear_refusal
from pdl.testing.parts import parts_of
from pdl.testing.replies import is_plain, record
from pdl.testing.sections import SUFFIX, sections_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.models.answer import Answer, AskError
    from pdl.models.faults import Fault
    from pdl.testing.cases import Case, CaseFile
    from pdl.testing.sections import Section

Said: TypeAlias = "Reply | str"
"""What a model said to one attempt: a reply, or the words in which it refused to answer."""

_LONGEST = 60  # characters of a case's name in that of a file


@dataclass(frozen=True)
class Change:
    """What is to be written into a case; None for what stays.

    `said` is what a model said, in the order of the attempts; `messages` the golden rendering.
    """

    case: Case
    said: tuple[Said, ...] | None = None
    messages: str | None = None


def said_in(result: Answer | AskError) -> tuple[Said, ...]:
    """Return what a model said to the attempts of a run, without those that a fault ended."""
    return tuple(_said(result))


def _said(result: Answer | AskError) -> Iterator[Said]:
    for attempt in result.attempts:
        if attempt.fault is not None and attempt.fault.kind == "refusal":
            yield refusal_words(attempt.fault, attempt.reply)
        elif attempt.fault is None and attempt.reply is not None:
            yield attempt.reply


def refusal_words(fault: Fault, reply: Reply | None) -> str:
    """Return the words in which a model refused, on one line; empty if it gave no reason."""
    if reply is not None and reply.flaw is not None:
        return " ".join((reply.flaw.words or reply.text).split())
    return " ".join(fault.problem.message.split())


def write_changes(file: CaseFile, changes: Iterable[Change]) -> tuple[Path, ...]:
    """Write changes of cases into their file, and into the files that it names; return their paths.

    Each file is replaced in one step, the file of cases last; nothing else of them changes. Raises
    FileError if one can't be written, and CasesError if the file of cases was changed since it was
    read, or for a reply that a table can't hold.
    """
    try:
        raw = file.path.read_bytes().decode()
        texts = changed_texts(file, raw, changes)
        targets = [_target(path, file) for path in texts]
        for target, text in zip(targets, texts.values(), strict=True):
            target.parent.mkdir(parents=True, exist_ok=True)
            with replacing(target, keeps_mode=target.exists()) as out:
                out.write(text.encode())
    except OSError as error:
        raise _unwritable(error, file.path) from error
    return tuple(texts)


def refuse_change(change: Change) -> None:
    """Raise CasesError for a reply that the table of its case can't hold."""
    if change.case.row is not None and change.said:
        row_edits.refuse_reply(change.case.row, change.said)


def refuse_unwritable(file: CaseFile) -> None:
    """Raise FileError if a file of cases, or one of its tables, can't be written."""
    tables = {one.row.span.source.name for one in file.cases if one.row is not None}
    for path in (file.path, *map(Path, sorted(tables))):
        try:
            _target(path, file)
        except OSError as error:
            raise _unwritable(error, path) from error


def _unwritable(error: OSError, path: Path) -> FileError:
    message = f"{error.filename or path}: can't be written: {error.strerror}"
    return FileError(Problem("file/unwritable", message))


def _target(path: Path, file: CaseFile) -> Path:
    """What is to be replaced: links stay. Raises OSError if it must not be."""
    parent = file.path.parent
    if is_outside(path, file.root) and is_outside(path, parent):
        why = "it is a link that points outside its directory and repository"
        raise OSError(EACCES, why, str(path))
    target = path.resolve()
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), str(path))
    return target


def changed_texts(file: CaseFile, raw: str, changes: Iterable[Change]) -> dict[Path, str]:
    """Return the new texts of files by their paths, that of the file of cases last.

    `raw` is the text of that file, as it is on disk. Raises CasesError, and OSError for a table
    that can't be read.
    """
    if source_of(raw, "").text != file.source.text:
        message = f"{file.path}: was changed since it was read; nothing is written"
        raise CasesError(Problem("test/changed", message))
    writer = _Writer(file)
    rows = []
    for change in changes:
        if change.case.row is not None:
            rows.append((change.case.row, change.said, _asserts_usage(change)))
        else:
            writer.change(change)
    texts = {**writer.files, **row_edits.changed_tables(rows)}
    new = edited(raw, writer.edits)
    return {**texts, file.path: new} if new != raw else texts


class _Writer:
    """The edits of a file of cases, and the texts of files that its sections name."""

    def __init__(self, file: CaseFile) -> None:
        self.file = file
        self.has_usage = False  # of the case that is written
        self.text = file.source.text
        self.edits: list[Edit] = []
        self.files: dict[Path, str] = {}
        all_sections = sections_of(self.text).all
        self.next = {one.mark: other for one, other in pairwise(all_sections)}
        self.first = {one.mark: one for one in all_sections}
        self.named = Counter(self._argument(one) for one in all_sections)
        self.slugs = Counter(slug_of(case.name) for case in file.cases)

    def change(self, change: Change) -> None:
        if change.said:
            self._replies(change.case, change.said)
        if change.messages is not None:
            self._messages(change.case, change.messages)

    def _replies(self, case: Case, said: tuple[Said, ...]) -> None:
        self.has_usage = _asserts_usage(Change(case, said))
        old = [one for one in case.sections if one.name == "reply"]
        new = self._into_file(old[0], said) if old else None
        if new is None:
            new = "\n".join(self._section(case, one, at) for at, one in enumerate(said, 1))
        if not old:
            self._insert(case, new)
            return
        self.edits.append(Edit(old[0].mark.start, self._end(old[0]), new))
        for one in old[1:]:
            following = self.next.get(one.mark)
            end = following.mark.start if following is not None else len(self.text)
            self.edits.append(Edit(one.mark.start, end, ""))

    def _into_file(self, section: Section, said: tuple[Said, ...]) -> str | None:
        """The section of replies in the file that it names; None if they can't be there."""
        argument = self._argument(section)
        replies = [one for one in said if isinstance(one, Reply)]
        if not argument.startswith("@") or self.named[argument] > 1 or not replies:
            return None
        path = self._path(argument[1:].strip())
        if argument.lower().endswith(JSON_LINES):
            self.files[path] = "".join(f"{json_line(record(one))}\n" for one in replies)
        elif len(replies) == 1 and self._is_text(replies[0]):
            self.files[path] = file_text(replies[0].text)
        else:
            return None
        refusals = [_refusal(one) for one in said if isinstance(one, str)]
        return "\n".join((f"<|reply|> {argument}", *refusals))

    def _section(self, case: Case, said: Said, number: int) -> str:
        """A section with a reply: inline, if it can be read from there as it is."""
        if isinstance(said, str):
            return _refusal(said)
        if self._is_text(said):
            if is_inline("reply", said.text):
                return f"<|reply|>\n{said.text}"
            return f"<|reply|> @{self._own_file(case, number, '.txt', file_text(said.text))}"
        text = f"{json_line(record(said))}\n"
        return f"<|reply|> @{self._own_file(case, number, '.jsonl', text)}"

    def _is_text(self, reply: Reply) -> bool:
        """Whether a reply is recorded as its text alone."""
        return is_plain(reply) and not self.has_usage and is_encodable(reply.text)

    def _own_file(self, case: Case, number: int, suffix: str, text: str) -> str:
        """Keep a text for a file of the case's own, and return how the case names it."""
        slug = slug_of(case.name)
        if self.slugs[slug] > 1:
            slug += f"-{hashlib.sha256(case.name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
        name = (
            f"{replies_folder(self.file.path)}/{slug}{f'-{number}' if number > 1 else ''}{suffix}"
        )
        self.files[self.file.path.parent / name] = text
        return name

    def _messages(self, case: Case, messages: str) -> None:
        old = next((one for one in case.sections if one.name == "messages"), None)
        argument = self._argument(old) if old is not None else ""
        if argument.startswith("@") and self.named[argument] == 1:
            self.files[self._path(argument[1:].strip())] = f"{messages}\n"
            return
        if is_inline("messages", messages):
            new = f"<|messages|>\n{messages}"
        else:
            name = self._own_file(case, 1, ".messages.txt", f"{messages}\n")
            new = f"<|messages|> @{name}"
        if old is None:
            self._insert(case, new)
        else:
            self.edits.append(Edit(old.mark.start, self._end(old), new))

    def _insert(self, case: Case, section: str) -> None:
        """Put a section after the data of a case, or after its mark."""
        data = [one for one in case.sections if one.name == "data"]
        mark = case.span.start, case.span.end
        before = data[-1] if data else next(one for one in self.first.values() if one.mark == mark)
        end = self._end(before)
        line_end = self.text.find("\n", end)
        at = line_end if line_end >= 0 else len(self.text)
        self.edits.append(Edit(at, at, f"\n{section}"))

    def _argument(self, section: Section) -> str:
        return self.text[slice(*section.argument)]

    def _end(self, section: Section) -> int:
        """Where what a section has ends, without the blank lines after it."""
        return max(
            section.mark.end,
            section.argument.end,
            section.body.end if section.body.start < section.body.end else 0,
        )

    def _path(self, name: str) -> Path:
        return Path(self.file.path.parent, name)


def _asserts_usage(change: Change) -> bool:
    """Whether a case reads token counts, which only a record has."""
    if not change.said:
        return False
    assertions = parts_of(change.case).assertions
    return any(re.search(r"\busage\b", one.source.text) for one in assertions)


def _refusal(words: str) -> str:
    told = " ".join(words.split())
    return f"<|reply|> refused {clear_refusal(told)}".rstrip()


def is_encodable(text: str) -> bool:
    """Return whether a text has no unpaired surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def file_text(text: str) -> str:
    """Return what a file of a text has: a byte order mark at its beginning is no part of that."""
    return f"\ufeff{text}" if text.startswith("\ufeff") else text


def is_inline(name: str, text: str) -> bool:
    """Return whether a section of that name can hold a text as it is."""
    if "\r" in text or not is_encodable(text):
        return False
    whole = f"<|{name}|>\n{text}"
    found = sections_of(whole)
    if len(found.all) != 1 or any(one.name not in ROLES for one in found.strays):
        return False
    return bool(text) and whole[slice(*found.all[0].body)] == text


def replies_folder(path: Path) -> str:
    """Return the name of the directory for replies of cases that are in files of their own."""
    return path.name.removesuffix(SUFFIX) + ".replies"


def slug_of(name: str) -> str:
    """Return the name of a case as a part of a file's name."""
    return re.sub(r"[^\w-]+", "-", name.lower()).strip("-")[:_LONGEST] or "case"
