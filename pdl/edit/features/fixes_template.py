"""Fixes of what is wrong in a template, in its turns, its files and its settings."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING

from pdl.edit.document import Edit
from pdl.edit.features.declarations import declared
from pdl.edit.features.fixes import Fix, as_hinted, quote, suggested
from pdl.edit.template.bindings import outline
from pdl.edit.template.names import names_of
from pdl.edit.workspace import listed
from pdl.errors import nearest
from pdl.prompt.config import PROVIDERS, SETTINGS
from pdl.prompt.messages import MIME_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl.edit.document import Turn
    from pdl.edit.features.fixes import Case, Fixer
    from pdl.edit.template.bindings import Tag

_CLOSERS = {"{#": "#}", "{{": "}}", "{%": "%}"}
_DATA = (".json", ".yaml", ".yml")
_NUMBER = re.compile(r"[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?")
_PLAIN = frozenset(
    ("include", "import", "from", "set", "set_global", "else", "elif", "break", "continue")
)
_TRUTH = {"yes": "true", "on": "true", "no": "false", "off": "false"}


def _syntax(case: Case) -> Iterator[Fix]:
    signs = {"&": "&&", "!": "!"}
    if case.hint in ("write `and`", "write `not`"):
        sign = signs[case.text[case.start]]
        end = case.start + (len(sign) if case.text.startswith(sign, case.start) else 1)
        before = "" if case.text[case.start - 1 : case.start].isspace() else " "
        after = "" if case.text[end : end + 1].isspace() else " "
        word = case.hint.split("`")[1]
        title = f"change to `{word}`"
        yield Fix(title, (Edit(case.start, end, f"{before}{word}{after}"),))
    elif case.hint == "remove the `$`":
        yield case.remove(case.start, case.start + 1)
    elif case.hint == "write strings in straight quotes":
        yield from straight_quotes(case)
    elif case.message.endswith("found `=`"):
        yield Fix("change to `==`", (Edit(case.start, case.start + 1, "=="),))
    elif case.hint == "write `elif`":
        yield case.replace("elif")
    elif case.message in ("expected `}}`, found `}`", "expected `%}`, found `}`"):
        yield case.replace(case.names[0])


def straight_quotes(case: Case) -> Iterator[Fix]:
    """Replace the quotes of a text processor, and backticks, up to the one that closes them."""
    found = re.compile(r"[“”‘’`]([^“”‘’`\n\"]*)[“”‘’`]").match(case.text, case.start)
    if found is not None:
        yield Fix(f"change to `{quote(found[1])}`", (Edit(*found.span(), quote(found[1])),))


def _unclosed(case: Case) -> Iterator[Fix]:
    opening = case.text[case.start : case.start + 2]
    if opening in _CLOSERS:
        piece = case.document.piece_at(case.start + 1)
        end = case.line_end if opening == "{#" or piece is None else piece.end
        end = case.start + len(case.text[case.start : end].rstrip())
        yield case.add(end, f" {_CLOSERS[opening]}")
    elif case.message == "unclosed quoted string":
        line = case.text[case.start : case.line_end]
        inside = re.split(r"\s*(?:[-+]?%\}|[-+]?\}\})", line)[0].rstrip()
        yield case.add(case.start + len(inside), line[0])
    elif case.names and f"end{case.names[0]}" in case.names:
        yield _closed(case, f"{{% end{case.names[0]} %}}")


def _closed(case: Case, tag: str) -> Fix:
    """Put an end tag where the turn of its opening tag ends, or else where the text ends."""
    turn = case.document.turn_at(case.start)
    limit = len(case.text)
    if turn is not None:
        tags = outline(case.document).tags
        opened = [one for one in tags if case.end < one.piece.start < turn.body.end]
        if all(_is_within(one, case.start, turn.body.end) for one in opened):
            limit = turn.body.end
    content = case.text[:limit].rstrip()
    piece = case.document.piece_at(case.start)
    tag_end = piece.end if piece is not None else case.end
    line = case.text[tag_end : case.line_end]
    if limit > case.line_end and line.strip():  # all of the block is on the line
        return case.add(tag_end + len(line.rstrip()), tag)
    return case.add(max(len(content), tag_end), f"\n{tag}")


def _is_within(tag: Tag, start: int, end: int) -> bool:
    """Whether a tag is of a block between two offsets, or of none."""
    block = tag.block
    is_paired = block is not None and block.is_closed
    if block is not None and is_paired and block.range.start > start and block.range.end <= end:
        return True
    return tag.keyword in _PLAIN


def _misplaced(case: Case) -> Iterator[Fix]:
    piece = case.document.piece_at(case.start)
    if piece is None:
        return
    ends = [word for word in re.findall(r"`(\w+)`", case.hint) if word.startswith("end")]
    if ends:
        yield case.add(piece.start, f"{{% {ends[0]} %}}")
        return
    line_end = min(case.line_end + 1, len(case.text))
    is_alone = case.text[case.line_start : line_end].strip() == case.text[piece.start : piece.end]
    start, end = (case.line_start, line_end) if is_alone else (piece.start, piece.end)
    yield case.remove(start, end)


def _undefined(case: Case) -> Iterator[Fix]:
    names = names_of(case.document)
    name = names.at(case.start)
    word = case.names[0] if case.names else ""
    if word == "schema":
        text = "\n" * (not case.text.endswith("\n")) + "\n<|schema|>\n{ answer: str }\n"
        title = "add a `<|schema|>` turn"
        yield Fix(title, (Edit(len(case.text), len(case.text), text),), is_preferred=False)
        return
    if name is None or name.text != word:
        yield from suggested(case)
        return
    for fix in suggested(case):
        uses = [one for one in names.same(name.symbol) if one.text == word]
        put = fix.edits[0].text
        yield Fix(fix.title, tuple(Edit(one.start, one.end, put) for one in uses))
    edits = declared(case.document, [word])
    if edits:
        title = f"declare `{word}` in the `<|input|>` turn"
        yield Fix(title, edits, is_preferred="did you mean" not in case.hint)


def _nearest_file(case: Case, written: str, suffixes: tuple[str, ...]) -> str:
    path, base = case.document.path, case.workspace.base(case.document)
    if path is None or base is None:
        return ""
    known = [one for one in listed(base, suffixes) if base / one != path]
    word = written.rpartition("/")[2]
    by_name = {one.rpartition("/")[2]: one for one in reversed(known)}
    return nearest(written, known) or by_name.get(nearest(word, by_name), "")


def _include(case: Case) -> Iterator[Fix]:
    found = _nearest_file(case, case.written, ())
    if found and found != case.written:
        yield case.replace(found)


def _no_role(case: Case) -> Iterator[Fix]:
    if case.hint.startswith("write `<|"):
        yield from as_hinted(case)
        return
    roles = [turn.role for turn in case.document.turns if turn.is_message]
    role = "system" if roles[:1] == ["user"] else "user"
    if "system" not in roles and roles[:1] != [role]:  # that has to be the first
        title = f"begin with `<|{role}|>`"
        yield Fix(title, (Edit(case.line_start, case.line_start, f"<|{role}|>\n"),))


def _unknown_role(case: Case) -> Iterator[Fix]:
    turn = case.document.turn_at(case.start)
    for fix in suggested(case):
        if turn is not None and turn.marker.start == case.start:
            yield Fix(fix.title, (Edit(*turn.name, fix.edits[0].text),))
    if "such as" in case.hint:  # among types, which contain no such text
        return
    if turn is None or turn is not case.document.turns[0]:
        yield _as_text(case, preferred="&lt;" in case.hint)


def _as_text(case: Case, *, preferred: bool) -> Fix:
    edit = Edit(case.start, case.start + 2, "&lt;|")
    return Fix("write it as text: `&lt;|`", (edit,), preferred)


def _turn_before(case: Case) -> tuple[Turn, Turn] | None:
    """The turn that begins with the range, and the one before it."""
    turns = case.document.turns
    for before, turn in pairwise(turns):
        if turn.marker.start == case.start:
            return before, turn
    return None


def _merge(case: Case) -> Iterator[Fix]:
    found = _turn_before(case)
    if found is not None and found[0].role == found[1].role:
        between = case.document.pieces_in(found[0].body)
        if all(one.kind in ("text", "raw", "expression", "comment") for one in between):
            start = found[1].marker.start
            yield case.remove(start, found[1].body.start, "merge the turns", preferred=False)


def _system_first(case: Case) -> Iterator[Fix]:
    first = next((turn for turn in case.document.turns if turn.is_message), None)
    found = _turn_before(case)
    if found is None or first is None or first.role == "system":
        return
    start, end = found[1].marker.start, found[1].body.end
    moved = case.text[start:end]
    if "{%" not in case.text[first.marker.start : end]:
        put = moved if moved.endswith("\n") else f"{moved}\n"
        at = first.marker.start
        yield Fix("move it to the top", (Edit(at, at, put), Edit(start, end, "")))


def _unknown_block(case: Case) -> Iterator[Fix]:
    if case.hint.startswith("put it on its own line"):
        before = "" if case.start == case.line_start else "\n"
        after = "" if case.end == case.line_end else "\n"
        put = f"{before}{case.written}{after}"
        yield Fix("put it on its own line", (Edit(case.start, case.end, put),))
    elif case.message.startswith("unknown media tag"):
        found = re.compile(r"<\|\s*(\w+)").match(case.text, case.start)
        if found is not None:
            word = case.hint.split("`")[1]
            yield Fix(f"change to `{word}`", (Edit(*found.span(1), word),))
    else:
        yield _as_text(case, preferred=False)


def _inner(case: Case) -> tuple[int, str]:
    """The argument of a media tag."""
    found = re.compile(r"<\|\s*\w+\(\s*(.*?)\s*\)\s*\|>").match(case.text, case.start)
    return (found.start(1), found[1]) if found is not None else (case.start, "")


def _media_file(case: Case) -> Iterator[Fix]:
    at, path = _inner(case)
    found = _nearest_file(case, path, tuple(f".{kind}" for kind in (*MIME_TYPES, "jpg")))
    if path and found and found != path:
        yield Fix(f"change to `{found}`", (Edit(at, at + len(path), found),))


def _media_kind(case: Case) -> Iterator[Fix]:
    at, content = _inner(case)
    kind = content.partition(":")[0]
    begun = re.search(r"it begins like a (\w+) file", case.message)
    suggestion = next(suggested(case), None)
    put = begun[1] if begun else suggestion.edits[0].text if suggestion else ""
    if put and ":" in content and "raw_media" in case.message:
        yield Fix(f"change to `{put}`", (Edit(at, at + len(kind), put),), bool(begun))


def _media_url(case: Case) -> Iterator[Fix]:
    at, url = _inner(case)
    found = re.match(r"(\w+://)([^/@]*@)", url)
    if found is not None and "remove" in case.hint:
        start, end = at + found.start(2), at + found.end(2)
        yield case.remove(start, end, "remove the user and the password")


def _setting(case: Case) -> tuple[str, int, str]:
    """The key of a setting's line, and the offset of its value and the value."""
    line = case.text[case.line_start : case.line_end]
    key, _, value = line.partition(":")
    at = case.line_start + len(key) + 1 + len(value) - len(value.lstrip())
    return key.strip(), at, value.strip()


def _config_line(case: Case) -> Iterator[Fix]:
    line = case.text[case.line_start : case.line_end]
    found = re.match(r"\s*([A-Za-z_][\w.-]*)(\s*=\s*)\S", line)
    comment = re.match(r"\s*(#|--|;)\s*", line)
    if found is not None:
        start, end = (case.line_start + at for at in found.span(2))
        yield Fix("write `key: value`", (Edit(start, end, ": "),))
    elif comment is not None:
        start, end = (case.line_start + at for at in comment.span(0))
        yield Fix("write a comment with `//`", (Edit(start, end, "// "),))
    else:
        yield Fix("make it a comment", (Edit(case.start, case.start, "// "),), is_preferred=False)


def _config_value(case: Case) -> Iterator[Fix]:
    key, at, value = _setting(case)
    if not value:
        yield case.remove_line()
    elif case.message.endswith("unterminated string"):
        yield case.add(at + len(value), '"')
    elif re.search(r"\s//", value) and "extra data" in case.message:
        kept, _, words = value.partition("//")
        put = f"// {words.strip()}\n{key}: {kept.strip()}"
        title = "move the comment to its own line"
        yield Fix(title, (Edit(case.line_start, case.line_end, put),))
    elif re.fullmatch(r"[-+]?(\.\d+|\d+\.)", value):
        put = f"{float(value):g}"
        yield Fix(f"change to `{put}`", (Edit(at, at + len(value), put),))


def _config_kind(case: Case) -> Iterator[Fix]:
    key, at, value = _setting(case)
    kind = SETTINGS.get(key, "any")
    bare = value.strip("\"'").strip()
    put = ""
    if kind in ("text", "texts"):
        put = json.dumps(value)
    elif kind == "boolean":
        bare = _TRUTH.get(bare.lower(), bare.lower())
        put = bare if bare in ("true", "false") else ""
    elif kind in ("number", "integer") and _NUMBER.fullmatch(bare):
        with suppress(ValueError, OverflowError):
            number = float(bare)
            put = f"{int(number)}" if number == int(number) else f"{number:g}"
        if kind == "integer" and "." in put:
            put = ""
    if put:
        yield Fix(f"change to `{put}`", (Edit(at, at + len(value), put),))


def _config_model(case: Case) -> Iterator[Fix]:
    _, at, value = _setting(case)
    found = re.search(r"`([\w-]+):", case.hint)
    inset = value[:1] in ("'", '"')
    if found is None or found[1] not in PROVIDERS:
        return
    colon = value.find(":")
    if case.hint.startswith("did you mean"):
        edit = Edit(at + inset, at + max(colon, inset), found[1])
        yield Fix(f"change to `{found[1]}:`", (edit,))
    else:
        yield case.add(at + inset, f"{found[1]}:", preferred=False)


def _whole_line(case: Case) -> Iterator[Fix]:
    yield case.remove_line()


def _repeated(case: Case) -> Iterator[Fix]:
    """Remove the line; of two values that differ, only its author knows which is meant."""
    turn = case.document.turn_at(case.start)
    before = case.text[turn.body.start : case.line_start] if turn is not None else ""
    this = _key_and_value(case.text[case.line_start : case.line_end])
    is_same = this in map(_key_and_value, before.split("\n"))
    yield case.remove_line()._replace(is_preferred=is_same)


def _key_and_value(line: str) -> tuple[str, str]:
    key, _, value = line.partition(":")
    return key.strip(), value.strip()


TEMPLATE_FIXES: Mapping[str, Fixer] = {
    "template/syntax": _syntax,
    "template/unclosed": _unclosed,
    "template/misplaced-tag": _misplaced,
    "template/unknown-tag": suggested,
    "template/unknown-filter": suggested,
    "template/unknown-test": suggested,
    "template/undefined": _undefined,
    "template/include": _include,
    "turn/no-role": _no_role,
    "turn/unknown-role": _unknown_role,
    "turn/doubled": _merge,
    "turn/second-tools": _merge,
    "turn/system-not-first": _system_first,
    "turn/lookalike": as_hinted,
    "media/unknown-block": _unknown_block,
    "media/file": _media_file,
    "media/kind": _media_kind,
    "media/wrong-kind": _media_kind,
    "media/url": _media_url,
    "config/line": _config_line,
    "config/value": _config_value,
    "config/repeated": _repeated,
    "config/address": _whole_line,
    "config/unknown": suggested,
    "config/kind": _config_kind,
    "config/model": _config_model,
}
