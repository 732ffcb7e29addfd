"""The parts of a look, each a function of what is looked at that returns JSON."""

from __future__ import annotations

import base64
import dataclasses
from typing import TYPE_CHECKING, Any

from pdl._types import format_path
from pdl.errors import PdlError, SchemaError
from pdl.play.looking.offsets import Offsets
from pdl.prompt.lint import lint_text
from pdl.prompt.messages import Media, Text

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.errors import Problem
    from pdl.play.looking.subject import Subject
    from pdl.prompt.messages import Part

_TARGETS: Any = ("dataclass", "pydantic", "typeddict", "typescript")


def problems(subject: Subject) -> Json:
    """Return what `pdl lint` says."""
    base = subject.folder.root if subject.folder is not None else None
    found = lint_text(subject.text, subject.name, base=base)
    return [{**problem(one.problem), "severity": one.severity} for one in found]


def problem(one: Problem) -> dict[str, Json]:
    """Return a problem with its place."""
    place = one.location
    told: dict[str, Json] = {
        "code": one.code,
        "severity": "error",
        "message": one.message,
        "hint": one.hint,
        **dict.fromkeys(("file", "line", "column", "end_line", "end_column")),
    }
    if place is not None:
        end = place.source.position(place.end)
        told |= {"file": place.source.name, "line": place.line, "column": place.column}
        told |= {"end_line": end[0], "end_column": end[1]}
    return told


def inputs(subject: Subject) -> Json:
    """Return what the prompt takes, and the data with defaults."""
    declared = subject.prompt.inputs
    found: list[Json] = []
    given: Json = None
    data: Json = None
    try:
        given = subject.values
        data = given if declared is None else declared.filled(subject.values)
    except PdlError as error:
        found = [{"path": "", "message": one.message} for one in error.problems]
    document = declared.schema.to_json_schema() if declared is not None else None
    required = document.get("required", ()) if document is not None else ()
    fields: dict[str, Any] = document.get("properties", {}) if document is not None else {}
    return {
        "declared": declared is not None,
        "names": list(declared.names if declared is not None else subject.prompt.variables),
        "schema": document,
        "fields": [
            {
                "name": name,
                "type": "",
                "schema": one,
                "required": name in required,
                **({"default": one["default"]} if "default" in one else {}),
                "description": one.get("description", ""),
            }
            for name, one in fields.items()
        ],
        "given": given,
        "data": data,
        "problems": found,
    }


def turns(subject: Subject) -> Json:
    """Return the messages as they are sent."""
    rendered = subject.rendered
    transcript = str(rendered)
    return {
        "messages": [
            {"role": one.role, "line": None, "parts": [_part(part) for part in one.parts]}
            for one in rendered.messages
        ],
        "reasoning": list(rendered.reasoning),
        "warnings": [problem(one) for one in rendered.warnings],
        "config": dict(rendered.config),
        "transcript": transcript,
        "characters": sum(len(one.text) for one in rendered.messages),
    }


def _part(part: Part) -> Json:
    if isinstance(part, Media):
        kind = part.mime_type.partition("/")[0]
        told = {"kind": kind if kind in {"image", "audio"} else "document"}
        size = {"media_type": part.mime_type, "bytes": len(part.data)}
        where = {"url": part.url} if part.url else {"data": base64.b64encode(part.data).decode()}
        return {**told, **size, **where}
    assert isinstance(part, Text)
    return {"kind": "text", "text": part.text}


def requests(subject: Subject) -> Json:
    """Return the body for each family, what it leaves out, and where it is posted.

    In the headers, a key is the name of its environment variable, as in a shell: `$OPENAI_API_KEY`.
    """
    from pdl.models.payloads import FAMILIES  # noqa: PLC0415 - slow to load
    from pdl.models.request import Request  # noqa: PLC0415

    request = Request.of(subject.rendered)
    found: dict[str, Json] = {}
    for family in FAMILIES:
        try:
            api, payload = request.payload(family)
        except PdlError as error:
            found[family] = {"body": None, "left_out": [one.message for one in error.problems]}
            continue
        left: list[Any] = [*map(dataclasses.asdict, payload.dropped)]
        left += map(dataclasses.asdict, payload.ignored)
        path = api.path(request.model_for(api) or "MODEL", request.stream)
        found[family] = {
            "body": payload.body,
            "left_out": left,
            "url": api.base_url + path,
            "headers": {**api.headers(f"${api.key_variable}" if api.needs_key else "")},
        }
    return found


def schema(subject: Subject) -> Json:
    """Return the schema in words, in the notation, as JSON Schema and as types."""
    from pdl.schema.code import PromptTypes, write_types  # noqa: PLC0415 - slow to load

    found = subject.schema
    if found is None:
        return None
    try:
        notation = found.to_dsl()
    except SchemaError:
        notation = str(found)
    prompt = PromptTypes(subject.name, None, found)
    return {
        "form": found.form,
        "words": found.describe(),
        "notation": notation,
        "json_schema": found.to_json_schema(),
        "types": {target: write_types([prompt], target).text for target in _TARGETS},
        "example": None,
    }


def grammar(subject: Subject) -> Json:
    """Return the grammar of the answer, what it enforces, and its diagram."""
    from pdl import gbnf  # noqa: PLC0415 - slow to load

    if subject.schema is None:
        return None
    compiled = gbnf.compile(subject.schema, gbnf.Options.generate())
    report = compiled.report
    return {
        "text": str(compiled.grammar),
        "exact": report.is_exact,
        "report": [
            {"path": one.pointer, "keyword": one.keyword, "verdict": one.level, "why": one.why}
            for one in report
        ],
        "rules": [one.name for one in compiled.grammar.rules],
        "diagram": {"rule": compiled.grammar.root, "svg": compiled.grammar.diagram("svg")},
    }


def check(subject: Subject) -> Json:
    """Return the check of the reply, with places in it."""
    found = subject.check
    if found is None or subject.reply is None:
        return None
    at = Offsets(subject.reply)
    return {
        "ok": found.ok,
        "reason": found.reason,
        "summary": found.summary,
        "value": found.data,
        "span": at.span(found.span),
        "repairs": [
            {
                "kind": one.kind,
                "words": f"`{one.before}` is read as `{one.after}`",
                "span": at.span(one.span),
                "before": one.before,
                "after": one.after,
                "path": format_path(one.path),
            }
            for one in found.repairs
        ],
        "errors": [
            {
                "path": format_path(one.path),
                "message": one.message,
                "keyword": one.keyword,
                "span": at.span(one.span),
            }
            for one in found.errors
        ],
        "rejected": [{"span": at.span(one.span), "why": one.why} for one in found.rejected],
        "feedback": found.feedback,
    }


def tools(subject: Subject) -> Json:
    """Return the tools, and the calls in the reply."""
    known = subject.tools
    if known is None:
        return None
    calls: list[Json] = []
    if subject.reply is not None:
        found = known.check(subject.reply)
        calls = [
            {
                "name": one.name,
                "arguments": dict(one.arguments),
                "ok": True,
                "errors": [],
                "span": None,
            }
            for one in found.calls
        ]
    return {
        "tools": [
            {
                "name": one.name,
                "notation": str(one.schema),
                "description": one.description,
                "json_schema": one.schema.to_json_schema(),
            }
            for one in known.tools
        ],
        "formats": {"openai": known.to_openai(), "mcp": known.to_mcp()},
        "calls": calls,
    }
