"""Fixes of what `input`, `schema` and `tools` turns mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.edit.document import Edit
from pdl.edit.features.declarations import entry, root_frame
from pdl.edit.features.fixes import Fix, as_hinted, quote, suggested, type_of
from pdl.edit.workspace import listed
from pdl.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl.edit.features.fixes import Case, Fixer
    from pdl.edit.notation import Notation

_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_LIKE_ARRAY = {
    **dict.fromkeys(("list", "array", "vec", "sequence", "iterable", "tuple"), "[any]"),
    **dict.fromkeys(("set", "frozenset"), "[any] { unique: true }"),
    **dict.fromkeys(("dict", "map", "mapping", "record", "hashmap", "object"), "{ [str]: any }"),
}
_OTHERS = {
    "json": "any",
    "struct": "{ [str]: any }",
    "char": "str<1>",
    "undefined": "null",
    "yes": '"yes"',
    "no": '"no"',
    "markdown": "str",
}


def _unused(case: Case) -> Iterator[Fix]:
    typed, at = case.typed, case.token
    if typed is None or at < 0 or typed.notation.tokens[at].role != "key":
        return
    name = case.names[0] if case.names else ""
    notation = typed.notation
    frame = root_frame(typed)
    keys = [one for one in notation.tokens if one.role == "key" and one.frame == frame]
    rest = any(one.kind == "rest" and one.parent == frame for one in notation.frames)
    if len(keys) == 1 and not rest:
        turn = typed.turn
        yield case.remove(turn.marker.start, turn.body.end, f"remove the input `{name}`")
        return
    found = entry(case.document, notation, at)
    if found is not None:
        yield case.remove(*found, f"remove the input `{name}`")


def _remove_entry(case: Case) -> Iterator[Fix]:
    at, notation = case.token, case.notation
    if notation is None or at < 0:
        return
    found = entry(case.document, notation, at)
    frame = notation.frames[notation.tokens[at].frame]
    is_only = (
        frame.kind == "constraints"
        and frame.closer >= 0
        and not any(
            one.role == "constraint" and index != at
            for index, one in enumerate(notation.tokens[: frame.closer])
            if index > frame.opener
        )
    )
    if is_only:
        start = notation.tokens[frame.opener].start
        start -= len(case.text[:start]) - len(case.text[:start].rstrip(" "))
        yield case.remove(start, notation.tokens[frame.closer].end)
    elif found is not None:
        yield case.remove(*found)


def _remove_second(case: Case) -> Iterator[Fix]:
    """Remove what is there twice; of two that differ, only its author knows which is meant."""
    notation, at = case.notation, case.token
    if notation is None or at < 0:
        return
    tokens, token = notation.tokens, notation.tokens[at]
    first = next(
        (
            index
            for index in range(at - 1, -1, -1)
            if tokens[index].text == token.text
            and tokens[index].role == token.role
            and tokens[index].frame == token.frame
        ),
        None,
    )
    is_same = first is not None and _words(notation, first) == _words(notation, at)
    for fix in _remove_entry(case):
        yield fix._replace(is_preferred=is_same)


def _words(notation: Notation, at: int) -> list[str]:
    """The tokens of an entry, without comments and the comma behind it."""
    frame = notation.tokens[at].frame
    closer = notation.frames[frame].closer
    found = []
    for one in notation.tokens[at : closer if closer >= 0 else None]:
        if one.text == "," and one.frame == frame:
            break
        if one.role != "comment":
            found.append(one.text)
    return found


def _unknown_constraint(case: Case) -> Iterator[Fix]:
    yield from suggested(case)
    for fix in _remove_entry(case):
        yield fix._replace(is_preferred="remove it" in case.hint)


def _unknown_type(case: Case) -> Iterator[Fix]:
    if case.hint == "write a fixed string in quotes":
        yield case.replace(quote(case.written))
        return
    yield from as_hinted(case)
    word = case.written.lower()
    put = {**_LIKE_ARRAY, **_OTHERS}.get(word)
    if put and not case.hint.startswith("did you mean"):
        yield case.replace(put, preferred=False)


def _undefined_name(case: Case) -> Iterator[Fix]:
    yield from suggested(case)
    if case.typed is not None and case.names:
        body = case.typed.turn.body
        at = body.start + len(case.text[body.start : body.end].rstrip())
        title = f"define `{case.names[0]}`"
        edit = Edit(at, at, f"\n\n{case.names[0]} = any")
        yield Fix(title, (edit,), is_preferred=False)


def _unused_name(case: Case) -> Iterator[Fix]:
    notation, at = case.notation, case.token
    if notation is None or at < 0 or case.typed is None:
        return
    end = case.typed.turn.body.end
    uses = [one.start for one in notation.tokens if one.role == "type" and one.text == case.written]
    for one in notation.tokens[at + 1 :]:
        if one.frame == 0 and one.role in ("definition", "tool"):
            end = one.start
            break
    content = len(case.text[: case.start].rstrip())
    if any(not case.start < use < end for use in uses):
        return  # by another name that nothing uses
    yield case.remove(content, content + len(case.text[content:end].rstrip()))


def _bad_name(case: Case) -> Iterator[Fix]:
    if case.notation is None:
        return
    for fix in as_hinted(case):
        same = [one for one in case.notation.tokens if one.text == case.written]
        put = fix.edits[0].text
        yield Fix(fix.title, tuple(Edit(one.start, one.end, put) for one in same))


def _root_only(case: Case) -> Iterator[Fix]:
    if case.written.endswith("?"):
        yield case.remove(case.end - 1, case.end)
    yield from as_hinted(case)


def _other_kind(case: Case) -> Iterator[Fix]:
    """A number in quotes, or one that should be in quotes."""
    text = case.written
    wanted = _wanted(case)
    inner = text[1:-1] if text[:1] in ("'", '"') and text[-1:] == text[:1] else ""
    if inner and type_of(inner) in (wanted, "int" if wanted == "float" else ""):
        yield case.replace(inner)
    elif wanted == "str" and type_of(text) in ("int", "float", "bool"):
        yield case.replace(quote(text))


def _wanted(case: Case) -> str:
    """The type that a value has to have: of its field, or of its constraint."""
    if case.diagnostic.code != "schema/bad-default":
        found = re.search(r"expected (?:an? )?(\S+)", case.message)
        words = {"string": "str", "integer": "int", "number": "float", "`true`": "bool"}
        return words.get(found[1].strip(","), "") if found is not None else ""
    notation, at = case.notation, case.token
    if notation is None or at < 0:
        return ""
    owner = notation.tokens[at].owner
    types = (one.text for one in notation.tokens if one.role == "type" and one.owner == owner)
    return next(types, "")


def _empty_range(case: Case) -> Iterator[Fix]:
    found = re.search(r"at least (\S+) and at most (\S+)", case.message)
    numbers = re.fullmatch(r"<\s*([^,\s]+)\s*,\s*([^,\s]+)\s*>", case.written)
    if found is None:
        return
    if numbers is not None:
        put = f"<{numbers[2]},{numbers[1]}>"
        yield Fix(f"change to `{put}`", (Edit(case.start, case.end, put),))
        return
    notation, at = case.notation, case.token
    if notation is None or at < 0 or notation.tokens[at].role != "constraint":
        return
    values = [
        one
        for one in notation.tokens
        if one.role == "value"
        and notation.tokens[one.owner].frame == notation.tokens[at].frame
        and notation.tokens[one.owner].text in ("min", "max")
    ]
    if len(values) == 2:  # noqa: PLR2004 - the two bounds
        low, high = values
        edits = (Edit(low.start, low.end, high.text), Edit(high.start, high.end, low.text))
        yield Fix("swap the bounds", edits)


def _exact_bound(case: Case) -> Iterator[Fix]:
    number = case.written.strip("<> ")
    for bounds in (f"<,{number}>", f"<{number},>", f"<{number},{number}>"):
        yield case.replace(bounds, preferred=False)


def _remove_range(case: Case) -> Iterator[Fix]:
    yield case.remove(case.start, case.end)


def _bad_value(case: Case) -> Iterator[Fix]:
    if case.hint in ("write a string in quotes", "write a fixed string in quotes"):
        yield case.replace(quote(case.written))
    yield from as_hinted(case)


def _quoted(case: Case) -> Iterator[Fix]:
    yield case.replace(quote(case.written))


def _bad_escape(case: Case) -> Iterator[Fix]:
    if "four hexadecimal" not in case.hint:
        yield case.add(case.start, "\\")


def _map_key(case: Case) -> Iterator[Fix]:
    yield case.replace("str")


def _duplicate_value(case: Case) -> Iterator[Fix]:
    before = case.text[: case.start].rstrip()
    after = re.compile(r"\s*\|\s*").match(case.text, case.end)
    if before.endswith("|"):
        yield case.remove(len(before[:-1].rstrip()), case.end)
    elif after is not None:
        yield case.remove(case.start, after.end())


def _bad_keyword(case: Case) -> Iterator[Fix]:
    word = case.written.strip('"')
    near = nearest(word, _TYPES)
    if case.names[:1] == ["type"] and near and case.written[:1] == '"':
        yield case.replace(f'"{near}"')


def _bad_file(case: Case) -> Iterator[Fix]:
    path, written = case.document.path, case.written.removeprefix("@")
    if path is not None and ":" not in written:
        near = nearest(written, listed(path.parent, (".json",)))
        if near and near != written:
            yield case.replace(f"@{near}")


MEANING_FIXES: Mapping[str, Fixer] = {
    "input/unused": _unused,
    "schema/unknown-type": _unknown_type,
    "schema/undefined-name": _undefined_name,
    "schema/unused-name": _unused_name,
    "schema/bad-name": _bad_name,
    "schema/quoted-type": as_hinted,
    "schema/root-only": _root_only,
    "schema/bad-constraint": _other_kind,
    "schema/bad-default": _other_kind,
    "schema/unknown-constraint": _unknown_constraint,
    "schema/duplicate-constraint": _remove_second,
    "schema/duplicate-key": _remove_second,
    "schema/duplicate-value": _duplicate_value,
    "schema/empty-range": _empty_range,
    "schema/exact-bound": _exact_bound,
    "schema/no-bounds": _remove_range,
    "schema/bad-value": _bad_value,
    "schema/bad-number": _bad_value,
    "schema/bad-escape": _bad_escape,
    "schema/bad-key": _quoted,
    "schema/bad-map-key": _map_key,
    "schema/bad-file": _bad_file,
    "schema/bad-keyword": _bad_keyword,
}
