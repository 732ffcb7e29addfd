"""The tokens of JSON in other spellings (JSON5, ECMAScript, Python), as patterns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl._types import Json

KEPT = 40
"""Characters of a repair's before and after."""

BLANKS = re.compile(r"[ \t\r\n]*+")
ODD_BLANKS = re.compile(r"[\s\ufeff\u200b\u2060]++")
COMMENT = re.compile(r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|#[^\n]*+|<!--(?:[^-]|-(?!->))*+-->")

SOLID = frozenset('{}[]",:abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-' + "'")
"""Characters at which neither blanks nor comments begin."""
MEMBER = re.compile(r'[ \t\r\n]*+"([^"\\\x00-\x1f]*+)"[ \t\r\n]*+:(?!:)[ \t\r\n]*+')
"""A key and its colon as JSON has them."""
STRING = re.compile(r'"([^"\\\x00-\x1f]*+)"')
"""A string without escapes and without doubt."""

WORD = re.compile(r"[^\W\d][\w-]*+")
BARE_KEY = re.compile(r"(?::(?=[\w$-]++\s*+=>))?+((?:[^\W\d]|\$)[\w$-]*+|\d++(?:\.\d++)?(?![\w.]))")
SPACED_KEY = re.compile(r"([^\W\d][\w-]*+(?: [\w-]++)++)(?=\s*+[:：])")
HALF_QUOTED_KEY = re.compile(r"""([\w$-]++)(["'])(?=\s*+[:：])""")
BARE_TEXT = re.compile(r"""[^\W\d_](?:[^\n"'`“”{}\[\]:,<>/#*=\\();；，：…]|/(?![/*])|'(?=\w))*+""")
"""Words without quotes where a string belongs: up to what could be a mark of the notation."""

HOLE = re.compile(r"(?i:your|insert|enter|fill)[_-]\w+|\w+_HERE|X{3,}", re.ASCII)
"""Words that stand where a text is still to be put."""
DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?(?![\w.:-])"
)
"""A date or a date and time (RFC 3339)."""
BARE_END = re.compile(r"\s*+(?:[,，;；、}\])]|\Z)|[ \t]*+(?:\n|//)")
PLUS = re.compile(r"\s*+\+\s*+(?=[\"'`])")

CONSTANTS: dict[str, Json] = {"true": True, "false": False, "null": None}
OTHER_CONSTANTS: dict[str, Json] = {
    "True": True, "False": False, "None": None, "TRUE": True, "FALSE": False, "NULL": None,
    "nil": None,
}  # fmt: skip
"""Python's literals, those of SQL, and Ruby's `nil`."""

NO_TEXTS = frozenset(
    [
        "nan", "infinity", "inf", "undefined", "na", "todo", "tbd", "true", "false", "null",
        "none", "yes", "no", "on", "off", "new", "not", "str", "string", "text", "int", "integer",
        "float", "double", "number", "bool", "boolean", "array", "list", "object", "dict", "any",
        "date", "time", "datetime", "email", "uri", "url", "uuid", "enum",
    ]
)  # fmt: skip
"""Bare words, in lower case, that may stand for something else than the text that they are."""

QUOTES = {
    '"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "„": "“", "‘": "’", "’": "’", "＂": "＂",
    "「": "」", "『": "』", "«": "»",
}  # fmt: skip
"""Opening quotes and what closes them."""
TRIPLE = ('"""', "'''")
PUNCTUATION = {"，": ",", "、": ",", "：": ":"}
"""Full-width forms (Unicode, Halfwidth and Fullwidth Forms) and what they stand for."""

_COMMA = "[,，;；、]"
_COMMENTED = r"//|/\*|\#\s"
_QUOTED = r"""(?:"[^"\\\n]*+"|'[^'\\\n]*+'|“[^”\n]*+”|„[^“”\n]*+[“”]|「[^」\n]*+」|«[^»\n]*+»)"""
_KEY = rf"(?:{_QUOTED}|:?(?:[^\W\d]|\$)[\w$-]{{0,80}}+|\d++(?:\.\d++)?+)\s*+(?:[:：]|=>)"
KEY_AHEAD = re.compile(_KEY)
QUOTED_KEY_AHEAD = re.compile(r"""["'“](?P<name>[^"'“”\\\n]*+)["'”]\s*+[:：]""")

_STRING_AHEAD = (
    r"""(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+'|“[^”]*+”|「[^」]*+」)"""
    rf"\s*+(?:{_COMMA}|[\]:}}+]|{_COMMENTED}|\Z)"
)
_VALUE_AHEAD = (
    rf"(?:{_STRING_AHEAD}|[+-]?\.?\d|[{{\[]|(?:true|false|null|True|False|None)\b"
    rf"|{_COMMENTED}|\Z)"
)
CERTAIN_END = {
    "key": re.compile(r"\s*+(?:[:：]|=>|=)"),
    "member": re.compile(
        rf"\s*+(?:{_COMMA}\s*+(?:{_KEY}|[}}\]]|{_COMMENTED}|\Z)|{_COMMENTED}"
        rf"|\}}\s*+(?:{_COMMA}|[}}\]{{]|//|\Z))|\s++{_KEY}|\s*+\+\s*+[\"']",
        re.DOTALL,
    ),
    "item": re.compile(
        rf"\s*+(?:{_COMMA}\s*+(?:{_VALUE_AHEAD}|[\])])|{_COMMENTED}"
        rf"|[\])]\s*+(?:{_COMMA}|[}}\])]|//|\Z))|\s++{_STRING_AHEAD}|\s*+\+\s*+[\"']",
        re.DOTALL,
    ),
}
"""What follows the quote that ends a string: as a key, in an object, in an array."""
POSSIBLE_END = {
    "key": re.compile(r"\s*+(?:[:：]|=>|=)"),
    "member": re.compile(rf"\s*+(?:{_COMMA}|[}}\]]|\Z)|{_KEY}"),
    "item": re.compile(rf"\s*+(?:{_COMMA}|[}}\])]|\Z)"),
}
"""What may follow it, though it may as well follow a quote inside the string."""
