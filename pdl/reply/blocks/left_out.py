"""Dots and comments in a program that stand for code that is not there.

No programming language is parsed: strings and comments look alike in nearly all of them.
"""

from __future__ import annotations

from pdl import _re as re
from pdl.reply.prose.omissions import EDGES, OPENING
from pdl.reply.prose.words import Text

_TOKEN = re.compile(
    r"""(?s:(?P<long>\"{3}|'{3}).*?(?:(?P=long)|\Z))"""
    r"""|(?P<comment>(?s:/\*.*?(?:\*/|\Z))|<!--(?s:.*?)(?:-->|\Z)|(?<!:)//[^\n]*+"""
    r"""|(?<!\S)(?:\#(?=[ !.…]|$)|--(?=[ .…]|$)|;;|%(?=[ .…]))[^\n]*+)"""
    r"""|(?:"[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)|(?<![A-Za-z]{2})(?<![&<])'[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*))["']?""",
    re.MULTILINE,
)
_DOTS = re.compile(r"\.{3}|…")
_LINE = re.compile(
    rf"^[ \t]*+[\[(<{{]?[ \t]*+(?:{_DOTS.pattern})[ \t]*+[\])>}}]?[,;]?[ \t]*+$", re.MULTILINE
)
_IN_LIST = re.compile(
    rf"(?<![\w\])])\[[^\[\]\n]*,[ \t]*(?:{_DOTS.pattern})[ \t]*\]"
    rf"|,\s*(?:{_DOTS.pattern})\s*(?:\}}|from\b)",
    re.IGNORECASE,
)
_PYTHON = frozenset(["", "python", "pyi", "pycon", "python-repl"])
_CLOSES = re.compile(r"[ \t]*(?:$|[\])}]|</|end\b)", re.MULTILINE)
_CLAUSE = re.compile(r"[ \t]*(?:$|\)|from|where|order|group|limit)", re.MULTILINE | re.IGNORECASE)
"""What may be below a comment that names nothing below it; `_CLAUSE` below one of SQL."""

_LONGEST = 300  # characters of a comment
_NEAR = 400  # characters before something in which its line is looked for


def left_out(program: str, language: str) -> str:
    """What in a program stands for code that is not there; an empty string if nothing does."""
    if _DOTS.fullmatch(program.strip()):
        return program.strip()
    for token in _TOKEN.finditer(program):
        if token["comment"] and _stands_for_code(token, program):
            return token[0]
    if not _DOTS.search(program):
        return ""
    bare = _TOKEN.sub(lambda one: "" if one["comment"] else "0", program)
    lines = () if ">>> " in bare else _LINE.finditer(bare)
    found = next((one for one in lines if not _is_body(bare, one, language)), None)
    found = found or _IN_LIST.search(bare)
    return found[0].strip() if found else ""


def _stands_for_code(comment: re.Match[str], text: str) -> bool:
    """Whether a comment begins with dots, or says on a line of its own that code is left out.

    One that only names parts, such as `other imports`, may be the heading of what is below it.
    """
    if OPENING.match(comment[0].lstrip(" \t/#*<!-;%[({")):
        return True
    said = comment[0].strip(EDGES + "%")
    above, _, before = text[max(0, comment.start() - _NEAR) : comment.start()].rpartition("\n")
    alone = before.strip(" \t{") in {"", "...", "pass"} and not above.rstrip().endswith(",")
    if not alone or "\n" in said or len(said) > _LONGEST:
        return False
    heard = Text(said)
    if heard.says("rest", "rest_of_code"):
        return True
    below = text.find("\n", comment.end()) + 1
    closes = _CLAUSE if comment[0].startswith("--") else _CLOSES
    return heard.says("others") and (not below or closes.match(text, below) is not None)


def _is_body(bare: str, found: re.Match[str], language: str) -> bool:
    """Whether dots are the body of a Python class or function: after a colon or a docstring."""
    if language not in _PYTHON or found[0].strip() != "...":
        return False
    above = bare[max(0, found.start() - _NEAR) : found.start()].rstrip().rpartition("\n")[2]
    return above.endswith(":") or above.strip() == "0"
