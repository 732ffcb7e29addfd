"""What in a program or a list stands for parts that are not there: dots, or words that say so.

No programming language is parsed: strings and comments look alike in nearly all of them.
"""

from __future__ import annotations

import re

from pdl.reply.prose.words import Text

_TOKEN = re.compile(
    r"""(?s:(?P<long>\"{3}|'{3}).*?(?:(?P=long)|\Z))"""
    r"""|(?P<comment>(?s:/\*.*?(?:\*/|\Z))|<!--(?s:.*?)(?:-->|\Z)|(?<!:)//[^\n]*+"""
    r"""|(?<!\S)(?:\#(?=[ !.…]|$)|--(?=[ .…]|$)|;;|%(?=[ .…]))[^\n]*+)"""
    r"""|(?:"[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)|(?<![A-Za-z]{2})(?<![&<])'[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*))["']?""",
    re.MULTILINE,
)
_EDGES = " \t\r\n.…,;:!*_-–—/#%<>()[]{}`\"'（）［］【】。、"
_OPENERS = " \t/#*<!-;%[({（［【"
_DOTS = ("...", "…")
_CLOSES = re.compile(r"[ \t]*(?:$|[\])}]|</|end\b)", re.MULTILINE)
_CLAUSE = re.compile(r"[ \t]*(?:$|\)|from|where|order|group|limit)", re.MULTILINE | re.IGNORECASE)
"""What may be below a comment that names nothing below it; `_CLAUSE` below one of SQL."""

_LINE = re.compile(r"^[ \t]*+[\[(<{]?[ \t]*+(?:\.{3}|…)[ \t]*+[\])>}]?[,;]?[ \t]*+$", re.MULTILINE)
_IN_LIST = re.compile(
    r"(?<![\w\])])\[[^\[\]\n]*,[ \t]*(?:\.{3}|…)[ \t]*\]|,\s*(?:\.{3}|…)\s*(?:\}|from\b)",
    re.IGNORECASE,
)
_IN_CALL = re.compile(r",[ \t]*(?:\.{3}|…)[ \t]*\)")
_VARIADIC = frozenset(["", "c", "c++", "objective-c", "lua", "r", "python"])
"""Languages in which dots may be an argument or a parameter."""

_DATA = frozenset(["json", "sql", "mysql", "sqlite"])
_PYTHON = frozenset(["", "python", "pyi", "pycon", "python-repl"])
_LONGEST = 300  # characters of a remark
_NEAR = 400  # characters before or after something in which its line is looked for


def left_out(program: str, language: str) -> str:
    """What in a program stands for code that is not there; an empty string if nothing does."""
    if program.strip() in _DOTS:
        return program.strip()
    for token in _TOKEN.finditer(program):
        if token["comment"] and _stands_for_code(token, program):
            return token[0]
    if not any(dots in program for dots in _DOTS):
        return ""
    return _dotted(_TOKEN.sub(lambda one: "" if one["comment"] else "0", program), language)


def stands_for_more(item: str) -> bool:
    """Whether an item of a list, or a line after it, stands for others: `...`, `etc.`, `3 more`."""
    dotted = item.lstrip(_OPENERS).startswith(_DOTS)
    said = item.strip(_EDGES)
    if not said or len(said) > _LONGEST:
        return dotted and not said
    meanings = ("left_out", "others", "code_left_out") if dotted else ("left_out",)
    return any(not found.start() for one in meanings for found in Text(said).find(one))


def left_out_after(text: str, at: int) -> str:
    """The line after an answer, which ends at `at`, if it says that there is more."""
    line = text[at : at + _NEAR].lstrip("\0 \t\r\n`~").partition("\n")[0].strip("\0 \t\r")
    return line if line and stands_for_more(line) else ""


def _stands_for_code(comment: re.Match[str], text: str) -> bool:
    """Whether a comment begins with dots, or says on a line of its own that code is left out.

    One that only names parts, such as `other imports`, may be the heading of what is below it.
    """
    said = comment[0].lstrip(_OPENERS)
    if said.startswith(_DOTS):
        return True
    said = said.strip(_EDGES)
    above, _, before = text[max(0, comment.start() - _NEAR) : comment.start()].rpartition("\n")
    alone = before.strip(" \t{") in {"", "...", "pass"} and not above.rstrip().endswith(",")
    if not alone or "\n" in said or len(said) > _LONGEST:
        return False
    heard = Text(said)
    if heard.says("left_out", "code_left_out"):
        return True
    below = text.find("\n", comment.end()) + 1
    closes = _CLAUSE if comment[0].startswith("--") else _CLOSES
    return heard.says("others") and (not below or closes.match(text, below) is not None)


def _dotted(bare: str, language: str) -> str:
    """The dots of a program that stand for code, in `bare`: without comments, `0` for a string."""
    lines = () if ">>> " in bare else _LINE.finditer(bare)
    found = next((one for one in lines if not _is_body(bare, one, language)), None)
    found = found or _IN_LIST.search(bare)
    if language in _DATA:
        found = found or re.search(r"\.{3}|…", bare)
    elif language not in _VARIADIC:
        found = found or _IN_CALL.search(bare)
    return found[0].strip() if found else ""


def _is_body(bare: str, found: re.Match[str], language: str) -> bool:
    """Whether dots are the body of a Python class or function: after a colon or a docstring."""
    if language not in _PYTHON or found[0].strip() != "...":
        return False
    above = bare[max(0, found.start() - _NEAR) : found.start()].rstrip().rpartition("\n")[2]
    return above.endswith(":") or above.strip() == "0"
