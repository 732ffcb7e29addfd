"""What a prompt becomes: its messages with stand-ins for data, its grammar, its JSON Schema."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pdl.edit.features.diagnostics import open_folder
from pdl.errors import PdlError
from pdl.prompt.prompt import in_folder

if TYPE_CHECKING:
    from pdl.edit.document import Document
    from pdl.edit.workspace import Workspace
    from pdl.prompt import Prompt, Rendered
    from pdl.schema import Schema


class Message(NamedTuple):
    """A message, with its media in brackets."""

    role: str
    text: str


@dataclass(frozen=True)
class Preview:
    """A text to be shown, and its language; or else what is wrong."""

    title: str
    language: str = "plaintext"
    text: str = ""
    messages: tuple[Message, ...] = ()
    error: str = ""


def render(workspace: Workspace, document: Document) -> Preview:
    """Return the messages of a prompt as they are sent, and as a transcript."""
    try:
        rendered = rendered_with_stand_ins(workspace, document)
    except PdlError as error:
        return _failed(document, error)
    messages = tuple(Message(one.role, one.transcript) for one in rendered.messages)
    return Preview(f"{_name(document)} rendered", "plaintext", str(rendered), messages)


def grammar(workspace: Workspace, document: Document) -> Preview:
    """Return the grammar that the schema of a prompt compiles to."""
    from pdl import gbnf  # noqa: PLC0415 - the others need none

    try:
        schema = _schema(workspace, document)
        if schema is None:
            return _failed(document, "this prompt has no schema")
        text = gbnf.compile(schema).grammar
    except PdlError as error:
        return _failed(document, error)
    return Preview(f"{_name(document)} grammar", "gbnf", str(text))


def json_schema(workspace: Workspace, document: Document) -> Preview:
    """Return the JSON Schema of the answer."""
    try:
        schema = _schema(workspace, document)
    except PdlError as error:
        return _failed(document, error)
    if schema is None:
        return _failed(document, "this prompt has no schema")
    text = json.dumps(schema.to_json_schema(), indent=2, ensure_ascii=False)
    return Preview(f"{_name(document)} JSON Schema", "json", text)


def run(workspace: Workspace, document: Document) -> Preview:
    """Ask the model that a prompt names, and return its answer. This uses the network."""
    from pdl.models import ask  # noqa: PLC0415 - the others ask nobody

    try:
        answer = ask(rendered_with_stand_ins(workspace, document))
    except PdlError as error:
        return _failed(document, error)
    data = answer.check.data if answer.check is not None else answer.value
    if isinstance(data, str):
        return Preview(f"{_name(document)} answer", "plaintext", data)
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return Preview(f"{_name(document)} answer", "json", text)


def rendered_with_stand_ins(workspace: Workspace, document: Document) -> Rendered:
    """Render a prompt with defaults and stand-ins. Raises PdlError.

    Inputs that can be absent are, unless the prompt needs them. A file that a stand-in can't name
    is shown as it is written.
    """
    from pdl.edit.features.stand_ins import stand_ins  # noqa: PLC0415 - loads grammars

    prompt = load(workspace, document)
    least = stand_ins(prompt)
    try:
        return prompt.render(least, prefill=True)
    except PdlError as error:
        first = error
    most = stand_ins(prompt, optional=True)
    for values in (least, most):
        try:
            return prompt.render(values, prefill=True)
        except PdlError as error:
            if all(problem.code.startswith("media/") for problem in error.problems):
                return prompt.render(values, prefill=True, strict=False)
    raise first


def load(workspace: Workspace, document: Document) -> Prompt:
    """Parse a document with the files that it includes, as editors have them. Raises PdlError."""
    base = open_folder(workspace, document)
    return in_folder(document.raw, document.source.name, base)


def _schema(workspace: Workspace, document: Document) -> Schema[Any] | None:
    prompt = load(workspace, document)
    assert prompt.template is not None
    is_constant, schema = prompt.template.constant_schema
    return schema if is_constant else rendered_with_stand_ins(workspace, document).schema


def _name(document: Document) -> str:
    return document.path.name if document.path is not None else "prompt"


def _failed(document: Document, error: PdlError | str) -> Preview:
    return Preview(_name(document), error=str(error))
