"""Texts with a format in prose: dates, addresses, identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.phrases import kinds, say, shorten
from pdl.reply.prose.literals import bare, wanted_kinds
from pdl.reply.prose.scalar_candidates import ScalarCandidate
from pdl.reply.prose.scalars import choose, prose
from pdl.reply.query import string_of
from pdl.reply.result import Reading, failed
from pdl.reply.validation.schema_walk import branches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.reply.query import Query

_DAY = r"\d{4}-\d{2}-\d{2}"
_LOCAL = r"\d{2}:\d{2}:\d{2}(?:\.\d+)?"
_CLOCK = rf"{_LOCAL}(?:[Zz]|[+-]\d{{2}}:\d{{2}})"
_NO_ZONE = rf"(?>{_LOCAL})(?![\w:/+−-]|\.\w|,\d|[ \u00a0\u202f]*[+−-]\d)"
_ENDS_LOCAL = re.compile(rf"(?:^|[Tt ]){_LOCAL}$")
_ZONE = re.compile(
    r"\b(?:UTC|GMT|Z|[A-Z]{1,4}[SD]?T|(?!The |This |That |My |Your )[A-Z]\w+ time|[AaPp]\.?[Mm])\b"
    r"|(?i:\b(?:(?:time ?)?zones?|(?:to|mid)?night|evening|(?:after)?noon|o.clock|offset)\b)"
    r"|[(（+]|午|晚|Uhr"
)
"""Words that give the zone, or the half of the day, of a local time."""

_SHAPES = {
    "date": rf"{_DAY}(?![\w:/-]|\.\w)",
    "date-time": rf"{_DAY}[Tt ]{_CLOCK}",
    "time": _CLOCK,
    "x-date-time": rf"{_DAY}[Tt ](?:{_CLOCK}|{_NO_ZONE})",
    "x-time": rf"(?:{_CLOCK}|{_NO_ZONE})",
    "duration": r"P(?=[\dT])(?:\d+[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?",
    "email": r"(?<!\w['’])[^\s<>\"'’`()\[\],;:*_@][^\s<>\"’`()\[\],;:*@]{0,63}"
    r"@[^\W_][^\W_-]*(?:[.-]+[^\W_]+)*",
    "uri": r"(?:[A-Za-z][A-Za-z0-9+.-]*:(?=//)"
    r"|(?:mailto|tel|sms|urn|data|doi|geo|tag|news|magnet|sips?|xmpp):)"
    r"(?:[^\s<>\"'`“”*()]|\([^\s<>\"'`“”*()]*\))*"
    r"(?:[^\s<>\"'`“”*.,;:!?()\]}。，]|(?<=\)))",
    "uuid": r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "ipv4": r"\d{1,3}(?:\.\d{1,3}){3}(?![.:/]?\d)",
    "ipv6": r"(?=[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:)[0-9A-Fa-f:]+(?:\.\d+){0,3}",
}
"""Format -> strings that look like it; the schema decides whether they are valid."""

_LINK = re.compile(
    r"\[(?P<text>[^\[\]\n]{0,200})\]\((?P<link>[^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)\)"
    r"|<(?P<auto>[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]+|[^\s<>@:]+@[^\s<>@]+)>"
)
"""Markdown links: `[text](address)`, `<address>`."""

_ADDRESS = re.compile(r"://|@")
_GOES_ON = re.compile(r"(?<=-)\n\S|\[(?=[A-Za-z])|\.{2,}|…|<(?=[\w{])|[{|*'’`^\\\"~(](?=[\w/{<])")
"""Signs that an address has a gap, or characters that are not allowed in one."""

_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "«": "»", "**": "**"}
_ONE = {"const", "enum", "pattern", "format"}


def read_format(query: Query) -> Reading:
    """The only string of the schema's format that is in an answer's position, if there is one."""
    return _unquoted(query) or _spoken(query)


def scalar(query: Query) -> Reading:
    """The same if the schema also allows other scalars, which prose cannot state with certainty."""
    found = read_format(query)
    if found.reason != "absent":
        return found
    missing = say("holds-no", wanted=kinds(wanted_kinds(query)))
    return failed("absent", missing, wanted="JSON", found=shorten(query.text))


def _unquoted(query: Query) -> Reading | None:
    """The reply without the quotes around it, if the schema determines the content."""
    if not any(_ONE & set(branch) for branch in branches(query.document, query.document)):
        return None
    body, (start, _) = bare(query)
    if string_of(body) not in (None, body[1:-1]):
        return None
    for opener, closer in _QUOTES.items():
        inside = body.removeprefix(opener).removesuffix(closer)
        whole = len(inside) == len(body) - len(opener) - len(closer)
        if whole and inside == inside.strip() and query.is_valid(inside):
            begin = start + len(opener)
            return Reading(inside, (begin, begin + len(inside)))
    return None


def _spoken(query: Query) -> Reading:
    shapes = _shapes(query)
    text = _LINK.sub(_unlinked, prose(query)) if shapes else prose(query)
    return choose(query, text, _found(query, text, shapes) if shapes else ())


def _unlinked(link: re.Match[str]) -> str:
    """The address of a link, with spaces for the text around it."""
    if link["text"] and _ADDRESS.search(link["text"]) and link["text"] not in link["link"]:
        return link[0]
    group = "link" if link["link"] else "auto"
    start, end = link.start(group) - link.start(), link.end(group) - link.start()
    return " " * start + link[group] + " " * (len(link[0]) - end)


def _shapes(query: Query) -> list[str]:
    """The patterns of the formats at the root; none if other strings are allowed there."""
    texts = [
        branch
        for branch in branches(query.document, query.document)
        if "type" in branch and "string" in branch["type"]
    ]
    formats = [branch.get("format") for branch in texts]
    return [_SHAPES[name] for name in formats if name in _SHAPES] if all(formats) else []


def _found(query: Query, text: str, shapes: list[str]) -> Iterator[ScalarCandidate]:
    for found in re.finditer(rf"(?<![^\W_])(?<![^\W_]_)(?<![@/.:-])(?:{'|'.join(shapes)})", text):
        emphasis = text[found.start() - 1 : found.start()] == "_"
        if emphasis and text[found.end() : found.end() + 1] != "_":
            continue
        if _GOES_ON.match(query.text, found.end()) and query.is_valid(found[0]):
            yield ScalarCandidate(
                found.span(), why="continues with letters that do not belong to it"
            )
        elif _ENDS_LOCAL.search(found[0]) and _ZONE.search(query.text):
            why = "is next to words about its zone or half of the day"
            yield ScalarCandidate(found.span(), why=why)
        elif query.is_valid(found[0]):
            yield ScalarCandidate(found.span(), found[0], free=True)
