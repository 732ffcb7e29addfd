"""What can be typed at a place of a file of cases."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.edit.document import Document, Range
from pdl.edit.features.cases_nesting import in_brackets, in_lines
from pdl.edit.features.cases_prompt import (
    answer_type,
    data_type,
    followed,
    head,
    of_items,
    prompt_of,
    root_of,
)
from pdl.edit.features.cases_sections import (
    as_template,
    content,
    groups,
    ranges_of,
    section_at,
)
from pdl.edit.features.completion_tags import complete_tag
from pdl.edit.features.completion_typed import complete_typed
from pdl.edit.features.markdown import described
from pdl.edit.features.offers import Request, offer
from pdl.edit.template import types
from pdl.edit.workspace import listed
from pdl.testing.forms import REASONS
from pdl.testing.sections import MARKS, SHARED, is_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.edit.features.cases_nesting import Spot
    from pdl.edit.features.offers import Completion
    from pdl.edit.template.types import Type
    from pdl.testing.sections import Section

_MARK = re.compile(r"(?P<lead>[^\S\n]*+)(?P<mark><\|?)[^\S\n]*+[A-Za-z]*+")
_REST = re.compile(r"[A-Za-z]*[^\S\n]*\|?>?")
_ONCE = frozenset({"data", "expect", "messages"})
_ON_LINE = {"case": "", "cases": "@", "judge": ""}
"""The marks that something follows on their line."""
_SUFFIXES = {"cases": (".jsonl", ".csv"), "expect": (".json",)}
_JSON = re.compile(r"\s*[{\[]\s*(?:[\[{]\s*)*\"")
_COLON = re.compile(r"[^\S\n]*\??:")
_NAME = re.compile(r"[^\W\d][\w-]*")
_PLAIN = re.compile(r"(?!(?:true|false|null|yes|no|on|off)\Z)[^\W\d][\w-]*", re.IGNORECASE)
_NO_NAMES = frozenset({"schema", "super", "caller"})
"""What templates have, and assertions have not."""


def complete_cases(request: Request) -> list[Completion]:
    """Return what can be typed at a place of a file of cases."""
    mark = _MARK.fullmatch(request.line.before)
    if mark is not None:
        return list(_marks(request, mark.end("lead")))
    section = section_at(request.document, request.offset)
    if section is None:
        return []
    line_end = request.document.text.find("\n", section.mark.end)
    is_argument = line_end < 0 or request.offset <= line_end
    if request.offset < section.mark.end:
        return []
    return list(_argument(request, section) if is_argument else _body(request, section))


def _marks(request: Request, lead: int) -> Iterator[Completion]:
    """The marks that are sensible here, in the order in which they probably come."""
    line, offset = request.line, request.offset
    rest = _REST.match(line.after)
    is_marker = rest is not None and rest[0].endswith((">", "|"))
    end = offset + (len(rest[0]) if rest is not None and is_marker else 0)
    own = next(
        (one for one in reversed(groups(request.document)) if one.sections[0].mark.start < offset),
        None,
    )
    of_case = own.sections if own is not None else ()
    present = {one.name for one in of_case if not one.mark.start <= offset <= one.mark.end}
    begun = own is not None and bool(own.name)
    for order, (name, said) in enumerate(MARKS.items()):
        begins = name in _ON_LINE and name != "judge"
        if (name in _ONCE and name in present) or (not begun and not begins and name not in SHARED):
            continue
        more = f" {_ON_LINE[name]}$0" if name in _ON_LINE else "\n$0"
        is_snippet = request.snippets and not line.after[end - offset :].strip()
        yield offer(
            f"<|{name}|>",
            "turn",
            Range(line.start + lead, end),
            insert=f"<|{name}|>{more if is_snippet else ''}",
            is_snippet=is_snippet,
            detail="section",
            documentation=said[:1].upper() + said[1:] + ".",
            order=order + (20 if begins and begun else 0),
        )


def _argument(request: Request, section: Section) -> Iterator[Completion]:
    """What can follow a mark on its line."""
    written = request.document.text[section.mark.end : request.offset].lstrip()
    if written.startswith("@") and section.name != "case":
        yield from _files(request, written[1:], _SUFFIXES.get(section.name, ()))
    elif section.name == "judge" and not re.search(r"\s", written):
        yield from _files(request, written, (".pdl",))
    elif section.name == "reply" and "refused".startswith(written):
        where = Range(request.offset - len(written), request.offset)
        yield offer("refused", "keyword", where, documentation="The check must refuse this reply.")
    elif section.name == "reply" and (found := re.fullmatch(r"refused\s+([\w-]*)", written)):
        where = Range(request.offset - len(found[1]), request.offset)
        for order, one in enumerate(("any", *REASONS)):
            yield offer(one, "keyword", where, detail="reason", order=order)
    elif section.name in ("expect", "assert", "data"):
        yield from _body(request, section)


def _files(request: Request, typed: str, suffixes: tuple[str, ...]) -> Iterator[Completion]:
    """The files below the root, as seen from the file of cases."""
    root, path = root_of(request.workspace, request.document), request.document.path
    if root is None or path is None:
        return
    here = request.workspace.canonical(path)
    where = Range(request.offset - len(typed), request.offset)
    for name in listed(root, suffixes):
        found = root / name
        if found != here and not (suffixes == (".pdl",) and is_cases(name)):
            shown = os.path.relpath(found, here.parent).replace(os.sep, "/")
            yield offer(shown, "file", where, order=10 * shown.startswith("../"))


def _body(request: Request, section: Section) -> Iterator[Completion]:
    prompt = prompt_of(request.workspace, request.document)
    if section.name == "assert":
        yield from _assertion(request, section, prompt)
    elif section.name == "data" and prompt is not None:
        spot = _spot(request, section)
        if spot is not None:
            style = "json" if _is_json(request, section) else "yaml"
            yield from _offers(request, spot, data_type(prompt), style)
    elif section.name == "expect":
        yield from _expectation(request, section, prompt)


def _spot(request: Request, section: Section) -> Spot | None:
    """The place in the data or the expectation of a section, by the offsets of the document."""
    start = max(content(section).start, section.mark.end)
    start = min(start, request.offset)
    following = (one.mark.start for one in _all(request.document) if one.mark.start > start)
    text = request.document.text[start : next(following, len(request.document.text))]
    reads = in_brackets
    if section.name == "data" and not _is_json(request, section):
        reads = in_lines
    spot = reads(text, request.offset - start)
    return spot and spot._replace(start=spot.start + start, end=spot.end + start)


def _is_json(request: Request, section: Section) -> bool:
    """Whether data are in JSON, or about to be."""
    return request.document.text[content(section).start :].startswith(("{", "["))


def _all(document: Document) -> tuple[Section, ...]:
    return document.sections.all if document.sections is not None else ()


def _expectation(
    request: Request, section: Section, prompt: Document | None
) -> Iterator[Completion]:
    """Keys and values of the answer and, for a schema, types."""
    spot = _spot(request, section)
    if spot is not None and prompt is not None:
        is_json = _JSON.match(request.document.text, content(section).start) is not None
        of = answer_type(request.workspace, prompt)
        yield from _offers(request, spot, of, "json" if is_json else "dsl")
    typed = request.document.typed_at(request.offset)
    is_own = typed is not None and typed.turn.marker.start == section.mark.start
    if typed is not None and is_own and (spot is None or not spot.is_key):
        yield from complete_typed(request, typed)


def _offers(request: Request, spot: Spot, of: Type, style: str) -> Iterator[Completion]:
    """The keys or the values that a type has at a place, in JSON, YAML, or the DSL."""
    found = followed(of, spot.path)
    if found is None:
        return
    found = of_items(found)
    where = Range(spot.start, max(spot.end, request.offset))
    if not spot.is_key:
        for order, one in enumerate(_literals(found)):
            is_plain = style == "yaml" and isinstance(one, str) and _PLAIN.fullmatch(one)
            text = one if is_plain and not spot.is_quoted else json.dumps(one, ensure_ascii=False)
            yield offer(text, "value", where, order=order)
        return
    absent = types.optional(found)
    has_colon = _COLON.match(request.document.text, where.end) is not None
    is_quoted = spot.is_quoted or style == "json"
    for order, (name, one) in enumerate(types.fields(found).items()):
        if name not in spot.siblings:
            is_name = not is_quoted and _NAME.fullmatch(name)
            key = name if is_name else json.dumps(name, ensure_ascii=False)
            yield offer(
                name,
                "field",
                where,
                insert=key if has_colon else f"{key}: ",
                detail=f"{name}{'?' if name in absent else ''}: {types.name_of(one)}",
                documentation=described(one),
                order=order,
            )


def _literals(of: Type) -> list[Json]:
    """The values that a type lists, if it does."""
    if types.is_kind(of, "boolean"):
        return [True, False]
    return types.literals(of)


def _assertion(request: Request, section: Section, prompt: Document | None) -> Iterator[Completion]:
    """What can be typed in a template that has the names of assertions as its inputs."""
    text, offset = request.document.text, request.offset
    start = text.rfind("\n", 0, offset) + 1
    if text[start:offset].lstrip().startswith("#"):
        return
    found = [one for one in ranges_of(request.document, section) if one.start <= offset]
    is_near = bool(found) and not text[found[-1].end : offset].strip(" \t")
    place = found[-1] if is_near else Range(offset, offset)
    place = Range(place.start, max(place.end, offset))
    template = as_template(request.document, [place], head(request.workspace, prompt))
    inner = Request(request.workspace, template.document, template.to(offset))
    tag = template.document.tag_at(inner.offset)
    for one in complete_tag(inner, tag) if tag is not None else ():
        own = template.of(one.range)
        if own is not None and not (
            one.label in _NO_NAMES and one.kind in ("variable", "function")
        ):
            yield replace(one, range=own)
