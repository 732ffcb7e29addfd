"""Omissions that a model reports: dots, `etc.`, `and 3 more`, `rest omitted`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.prose.words import hear
from pdl.reply.validation.json_types import containers

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.validation.schema_walk import Document

ELLIPSIS = r"(?:\.{3,}|…+|。{3,}|‥+)"

_STRING = r'"[^"\\]*+(?>(?:\\[\s\S][^"\\]*+)*)\\?+(?:"|\Z)'
_PARTS = re.compile(
    rf"{_STRING}|“[^“”]*+”|(?<=[\[{{:,\s])'[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*)'(?=\s*+(?:[\]}},:]|\Z))"
    r"|(?P<comment>//[^\n]*+|/\*(?>(?:[^*]|\*(?!/))*)(?:\*/)?|(?<![^\s,\[\]{}\"])\#[^\n]*+)"
    r"|(?<![^\W\d_])(?P<dots>\.{3,}|…+)"
    r"|(?P<words>[(<+]?[^\W\d_][^\n\"',{}\[\]:]*+|(?<!\d)\d++[ ](?:more|other)[^\n\"',{}\[\]:]*+)"
)
_PLACEHOLDER = re.compile(
    rf"(?P<string>{_STRING})"
    r"|(?<=[:,\[])\s*+(?P<said><[A-Za-z][^<>\n]{0,60}+>|_{3,}+|\?{3,}+|TODO\b|TBD\b"
    r"|(?:YOUR|INSERT|ENTER)_\w++|[A-Z]++(?>(?:_(?!HERE)[A-Z]++)*)_HERE\b"
    r"|\{\{[^{}\n]{0,60}+\}\})"
)
STAND_IN = re.compile(
    r"\s*<(?:string|str|int|integer|number|float|boolean|bool|value|text|null|date|name"
    r"|your[ _-]\w+|insert[ _-]\w+|\w+[ _-]here)>\s*",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"[\[(<+\d]|\.{3}|…")
"""Marks of an item of data that represents others: `[more]`, `and 3 more`, `other items …`."""

_CONTAINERS = frozenset(["properties", "items", "prefixItems"])
EDGES = " \t\r\n.…,;:!*_-–—/#<>()[]{}`\"'（）［］【】。、"
OPENING = re.compile(rf"[\[(<{{/*#\s（]*{ELLIPSIS}")
_TRAILING = re.compile(rf"{ELLIPSIS}\W*$")
_LONGEST = 300  # characters of a remark
_ITEM = 80  # characters of an item that represents others
_LINE = 300  # characters after an answer that are looked at


def leaves_out(remark: str) -> bool:
    """Whether a remark inside data, such as a comment, represents omitted data.

    `... other items`, `rest omitted`, `45 more rows`, `etc.`; a note on the data next to it does
    not.
    """
    return bool(OPENING.match(remark.lstrip("/#*<!-;% \t"))) or _says(
        remark, "rest", "rest_of_code", "others"
    )


def stands_for_more(item: str) -> bool:
    """Whether an item of a list only represents others: `...`, `etc.`, `3 more tasks`."""
    opening = OPENING.match(item)
    if opening is None:
        return _says(item, "rest")
    bare = item[opening.end() :].strip(EDGES)
    return not bare or _says(bare, "rest", "rest_of_code", "others")


def _says(remark: str, *meanings: str) -> bool:
    """Whether the first sentence of a remark is a phrase of one of the meanings."""
    bare = remark.strip(EDGES)
    if not bare or len(bare) > _LONGEST:
        return not bare and _TRAILING.search(remark) is not None
    heard = hear(bare)
    found = (one for meaning in meanings for one in heard.find(meaning) if not one.start())
    return any(not bare[one.end() :].lstrip(EDGES)[:1].islower() for one in found)


def left_out(document: Document, value: Json) -> str:
    """The first string that represents missing data; empty if none does.

    Only if the schema describes the parts of its values: if anything is allowed as a part, a string
    of dots is allowed too.
    """
    said = stand_in(value)
    schemas = (part for part in containers(document) if isinstance(part, dict)) if said else ()
    return said if any(not _CONTAINERS.isdisjoint(schema) for schema in schemas) else ""


def stand_in(value: Json) -> str:
    """The first string that reads as if data were missing; empty if none does.

    The last of several items that represents more (`...`, `and 3 more`), or the value of a key that
    names a type instead (`<string>`). Dots elsewhere can be data.
    """
    for part in containers(value):
        last = part[-1] if isinstance(part, list) and len(part) > 1 else None
        if isinstance(last, str) and len(last) <= _ITEM and _COUNTED.search(last):
            bare = last.strip(EDGES)
            if _says(bare, "rest", "others") if bare else OPENING.match(last):
                return last
        elif isinstance(part, dict):
            for item in part.values():
                if isinstance(item, str) and "<" in item and STAND_IN.fullmatch(item):
                    return item
    return ""


def elided_at(text: str) -> tuple[int, int] | None:
    """Where broken JSON says, outside its strings, that something is left out."""
    for part in _PARTS.finditer(text):
        said = part["comment"] or part["words"]
        if part["dots"] or (said and leaves_out(said)):
            return part.end() - len(part[0].lstrip("/#* ")), part.end()
    return None


def placeholder_at(text: str) -> tuple[int, int] | None:
    """Where broken JSON has a name instead of a value: `<age>`, `YOUR_NAME`."""
    return next((m.span("said") for m in _PLACEHOLDER.finditer(text) if m["said"]), None)


def left_out_after(text: str, at: int, *, listed: bool = False) -> tuple[int, int] | None:
    """Where the line after an answer, which ends at `at`, continues it: `...`, `(truncated)`.

    `listed`: it is a list; then `and 3 more` and `etc.` continue it too.
    """
    window = text[at : at + _LINE]
    body = window.lstrip(" \t\r\n`~,;)]}")
    line = body.partition("\n")[0].strip()
    if not line:
        return None
    start = at + len(window) - len(body)
    if OPENING.match(line) or line[0] not in "([<（［【/#":
        listed = listed or text[at - 1 : at] == "]" or OPENING.match(line) is not None
        found = listed and stands_for_more(line)
    else:
        found = leaves_out(line)
    return (start, start + len(line)) if found else None
