"""A case of what the page shows: a reply as `NAME.tests.pdl` has it ("save as test").

Nothing is written here: a reply that can't stand in the file itself, such as one with blank lines
at its end, is in a file of its own, whose text is part of the result.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pdl.errors import CasesError, Problem
from pdl.models.exchange import Reply
from pdl.prompt.template import normalize_newlines
from pdl.schema.json_values import json_document, json_line
from pdl.source import Source
from pdl.testing.forms import data_of
from pdl.testing.recording import file_text, is_encodable, is_inline, slug_of
from pdl.testing.replies import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.reply import Check

_WIDTH = 88  # columns of an expected value on the line of its mark
_UNNAMED = "a reply"


@dataclass(frozen=True)
class WrittenCase:
    """The text of a case, which ends in a newline, and the files that it names.

    `files` are texts by their paths from the folder of the prompt, to be written as UTF-8.
    """

    text: str
    files: Mapping[str, str] = field(default_factory=dict)


def write_case(  # noqa: PLR0913 - what a case is made of
    name: str,
    data: str,
    reply: str,
    check: Check,
    *,
    expect: str = "",
    prompt: str = "prompt.pdl",
) -> WrittenCase:
    """Return a case that has the data, the reply, and what the check found.

    `data` is an object in JSON or YAML, or nothing; `check` that of the reply without coercions,
    which cases don't have. Its value is what the case expects, unless `expect` says it: JSON, or a
    schema. A reply that fails the check is one that must be refused, for the check's reason.
    `prompt` is the name of the prompt's file. Raises PdlError for data and an expectation that a
    case can't have.
    """
    shown = " ".join(name.encode(errors="replace").decode().split()) or _UNNAMED
    sections = [f"<|case|> {shown}"]
    if data.strip():
        sections.append(_data(data))
    section, files = _reply(reply, check, shown, prompt)
    sections.append(section)
    if check.ok:
        sections.append(_expectation(expect, check))
    return WrittenCase("\n".join(sections) + "\n", files)


def _data(text: str) -> str:
    """The section of the data, as they were written if that is possible."""
    source = Source(text.removeprefix("\ufeff"), "data")
    data = data_of(source, source.span(0))
    written = normalize_newlines(source.text).strip("\n").rstrip()
    if is_inline("data", written):
        again = Source(written, "data")
        if json_line(data_of(again, again.span(0))) == json_line(data):
            return f"<|data|>\n{written}"
    return f"<|data|>\n{json_document(data)}"


def _reply(reply: str, check: Check, name: str, prompt: str) -> tuple[str, dict[str, str]]:
    """The section of the reply, and the file that it is in, if it needs one."""
    mark = "<|reply|>" if check.ok else f"<|reply|> refused {check.reason}"
    if is_inline("reply", reply):
        return f"{mark}\n{reply}", {}
    if not reply and check.reason == "absent":
        return mark, {}
    suffix, text = ".txt", file_text(reply)
    if not is_encodable(reply):
        suffix, text = ".jsonl", f"{json_line(record(Reply(reply)))}\n"
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    folder = f"{PurePosixPath(prompt).stem}.replies"
    file = f"{folder}/{slug_of(name)}-{digest}{suffix}"
    return f"{mark} @{file}", {file: text}


def _expectation(given: str, check: Check) -> str:
    """The section of what is expected: what was written, or the value."""
    text = normalize_newlines(given).strip()
    if text and not is_inline("expect", text):
        message = "this expectation has lines that a file of cases takes for marks"
        raise CasesError(Problem("test/expect", message))
    if not text:
        text = json_line(check.data)
        text = text if len(text) <= _WIDTH else json_document(check.data)
    return f"<|expect|>\n{text}" if "\n" in text or len(text) > _WIDTH else f"<|expect|> {text}"
