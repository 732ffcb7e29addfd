"""Data in a block of code that are no answer: what is compared, changed, sent or taken out."""

from __future__ import annotations

import re

from pdl.reply.prose.sentences import language

_SHELLS = frozenset(
    [
        "bash",
        "sh",
        "shell",
        "zsh",
        "console",
        "shell-session",
        "powershell",
        "ps1",
        "bat",
        "cmd",
        "fish",
        "terminal",
    ]
)
_PATCHES = frozenset(["diff", "patch"])
_FAILED = re.compile(r"[ \t]*HTTP/[\d.]+[ \t]+[45]\d\d\b|[ \t]*[45]\d\d[ \t]+\w")
_COMPARED = re.compile(
    r"(?:[!=<>]=|\b(?:assert|if|elif|while|unless|not|raise|throw|is|in|expect\w*"
    r"|assert\w*)\b[^\n=;]*)[\s(]*$"
)
_ASSIGNED = re.compile(r"([A-Za-z_$][\w.$]*)\s*(?::[^=\n]{1,60})?=\s*$")
_COMMENT = re.compile(r"[ \t]*(?://|#|--|;|\*)")
_CHANGES = (
    r"(?<![\w.$]){name}\s*(?:\[[^\]\n]{{0,80}}\]|\.[\w.]{{1,60}})*\s*(?:[-+*/|&]?=(?!=)|\+\+|--)"
    r"|(?<![\w.$]){name}\s*\.\s*(?:update|append|extend|insert|push|pop|remove|delete|clear"
    r"|setdefault|assign|add|set|sort|reverse|splice|merge)\s*\("
    r"|\bdel(?:ete)?\s+{name}\b|\bObject\.assign\s*\(\s*{name}\b"
)
_LINE = 200  # characters in front of data that are looked at
_BODY = 20_000  # characters of a block that are looked at


def misused(text: str, span: tuple[int, int], body: tuple[int, int], label: str) -> bool:
    """Whether a block of code does more with the data in it than to have them."""
    start, end = span
    before = text[max(body[0], start - _LINE) : start].rpartition("\n")[2]
    named = language(label)
    if named in _SHELLS:
        return bool(before.strip())
    if named in _PATCHES:
        return before.lstrip().startswith("-")
    if named == "http" and _FAILED.match(text, body[0]):
        return True
    if _COMPARED.search(before) or _COMMENT.match(before):
        return True
    found = _ASSIGNED.search(before)
    if not found:
        return False
    changed = re.compile(_CHANGES.format(name=re.escape(found[1])))
    return changed.search(text, end, min(body[1], end + _BODY)) is not None
