"""Fixes of the syntax of `input`, `schema` and `tools` turns: brackets, quotes, commas, signs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.edit.document import Edit
from pdl.edit.features.fixes import Fix, as_hinted, quote, type_of
from pdl.edit.features.fixes_template import straight_quotes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl.edit.features.fixes import Case, Fixer

_CLOSERS = {"{": "}", "[": "]", "(": ")"}
_DEFINITION = re.compile(r"^[^\S\n]*(?:[A-Z]\w*\s*=|[\w-]+\()", re.MULTILINE)


def _comment(case: Case) -> Iterator[Fix]:
    rest = case.text[case.start : case.line_end]
    edits = [Edit(case.start, case.start + len(case.written), "//")]
    if rest.startswith("/*") and rest.rstrip().endswith("*/"):
        end = case.start + len(rest.rstrip())
        edits.append(Edit(end - 2, end, ""))
    elif rest.startswith("/*"):
        return
    yield Fix("write a comment with `//`", tuple(edits))


def _unclosed(case: Case) -> Iterator[Fix]:
    if case.typed is None:
        return
    opener = case.text[case.start]
    closer = _CLOSERS.get(opener, "")
    if case.diagnostic.code == "tool/unclosed":
        line = re.split(r"\s*//", case.text[case.start : case.line_end])[0].rstrip()
        if opener != "(":
            line = line.removesuffix(")").rstrip()
        yield case.add(case.start + len(line), closer)
        return
    end = case.typed.turn.body.end
    following = _DEFINITION.search(case.text, case.line_end, end)
    inside = case.text[case.start : following.start() if following else end].rstrip()
    last_line = inside.rpartition("\n")[2]
    is_long = "\n" in inside or "//" in last_line
    lead = case.text[case.line_start : case.start]
    indent = lead[: len(lead) - len(lead.lstrip())]
    put = f"\n{indent}{closer}" if is_long else f" {closer}" if closer == "}" else closer
    yield case.add(case.start + len(inside), put)


def _unclosed_string(case: Case) -> Iterator[Fix]:
    line = case.text[case.start : case.line_end]
    inside = re.sub(r"[\s,}\])]*$", "", line)
    yield case.add(case.start + max(len(inside), 1), line[0])


def _one_character(case: Case) -> Iterator[Fix]:
    yield case.remove(case.start, case.start + 1)


def _mismatched(case: Case) -> Iterator[Fix]:
    """Add the bracket that is missing, or else change the one that is there."""
    put = case.names[0]
    body = case.typed.turn.body if case.typed is not None else None
    inside = case.text[body.start : body.end] if body is not None else ""
    if sum(map(inside.count, "{[(")) > sum(map(inside.count, "}])")):
        before = _code_end(case)
        yield Fix(f"add `{put}`", (Edit(before, before, put),))
    else:
        yield Fix(f"change to `{put}`", (Edit(case.start, case.start + 1, put),))


def _fence(case: Case) -> Iterator[Fix]:
    if case.typed is None:
        return
    body = case.typed.turn.body
    content = case.text[body.start : body.end].strip()
    marks = re.match(r"`{3,}|~{3,}", content)
    if case.message == "unclosed fence" and marks is not None:
        at = body.start + len(case.text[body.start : body.end].rstrip())
        yield case.add(at, f"\n{marks[0]}")
    elif case.hint == "write ```json":
        lines = content.split("\n")
        if _is_json("\n".join(lines[1:-1])):
            yield case.replace("json")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _bare_json_schema(case: Case) -> Iterator[Fix]:
    if case.typed is None:
        return
    body = case.typed.turn.body
    content = case.text[body.start : body.end].strip()
    if _is_json(content):
        start = case.text.index(content, body.start)
        end = start + len(content)
        edits = (Edit(start, start, "```json\n"), Edit(end, end, "\n```"))
        yield Fix("put it into a ```json fence", edits)


def _not_json(case: Case) -> Iterator[Fix]:
    if case.message.endswith("trailing comma"):
        yield case.remove(case.start, case.start + 1)


_SIGNS = {"：": ":", "，": ",", ";": ",", "；": ","}


def _character(case: Case) -> Iterator[Fix]:
    sign = case.text[case.start]
    if "straight quotes" in case.hint:
        yield from straight_quotes(case)
    elif sign in _SIGNS:
        edit = Edit(case.start, case.start + 1, _SIGNS[sign])
        yield Fix(f"change to `{_SIGNS[sign]}`", (edit,))
    elif sign in "!+":
        yield from _one_character(case)
    elif sign == "$":
        word = re.compile(r"[\w$.-]*").match(case.text, case.start)
        start = (
            case.start
            - len(case.text[: case.start])
            + len(re.sub(r"[\w.-]*$", "", case.text[case.line_start : case.start]))
            + case.line_start
        )
        if word is not None:
            put = quote(case.text[start : word.end()])
            yield Fix(f"change to `{put}`", (Edit(start, word.end(), put),))


def _schema_syntax(case: Case) -> Iterator[Fix]:
    found = case.names[-1] if case.names else ""
    head = case.text[: case.start].rstrip()
    if case.hint == "add a comma before it":
        yield Fix("add a comma", (Edit(_code_end(case), _code_end(case), ","),))
    elif case.hint.startswith("write a field as `") and found == "=":
        yield Fix("change to `:`", (Edit(case.start, case.start + 1, ":"),))
    elif case.hint.startswith("write a field as `") and found not in (",", "}", ")"):
        yield Fix("add `:`", (Edit(len(head), len(head), ":"),))
    elif case.hint.startswith("write a field as `"):
        yield Fix("add a type", (Edit(len(head), len(head), ": str"),), is_preferred=False)
    elif re.fullmatch(r"write `\w+ = …`", case.hint):
        at = len(head)
        yield Fix("change to `=`", (Edit(at, case.start + 1, " ="),))
    elif case.hint == "write one `?`" or (found == "," and "expected a key" in case.message):
        yield from _one_character(case)
    elif case.hint.startswith("write a comma between"):
        numbers = re.match(r"(-?[0-9]+(?:\.[0-9]+)?)(?:\.\.+|-|:)(-?[0-9.]*)", case.written)
        if numbers is not None:
            put = f"{numbers[1]},{numbers[2]}"
            yield Fix(f"change to `{put}`", (Edit(case.start, case.start + numbers.end(), put),))
    elif case.hint.startswith("write the type of a field before"):
        value = re.compile(r"=\s*([^\s,}]+)").match(case.text, case.start)
        kind = type_of(value[1]) if value is not None else "any"
        yield Fix(f"add `{kind}`", (Edit(case.start, case.start, f"{kind} "),))
    else:
        yield from _foreign(case, head)


def _code_end(case: Case) -> int:
    """Where the last token before the range ends, comments aside."""
    notation = case.notation
    at = notation.before(case.start) if notation is not None else -1
    return notation.tokens[at].end if notation is not None and at >= 0 else case.start


def _foreign(case: Case, head: str) -> Iterator[Fix]:
    """The notations of other languages: `list[str]`, `str[]`, `int(1,5)`, `A or B`, `A | | B`."""
    word = re.search(r"[\w.]+$", head)
    if case.text.startswith("[]", case.start) and word is not None:
        edits = (Edit(word.start(), word.start(), "["), Edit(case.start, case.start + 1, ""))
        yield Fix(f"change to `[{word[0]}]`", edits)
    elif case.hint.startswith("write an array as `[T]`") and word is not None:
        yield case.remove(word.start(), case.start)
    elif case.hint.startswith("write bounds in `<>`"):
        bounds = re.compile(r"\(([^()\n]*)\)").match(case.text, case.start)
        if bounds is not None:
            put = f"<{bounds[1]}>"
            yield Fix(f"change to `{put}`", (Edit(*bounds.span(), put),))
    elif case.hint == "write `|`":
        yield case.replace("|")
    elif case.hint.startswith("add the missing alternative"):
        at = case.start if case.text[case.start] == "|" else len(head) - 1
        yield case.remove(at, at + 1)


def _empty(case: Case) -> Iterator[Fix]:
    turn = next((one for one in case.document.turns if one.role == "schema"), None)
    if turn is not None:
        at = turn.body.start
        newline = "" if case.text[at - 1 : at] == "\n" else "\n"
        yield Fix("write `str`", (Edit(at, at, f"{newline}str\n"),), is_preferred=False)


def _tool_syntax(case: Case) -> Iterator[Fix]:
    if "list marker" in case.hint:
        rest = case.text[case.start + 1 : case.line_end]
        yield case.remove(case.start, case.start + 1 + len(rest) - len(rest.lstrip()))
    elif "without commas" in case.hint or "semicolons" in case.hint or "unmatched" in case.message:
        yield from _one_character(case)
    elif case.hint == "write descriptions after `//`":
        yield Fix("make it a comment", (Edit(case.start, case.start, "// "),))
    elif "no return type" in case.hint:
        yield Fix("describe the result", (Edit(case.start, case.start + 2, "// returns"),))
    elif case.text.startswith("def ", case.start):
        yield case.remove(case.start, case.start + len("def "))


SYNTAX_FIXES: Mapping[str, Fixer] = {
    "schema/empty": _empty,
    "schema/comment": _comment,
    "schema/unclosed": _unclosed,
    "schema/unclosed-string": _unclosed_string,
    "schema/unopened": _one_character,
    "schema/mismatched": _mismatched,
    "schema/bad-fence": _fence,
    "schema/bare-json-schema": _bare_json_schema,
    "schema/not-json": _not_json,
    "schema/unexpected-character": _character,
    "schema/syntax": _schema_syntax,
    "tool/syntax": _tool_syntax,
    "tool/unclosed": _unclosed,
    "tool/bad-name": as_hinted,
    "tool/bad-fence": _fence,
}
