"""What in a program stands for code that is not there: a comment that says so, or mere dots.

A comment that only names what follows (`# other imports`, above imports) is no gap.
"""

from __future__ import annotations

import re

_OPENER = r"(?:/\*+|<!--|//+|\#+|--+|;;+|%)\s*+[\[(<{]?"
_LEFT_OUT = re.compile(
    rf"{_OPENER}(?:\.\.\.|…"
    r"|(?:your|the|add|put|same|insert|keep)?\s?(?:(?:rest|remainder)\s+of\s+(?:the|your|this|my)\s+\w+"
    r"|rest\s+of\s+code|(?:existing|remaining|previous|other|unchanged)\s+(?:code|implementation|methods|functions|logic)"
    r"|code\s+(?:omitted|unchanged)|same\s+as\s+(?:before|above))"
    r"(?:\s+(?:goes\s+|is\s+|are\s+|remains?\s+|stays?\s+)?(?:the\s+)?"
    r"(?:here|same|unchanged|omitted|as before))?"
    r"|(?:add|insert|put|write|place)?\s*(?:your|the)\s+(?:own\s+)?(?:code|logic|implementation)\s+(?:goes\s+)?here"
    r"|(?:(?:the\s+)?(?:rest|code|others?|remaining\s+\w+)\s+)?(?:is\s+|are\s+)?(?:omitted|truncated|elided|skipped)"
    r"(?:\s+for\s+(?:brevity|clarity))?"
    r"|(?:(?:hier\s+)?(?:der\s+)?rest\s+(?:des\s+)?codes?|(?:restlich|übrig|bestehend|vorhanden)\w*\s+code"
    r"|(?:le\s+)?reste\s+du\s+code|(?:le\s+)?code\s+existant|(?:el\s+)?resto\s+del\s+código|código\s+existente"
    r"|(?:o\s+)?rest(?:o|ante)\s+do\s+código|(?:il\s+)?resto\s+del\s+codice|codice\s+esistente"
    r"|(?:de\s+)?rest\s+van\s+de\s+code|bestaande\s+code|reszta\s+kodu|istniejący\s+kod|pozostał\w+\s+kod"
    r"|остальн\w+\s+код|остаток\s+кода|существующ\w+\s+код|решта\s+коду|kodun\s+geri\s+kalanı|mevcut\s+kod"
    r"|resten\s+av\s+koden|befintlig\s+kod|zbytek\s+kódu|stávající\s+kód)(?:\s+\w+){0,3}"
    r"|(?:以下|以降|中间|其余|剩余|其他|现有|残りの|既存の|나머지|기존|이하)?\s*(?:代码|代碼|コード|코드)?[はは는]?\s*"
    r"(?:省略|以下同様|同上|不变|不變|생략|동일)|(?:其余|剩余|其他|现有)代码|(?:残りの|既存の)コード|(?:나머지|기존)\s*코드"
    r")[\s.…*/>)\]}:-]*$"
    rf"|{_OPENER}(?:\.\.\.|…)",
    re.IGNORECASE,
)
"""Comments that stand for code wherever they stand."""

_EDGES = " \t\r\n.…*/#<>()[]{}!;%:-"
_REST = r"(?:rest|remainder|remaining|others?|more|additional|further|existing|previous|missing)"
_OF_CODE = (
    r"(?:code|files?|functions?|methods?|class(?:es)?|implementations?|handlers?|imports?|routes?|components?|tests?|styles?"
    r"|endpoints?|logic|definitions?|helpers?|parts?|content|module|script|program|boilerplate|services?)"
)
_OF_DATA = (
    r"(?:items?|entr(?:y|ies)|rows?|columns?|fields?|cases?|keys?|propert(?:y|ies)|elements?|lines?|options?|commands?|steps?"
    r"|records?|rules?|targets?|stages?|jobs?|values?|attributes?|parameters?|sections?|questions?|products?|users?|tags?|links?)"
)
_HERE = (
    r"(?:goes?\s+|go\s+|is\s+|are\s+|remains?\s+|stays?\s+)?(?:the\s+)?"
    r"(?:here|follow|unchanged|omitted|as\s+(?:it\s+)?(?:is|before)|same|above|below)"
)
_ALONE = re.compile(
    rf"(?:keep|leave|use|add|insert|put|include|copy|paste)?\s*(?:the\s+)?(?:rest|remainder)\s+(?:of\s+(?:the\s+|your\s+|this\s+)?)?{_OF_CODE}(?:\s+{_HERE})?"
    rf"|(?:add|insert|put|include|write|implement|define|your|the|any|and|some|keep|leave)?\s*(?:the|your|any|all|some)?\s*{_REST}\s+(?:\w+\s+)?"
    rf"(?:{_OF_CODE}|{_OF_DATA})\s+{_HERE}"
    rf"|(?:todo|fixme)\W+.*\b(?:rest|remaining|others|other|missing)\s+(?:{_OF_CODE}|{_OF_DATA})(?:\s+{_HERE})?"
    rf"|(?:add|insert|implement|write|include|define)\s+(?:the\s+|your\s+|any\s+|all\s+)?{_REST}\s+{_OF_CODE}"
    r"|.*\b(?:omitted|elided|snipped|left\s+out|abbreviated|shortened)\s+for\s+(?:brevity|clarity|simplicity|space)"
    r"|(?:(?:the|some|all|your)\s+)?(?:\w+\s+)?(?:implementation|details|body|bodies|handling|validation|logic|code|imports|tests"
    r"|setup|boilerplate|docstrings?|functions|methods|rest|parts?)\s+(?:details\s+)?(?:is\s+|are\s+)?(?:omitted|elided|left\s+out|not\s+shown)"
    rf"|(?:keep|leave)\s+(?:the\s+)?(?:rest|remainder|everything\s+else)\b.*|same\s+as\s+(?:in\s+)?(?:the\s+)?(?:original|above|before)"
    r"|unchanged|no\s+changes?(?:\s+(?:here|needed))?|snip(?:ped)?|et\s?c|and\s+so\s+(?:on|forth)|(?:code\s+)?continue[sd](?:\s+below)?"
    r"|(?:continue|repeat|proceed)\s+(?:with|for)\s+(?:the\s+|all\s+)?(?:remaining|others?|rest)\b.*|more\s+code",
    re.IGNORECASE,
)
"""What a comment on a line of its own says if it stands for code."""

_NAMES = re.compile(
    rf"(?:(?:the|your|any|all|and|some|add|plus)\s+)?{_REST}\s+(?:\w+\s+)?(?:{_OF_CODE}|{_OF_DATA})"
    r"|(?:do\s+the\s+)?(?:same|similar(?:ly)?|likewise|repeat)\s+(?:for|with)\s+(?:all\s+)?(?:the\s+)?(?:others?|rest|remaining|each)(?:\s+\w+){0,2}",
    re.IGNORECASE,
)
"""What may also name the code below it; with none below it stands for code."""

_CLOSES = re.compile(r"[ \t]*(?:$|[\])}]|</|end\b)", re.MULTILINE)
_SQL_CLAUSE = re.compile(r"[ \t]*(?:from|where|order|group|limit|\))", re.IGNORECASE)
_DOTS = re.compile(
    r"^[ \t]*+[\[(<{]?[ \t]*+(?P<dots>\.\.\.|…)[ \t]*+[\])>}]?[,;]?[ \t]*+$", re.MULTILINE
)
_PROMPT = re.compile(r"^[ \t]*>>> ", re.MULTILINE)
_IN_LIST = re.compile(
    r"(?<![\w\])])\[[^\[\]\n]*,[ \t]*(?:\.\.\.|…)[ \t]*\]|,[ \t]*(?:\.\.\.|…)\s+from\b",
    re.IGNORECASE,
)
_DATA_DOTS = re.compile(r"\.\.\.|…")
_SPREAD = re.compile(r",\s*(?:\.\.\.|…)\s*[\])},;]")
_NO_ELLIPSIS = frozenset(["json", "jsonc", "json5", "sql", "postgresql", "mysql", "sqlite"])
_WITH_SPREAD = frozenset(["javascript", "js", "jsx", "typescript", "ts", "tsx", "java", "go"])
_LONGEST = 300  # characters of such a comment
_LINE = 400  # characters in front of dots in which the line above them is looked for
_PYTHON = frozenset(["python", "py", "python3", "py3", "pyi", "", "pycon", "python-repl"])


def stands_for_code(comment: re.Match[str], text: str) -> bool:
    """Whether a comment of a program, whose text is `text`, stands for code that is not there."""
    if _LEFT_OUT.match(comment[0]):
        return True
    start = text.rfind("\n", 0, comment.start()) + 1
    if text[start : comment.start()].strip(" \t{") not in {"", "...", "pass"}:
        return False
    said = comment[0].strip(_EDGES)
    if len(said) > _LONGEST:
        return False
    if _ALONE.fullmatch(said):
        return True
    return _NAMES.fullmatch(said) is not None and _nothing_below(comment, text)


def _nothing_below(comment: re.Match[str], text: str) -> bool:
    """Whether nothing stands below a comment that it may name: a blank line, a closer, the end."""
    line_end = text.find("\n", comment.end())
    if line_end < 0:
        return True
    below = line_end + 1
    if comment[0].startswith("--") and _SQL_CLAUSE.match(text, below):
        return True
    return _CLOSES.match(text, below) is not None


def dots(bare: str, language: str) -> str:
    """The dots of a program that stand for code, with what is around them; else an empty string.

    `bare` is the program without its comments, and with `0` for each string.
    """
    if "..." not in bare and "…" not in bare:
        return ""
    if not _PROMPT.search(bare):
        for found in _DOTS.finditer(bare):
            if not _is_body(bare, found, language):
                return found[0].strip()
    pattern = _IN_LIST
    if language in _NO_ELLIPSIS:
        pattern = _DATA_DOTS
    elif language in _WITH_SPREAD:
        pattern = _SPREAD
    inside = pattern.search(bare)
    return inside[0] if inside else ""


def _is_body(bare: str, found: re.Match[str], language: str) -> bool:
    """Whether dots are the body of a Python class or function: behind a colon or a docstring."""
    if language not in _PYTHON or found["dots"] != "..." or found[0].strip() != "...":
        return False
    above = bare[max(0, found.start() - _LINE) : found.start()].rstrip().rpartition("\n")[2]
    return above.endswith(":") or above.strip() == "0"
