"""Recorded replies of a prompt, and cases that the page adds to them."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from pdl.decoding import strict_json
from pdl.errors import CasesError, PdlError, Problem, quoted
from pdl.play.access import RefusedError
from pdl.play.case import write_case
from pdl.play.files import cases_of, kind_of
from pdl.play.looking.subject import Options, subject_of
from pdl.prompt.template import normalize_newlines
from pdl.schema.json_values import json_document
from pdl.source import Source
from pdl.testing.parts import parts_of
from pdl.testing.reader import parse_cases, read_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.play.case import WrittenCase
    from pdl.play.files import OpenedFiles
    from pdl.testing.cases import Case

_MOST = 300  # replies that are listed
_MOST_FILES = 500  # that may be transcripts


def written_case(wanted: dict[str, Any], base: str | None) -> WrittenCase:
    """Return the case of a reply that the page shows; `base` is the folder of its prompt.

    Raises PdlError.
    """
    name, data, reply = wanted["name"], wanted["data"], wanted["reply"]
    subject = subject_of(wanted["prompt"], data, reply, Options(), base)
    check = subject.check()
    assert check is not None
    prompt = (wanted["file"] or "prompt.pdl").rpartition("/")[2]
    return write_case(name, data, reply, check, expect=wanted["expect"], prompt=prompt)


def save_case(files: OpenedFiles, prompt: str, case: str, named: dict[str, str]) -> dict[str, Json]:
    """Add a case to the end of the cases of a prompt; return the file, its line and its text.

    `named` are the files that the case names. Raises PdlError and RefusedError.
    """
    if kind_of(prompt) != "prompt":
        raise RefusedError(400, f"{quoted(prompt)} is not a prompt", "save the prompt first")
    name = cases_of(prompt)
    before, digest = "", None
    try:
        before, digest = files.read(name)
    except RefusedError as refused:
        if refused.status != 404:  # noqa: PLR2004 - not found
            raise
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    text = normalize_newlines(f"{before}{gap}{case}")
    _check(files, name, text)
    folder = files.folder_of(prompt)
    for file, content in named.items():
        files.add(file if folder == "." else f"{folder}/{file}", content)
    if digest is None:
        files.create(name, text)
    else:
        files.save(name, text, digest)
    return {"file": name, "line": text.count("\n") - case.count("\n") + 1, "text": case}


def _check(files: OpenedFiles, name: str, text: str) -> None:
    """Raise CasesError if the cases are wrong with the new one, such as two of one name."""
    found = parse_cases(Source(text, name), files.root / name)
    for one in found.problems:
        if one.code == "test/twice":
            hint = "give this one another name"
            raise CasesError(Problem(one.code, "there is a case of this name already", None, hint))


def replies_of(files: OpenedFiles, name: str) -> list[dict[str, Json]]:
    """Return the replies on record of a prompt, those of its cases first.

    Raises RefusedError for a name that is not of a file here.
    """
    cases = name if kind_of(name) == "cases" else cases_of(name)
    files.folder_of(cases)
    found = _of_cases(files, cases)
    if files.only is None:
        found = chain(found, _of_transcripts(files, name))
    return list(islice(found, _MOST))


def _of_cases(files: OpenedFiles, name: str) -> Iterator[dict[str, Json]]:
    try:
        files.bytes_of(name)
        read = read_cases(files.root / name)
    except (RefusedError, PdlError):  # there is none, or it is not read
        return
    for case in read.cases:
        with suppress(PdlError):
            yield from _of_case(case, name)


def _of_case(case: Case, name: str) -> Iterator[dict[str, Json]]:
    parts = parts_of(case)
    said = [one for one in parts.recordings if one.reply is not None]
    for number, recording in enumerate(said, 1):
        assert recording.reply is not None
        more = f", reply {number}" if len(said) > 1 else ""
        told: dict[str, Json] = {"label": f"{case.name}{more}", "text": recording.reply.text}
        if parts.data is not None:
            told["data"] = json_document(dict(parts.data))
        yield {**told, "source": f"{name}:{recording.span.line}"}


def _of_transcripts(files: OpenedFiles, name: str) -> Iterator[dict[str, Json]]:
    """The replies of transcripts of a prompt, which `pdl run --transcript` writes."""
    listed = (one.name for one in files.list() if one.name.endswith(".json"))
    for file in islice(listed, _MOST_FILES):
        with suppress(RefusedError, ValueError, AttributeError, TypeError, KeyError):
            found: Any = strict_json(files.read(file)[0])
            if found["prompt"].replace("\\", "/").rpartition("/")[2] != name.rpartition("/")[2]:
                continue
            for number, attempt in enumerate(found["attempts"], 1):
                if isinstance(attempt["reply"], dict):
                    label = f"{found['model']}, {found['started']}, attempt {number}"
                    yield {"label": label, "text": str(attempt["reply"]["text"]), "source": file}
