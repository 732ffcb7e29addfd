"""The tokens of JSON in other spellings (JSON5, ECMAScript, Python), as patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl import _re as re

if TYPE_CHECKING:
    from pdl._types import Json

NEAR = 40
"""Characters before a position that are looked at."""

BLANKS = re.compile(r"[ \t\r\n]*+")
_ODD = r"\s\ufeff\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069"
ODD_BLANKS = re.compile(rf"(?>(?:[{_ODD}]|\\[nrt]|\\(?=[\[\]{{}}]))+)")
"""Spaces of all scripts, invisible marks, escapes before brackets, escaped spaces."""
COMMENT = re.compile(r"//[^\n]*+|/\*(?>(?:[^*]|\*(?!/))*)\*/|#[^\n]*+|<!--(?>(?:[^-]|-(?!->))*)-->")

SOLID = frozenset('{}[]",:abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-' + "'")
"""Characters that begin neither spaces nor comments."""
PLAIN = re.compile(r"""[^"\\\x00-\x1f\ud800-\udfff]*+""")
STRING = re.compile(rf'"{PLAIN.pattern}"')
"""A string without escapes and without doubt."""
SINGLE = re.compile(r"'[^'\\\x00-\x1f]*+'")
"""The same in Python's quotes."""

HIDDEN = re.compile(r"""(?://|#)(?:.*["']\s*+:|.*["'],\s*+\Z)""")
"""A comment that looks like a member or an item."""
HASHTAGS = re.compile(r"#\w[\w-]*+[\"']*+(?>(?:\s*+,\s*+[\"']?#\w[\w-]*+[\"']*+)*)\s*+[,\]}]*+\s*+")
"""A comment that might be words with a number sign: tags, colors, issue numbers."""

WORD = re.compile(r"[^\W\d][\w-]*+")
BARE_KEY = re.compile(
    r"(?>(?::(?=[\w$-]++\s*+=>))?)((?:[^\W\d]|\$)[\w$-]*+(?>(?:\.[\w$-]++)*)|\d++(?:\.\d++)?(?![\w.]))"
)
SPACED_KEY = re.compile(r"([^\W\d][\w-]*+(?>(?: [\w-]++)+))(?=\s*+[:：])")
HALF_QUOTED_KEY = re.compile(r"""([\w$-]++)(["'])(?=\s*+[:：])""")
BARE_TEXT = re.compile(
    r"""[^\W\d_](?>(?:[^\n"'`“”{}\[\]:,<>/#*=\\();；，：…]|/(?![/*])|'(?=\w))*)"""
)
"""Words without quotes where a string belongs: up to what could be a mark of the notation."""

YES_OR_NO = frozenset(["yes", "no", "on", "off", "y", "n"])
"""Booleans of YAML 1.1."""

HOLE = re.compile(r"(?i:your|insert|enter|fill)[_-]\w+|\w+_HERE|X{3,}", re.ASCII)
"""Words that are placeholders for text."""
DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?(?![\w.:-])"
)
"""A date or a date and time (RFC 3339)."""
BARE_END = re.compile(r"\s*+(?:[,，;；、}\])]|\Z)|[ \t]*+(?:\n|//)")
GLUED = re.compile(r"\d,\d++\Z")
"""Two numbers without a space after their comma, which might be a decimal comma."""
GLUED_BEHIND = re.compile(r",\d")
NEXT_LINE = re.compile(r"[ \t]*+\r?\n\s*+(?=[\"'])")
"""Between two strings on two lines, which many languages take for one."""
ADJACENT = re.compile(r"\s++[\"']")
SOLID_AHEAD = re.compile(r"[\s,]*+(?>(?:/\*[^*]*+\*/[\s,]*+)?)[^\s,]")
PLUS = re.compile(r"\s*+\+\s*+(?=[\"'`])")

CONSTANTS: dict[str, Json] = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
    "TRUE": True, "FALSE": False, "NULL": None, "nil": None,
}  # fmt: skip
"""The literals of JSON, then those of Python, of SQL, and Ruby's `nil`."""

_NEARLY_CONSTANTS = frozenset(
    word[:at] + changed + word[at + 2 :]
    for word in ("true", "false", "null")
    for at in range(len(word))
    for one, other in [(word[at], word[at + 1 : at + 2])]
    for changed in (one, other, other + one, one + one + other)
)
"""Literals that lost a letter, or have one doubled or swapped."""

NO_TEXTS = _NEARLY_CONSTANTS | frozenset(
    [
        "nan", "infinity", "inf", "undefined", "na", "n/a", "nil", "todo", "tbd",
        "true", "false", "null", "none", "new", "not", "str", "string", "text", "int", "integer",
        "float", "double", "number", "bool", "boolean", "array", "list", "object", "dict", "any",
        "date", "time", "datetime", "email", "uri", "url", "uuid", "enum",
    ]
)  # fmt: skip
"""Bare words, in lower case, that might represent something other than text."""

QUOTES = {
    '"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "„": "“", "‘": "’", "’": "’", "＂": "＂",
    "「": "」", "『": "』", "«": "»",
}  # fmt: skip
"""Opening quotes and what closes them."""
TRIPLE = ('"""', "'''")
STOPS = {
    closer: re.compile(rf"[\\{others}]")
    for closer, others in {
        '"': '"', "'": "'", "`": "`", "”": '”"', "’": "’'", "＂": "＂", "“": '“”"', "」": "」",
        "』": "』", "»": "»",
    }.items()
}  # fmt: skip
"""Opening quote -> the quotes that can end the string, and a backslash."""
COMMAS, CLOSERS = frozenset(",，"), frozenset("}]")
JOINS = frozenset(",:")
APART = frozenset("{[\"'“")
"""The start of a value that is not a continuation of the one before it."""
PUNCTUATION = {"，": ",", "、": ",", "：": ":"}
"""Full-width forms (Unicode, Halfwidth and Fullwidth Forms) and what they represent."""

_B = rf"[{_ODD}]*+(?>(?:\\[nrt]\s*+)*)"
"""Spaces, and newlines that were escaped once too often."""
_COMMA = "[,，;；、]"
_COMMENTED = r"//|/\*|\#\s"
_QUOTED = r"""(?:"[^"\\\n]*+"|'[^'\\\n]*+'|“[^”\n]*+”|„[^“”\n]*+[“”]|「[^」\n]*+」|«[^»\n]*+»)"""
_KEY = rf"(?:{_QUOTED}|:?(?:[^\W\d]|\$)[\w$.-]{{0,80}}+|\d++(?>(?:\.\d++)?)){_B}(?:[:：]|=>)"
KEY_AHEAD = re.compile(_KEY)
QUOTED_KEY_AHEAD = re.compile(rf"""["'“][^"'“”\\\n]*+["'”]{_B}[:：]""")

TRAILS_OFF = re.compile(r"""(?:,\s*+|\n[ \t]*+)["'”]\Z""")
"""The end of a string that contains the comma or newline that should come after it."""

ENDS_IN_CLOSER = re.compile(r"""[}\]]["'”]\s*+\Z""")
"""The end of a string that might contain the bracket that should come after it."""

_STRING_AHEAD = (
    r"""(?:"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"|'[^'\\]*+(?>(?:\\.[^'\\]*+)*)'|“[^“”]*+”|「[^「」]*+」)"""
    rf"{_B}(?:{_COMMA}|[\]):}}+]|{_COMMENTED}|\Z)"
)
_VALUE_AHEAD = (
    rf"(?:{_STRING_AHEAD}|[+-]?\.?\d|[{{\[(]|(?:true|false|null|True|False|None)(?=\W|\Z)"
    rf"|{_COMMENTED}|\Z)"
)
CERTAIN_END = {
    "key": re.compile(rf"{_B}(?:[:：]|=>|=)"),
    "member": re.compile(
        rf"{_B}(?:{_COMMA}{_B}(?:{_KEY}|[}}\]]|{_COMMENTED}|\Z)"
        rf"|\}}{_B}(?:{_COMMA}|[}}\]{{]|//|\Z))|\s++(?:{_KEY}|{_COMMENTED})|{_B}\+{_B}[\"']",
        re.DOTALL,
    ),
    "item": re.compile(
        rf"{_B}(?:{_COMMA}{_B}(?:{_VALUE_AHEAD}|[\])])"
        rf"|[\])]{_B}(?:{_COMMA}|[}}\])]|//|\Z))|\s++(?:{_STRING_AHEAD}|{_COMMENTED})|{_B}\+{_B}[\"']",
        re.DOTALL,
    ),
}
"""The text after the quote that ends a string: as a key, in an object, in an array."""
POSSIBLE_END = {
    "key": re.compile(rf"{_B}(?:[:：]|=>|=)"),
    "member": re.compile(rf"{_B}(?:{_COMMA}|[}}\]]|{_COMMENTED}|\Z)|{_QUOTED}{_B}[:：]"),
    "item": re.compile(rf"{_B}(?:{_COMMA}|[}}\])]|{_COMMENTED}|\Z)"),
}
"""The same for text that can also follow a quote inside the string."""


class UnreadableError(Exception):
    """The text has no certain reading: `at` is the offset where that shows, `why` the reason.

    `why` follows "it …"; it is empty if the text only breaks there. Then `expected` is the key of
    the phrase for what should be there.
    """

    def __init__(self, at: int, why: str = "", expected: str = "expected-value") -> None:
        super().__init__(at, why)
        self.at = at
        self.why = why
        self.expected = expected
