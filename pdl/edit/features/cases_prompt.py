"""The prompt that a file of cases is of, and the types that its sections have by that."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pdl.edit.template import types
from pdl.edit.template.inference import inputs_of, inputs_type, undeclared
from pdl.edit.template.shapes import document_of
from pdl.edit.template.types import ANY, FLOAT, INT, STR, Type
from pdl.errors import PdlError
from pdl.models.exchange import Usage
from pdl.schema import Schema
from pdl.testing.sections import SUFFIX, is_cases

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pdl._types import Json, JsonSchema
    from pdl.edit.document import Document, Typed
    from pdl.edit.workspace import Workspace

_STR: Json = {"type": "string"}
_COUNT: JsonSchema = {"type": "integer", "minimum": 0}


def _objects(**fields: Json) -> Type:
    item: Json = {"type": "object", "properties": fields, "required": list(fields)}
    return Type({"type": "array", "items": item})


_WORDS = {
    "value": "The answer: JSON, with what the check coerced.",
    "text": "The reply as the model wrote it.",
    "data": "The values for the prompt.",
    "messages": "The messages that were sent.",
    "repairs": "What the check repaired.",
    "attempts": "How many replies it took.",
    "usage": "The tokens that were used.",
    "seconds": "How long it took.",
    "calls": "The tools that the reply calls.",
    "reason": "Why a reply was refused, or an empty text.",
    "errors": "What is wrong with a reply that was refused.",
    "feedback": "What a model is told that is asked again.",
}
_NAMES = {
    "messages": _objects(role=_STR, text=_STR),
    "repairs": _objects(kind=_STR, before=_STR, after=_STR),
    "attempts": INT,
    "usage": types.record({name: Type(_COUNT) for name in Usage.__slots__}),
    "seconds": FLOAT,
    "calls": _objects(name=_STR, arguments={"type": "object"}),
    "reason": STR,
    "errors": _objects(path=_STR, message=_STR),
    "feedback": STR,
}
"""What the names of an assertion are, besides those that depend on the prompt."""


def prompt_of(workspace: Workspace, document: Document) -> Document | None:
    """Return the prompt of a file of cases."""
    path = document.path
    if path is None or not is_cases(path):
        return None
    return workspace.document(path.with_name(path.name.removesuffix(SUFFIX) + ".pdl"))


def cases_of(workspace: Workspace, document: Document) -> Document | None:
    """Return the file of cases that is beside a prompt."""
    path = document.path
    if path is None or is_cases(path) or path.suffix != ".pdl":
        return None
    return workspace.document(path.with_name(path.stem + SUFFIX))


def root_of(workspace: Workspace, document: Document) -> Path | None:
    """Return the folder below which a file of cases can name files."""
    if document.path is None:
        return None
    folder = workspace.canonical(document.path).parent
    return workspace.folders(folder)[-1]


def typed_of(prompt: Document, role: str) -> Typed | None:
    """Return the `input` or the `schema` turn of a prompt, if it has just one."""
    found = [one for one in prompt.typed if one.turn.role == role]
    return found[0] if len(found) == 1 else None


def data_type(prompt: Document) -> Type:
    """Return the type of a prompt's inputs, as one object."""
    if inputs_of(prompt):
        return inputs_type(prompt)
    guessed = undeclared(prompt)
    return types.record(guessed) if guessed else ANY


def answer_type(workspace: Workspace, prompt: Document) -> Type:
    """Return the type of a prompt's answer."""
    typed = typed_of(prompt, "schema")
    if typed is None:
        return ANY
    schema = document_of(typed)
    if typed.language == "file":
        path = workspace.find(prompt, typed.text.strip()[1:])
        found = workspace.document(path) if path is not None else None
        try:
            schema = Schema.parse(f"```json\n{found.text}\n```").document if found else {}
        except PdlError:
            schema = {}
    return Type(schema, schema)


def names_type(workspace: Workspace, prompt: Document | None) -> Type:
    """Return the type of an object with the names that an assertion can read."""
    value = ANY if prompt is None else answer_type(workspace, prompt)
    data = ANY if prompt is None else data_type(prompt)
    known = {"value": value, "text": STR, "data": data, **_NAMES}
    return types.record(
        {
            name: Type({**known[name].schema, "description": said}, known[name].document)
            for name, said in _WORDS.items()
        }
    )


def head(workspace: Workspace, prompt: Document | None) -> str:
    """Return the turns before a template that has the names of assertions as its inputs."""
    names = json.dumps(types.standalone(names_type(workspace, prompt)))
    return f"<|input|>\n```json\n{names}\n```\n\n<|user|>\n"


def followed(of: Type, path: Sequence[str]) -> Type | None:
    """Return the type of what keys lead to, through arrays as well; None if there is none."""
    found: Type | None = of
    for key in path:
        if found is None:
            return None
        found = types.field(of_items(found), key)
    return found


def of_items(of: Type) -> Type:
    """Return a type without null and, of arrays, that of their items."""
    found = types.not_null(of)
    while types.is_kind(found, "array"):
        found = types.not_null(types.item(found))
    return found
