"""What a comment says about the data beside it: that it is not all, not certain, or another.

A comment falls away when data are read, so it must say nothing that the data would have to say. A
note on what a value means (`// in metres`) is harmless; a number, a text in quotes or a word such
as `actually` behind a value may be the value that was meant, and `// "b",` is an item.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Place: TypeAlias = Literal["string", "scalar", "apart"]
"""What a remark stands right behind: a string, another scalar, or none of them."""

_VALUE = (
    r"""(?:-?\d[\d.,_]*+|"[^"\n]*+"|'[^'\n]*+'|“[^”\n]*+”|\b(?:true|false|null|True|False|None)\b"""
    r"""|\{[^\n]*\}|\[[^\n]*\])"""
)
_DATA = re.compile(
    rf"""(?:["'“`]?[\w$.-]++["'”`]?\s*+(?::|=>?)\s*+{_VALUE}|["'“][^"'”\n]++["'”]\s*+:.*"""
    rf"""|(?:{_VALUE}|[\w$.-]++)(?=\s*+,\s*+\Z)|{_VALUE}(?>(?:\s*+,\s*+{_VALUE})*))\s*+,?\s*+""",
    re.DOTALL,
)
"""A member, or items: what stood there before it was made a comment."""
_MEMBER = re.compile(r"""["'“]?[\w$.-]++["'”]?\s*+:""")
_NUMBER = re.compile(r"-?\d[\d.]*+\s*+,\Z")
_BRACKET = re.compile(r"\s*+(?:[{\[]\s*+[\"'{\[\d]|[}\]]\s*+,?\s*+\Z)")
_REFERENCE = re.compile(
    r"(?:\b(?:pages?|pp?\.|sections?|sec\.|lines?|rows?|columns?|chapters?|paragraphs?|tables?"
    r"|figures?|steps?|questions?|items?|notes?|seite|zeile|abschnitt|ligne|página|línea|version|v"
    r"|was|were|war|formerly|previously|(?:more|less|fewer|greater|smaller)\s+than)|§|#)\s*+\d[\d.:–-]*+"
    r"|https?://\S++|\bISO[ -]?\d++",
    re.IGNORECASE,
)
"""Where something stands in the text that was read; what a value was before; a bound."""
_DIGITS = re.compile(r"\d[\d.,]*+")
_QUOTES = re.compile(r"""["“”„«»]|(?<!\w)'[^'\n]*+'""")
_OPEN_END = re.compile(r"…|\.\.\.|\?\s*+\Z")
_NO_VALUE = re.compile(r"(?:null|None|nil)\s*+,?\s*+\Z")
_COMMENT = re.compile(r"""\s++(?:#|//)[^\n"']*+\Z""")
_BRACKETS = frozenset("{}[]")
_ENDS_TEXT = frozenset("\"'”’`")
_NEAR = 300  # characters in front of a comment in which what it names may stand
_UNKNOWN = re.compile(
    r"\b(?:unknown|unclear|missing|not\s+(?:known|given|found)|unbekannt|fehlt|inconnue?|falta"
    r"|desconocid[oa]|desconhecid[oa]|sconosciut[oa]|onbekend|nieznan\w*|неизвестн\w*)\b|未知|不明|미정",
    re.IGNORECASE,
)
"""What agrees with a value that is `null`."""
_CHANGES = re.compile(
    r"\b(?:actually|oops|wait\W+(?:no|it|that)|replaced?\s+(?:with|by|this|it|me)|placeholders?"
    r"|dummy|fake|invented|made\s+up|plus|repeat(?:ed|s|\s+(?:this|for))|incomplete|truncated"
    r"|corrected\s+(?:to|from)|changed?\s+to|(?:delete|remove|ignore)\s+(?:this|that|it|me)"
    r"|or\s+(?:is|was|maybe|rather|perhaps)|eigentlich|tatsächlich|platzhalter|ersetzen|erfunden"
    r"|unvollständig|wiederholt|remplacer|inventée?|répétée?|reemplazar|inventad[oa]|repetid[oa]"
    r"|заменить|выдуман\w*|неполн\w*)\b|\bwait\s*+(?:[,.!…:–—]|\Z)|占位|或者|应该|実際|仮の|실제로"
    r"|\A(?:or|and|through|until|to|up\s+to|bis|oder|und|ou|или|(?:no|nope|nein|non|нет)\s*+(?:[^\w\s]|\Z))(?!\w)",
    re.IGNORECASE,
)
"""Words that say that data are others, that there are more, or that they are made up."""
_DOUBTS = re.compile(
    r"\b(?:todo|fixme|tbd|tba|xxx|mock|sample|example|e\.g|hundreds?|thousands?|millions?|billions?|dozens?|percent"
    r"|partial(?:ly)?|missing|unknown|unclear|unsure|uncertain|not\s+(?:sure|certain|known|given|found|final|real)"
    r"|guess(?:ed|ing)?|assum(?:ed|ing|e|ption)|maybe|perhaps|probably|possibly|default|typo|mistake"
    r"|beispiel\w*|unbekannt|unklar|geschätzt|vielleicht|tausend|millionen|fehlt|exemple|inconnue?|peut-être|mille|manquant"
    r"|ejemplo|desconocid[oa]|quizás?|mil|millones|falta|exemplo|desconhecid[oa]|talvez|milhões|esempio|sconosciut[oa]|forse"
    r"|voorbeeld|onbekend|misschien|przykład\w*|nieznan\w*|пример\w*|неизвестн\w*|возможно|тысяч\w*|миллион\w*)\b"
    r"|示例|例子|未知|例え|サンプル|不明|예시|미정|[千万億亿천만억]",
    re.IGNORECASE,
)
"""Words that say the same of a value that they stand right behind."""


_MORE_DATA = re.compile(
    r"""[{}\[\]]|^[\s>]*+(?:,|-?\d[\d.]*+[ \t]*+(?:,|$)|["'“])|["'”][ \t]*+[:,]"""
    r"""|^[\s>]*+[-*+•][ \t]++["'`*_]*+[\w ]{1,40}+["'`*_]*+[ \t]*+[:=]""",
    re.MULTILINE,
)
"""Brackets, items or members, also those of a list in Markdown."""
_STOPS = re.compile(
    r"\b(?:cut|cuts|stop(?:s|ped|ping)?|truncat\w*|abridged|shortened|lengths?|limits?|limited|budget|maximum|max"
    r"|continu\w*|tokens?|context|(?:ran|run|running)\s+out|space|incomplete|unfinished|partial(?:ly)?|interrupted|abort\w*"
    r"|rest|remain\w*|omitted|part\s+\d|to\s+follow|so\s+far|unterbrochen|abgebrochen|abgeschnitten|gekürzt|unvollständig"
    r"|fortsetzung|fortgesetzt|weiter|länge|suite|coupée?|tronquée?|limite|longueur|incompl\w*|continúa|cortad[oa]|truncad[oa]"
    r"|longitud|continua|interrott\w*|troncat\w*|afgebroken|vervolg|przerwan\w*|ucięt\w*|limit\w*"
    r"|обрезан\w*|прерван\w*|продолж\w*|лимит\w*|неполн\w*|devam\w*|kesildi)\b"
    r"|截断|截斷|中断|未完|待续|続き|続く|途中|字数|長さ|잘렸|계속|중단",
    re.IGNORECASE,
)
"""What says that an answer stopped before its end."""


def speaks_against(body: str, start: int, end: int) -> bool:
    """Whether the comment at a place of some data may change what they are."""
    said = body[start:end].strip("/*#!<>- \t\r\n")
    before = body[max(0, start - _NEAR) : start]
    line = before[before.rfind("\n") + 1 :]
    before = before.rstrip()
    said = _DIGITS.sub(lambda one: "" if f'"{one[0]}"' in before else one[0], said)
    if _NO_VALUE.search(before[-8:]):
        said = _UNKNOWN.sub("", said)
    before = _COMMENT.sub("", before)
    if _taken_out(said, before, alone=not line.strip(), block=body.startswith("/*", start)):
        return False
    return changes(said, _place(before.rstrip(","), alone=not line.strip()))


def _place(before: str, *, alone: bool) -> Place:
    mark = before[-1:]
    if alone or mark in _BRACKETS:
        return "apart"
    return "string" if mark in _ENDS_TEXT else "scalar"


def _taken_out(said: str, before: str, *, alone: bool, block: bool) -> bool:
    """Whether a comment is a part that was taken out of the data on purpose, with its comma.

    A member on lines of its own, or a number between two others; a text may be meant to be there.
    """
    if before[-1:] not in {",", "{", "["} or not said.endswith(","):
        return False
    if alone:
        return _MEMBER.match(said) is not None
    return block and before[-1] == "," and _NUMBER.match(said) is not None


def changes(said: str, place: Place) -> bool:
    """Whether a remark at such a place may change the data that it stands among."""
    if _DATA.fullmatch(said) or _BRACKET.match(said):
        return True
    said = _REFERENCE.sub("", said)
    if _CHANGES.search(said) or place == "apart":
        return _CHANGES.search(said) is not None
    quoted = place == "string" and _QUOTES.search(said)
    return bool(quoted or any(one.search(said) for one in (_DOUBTS, _DIGITS, _OPEN_END)))


def says_stop(text: str, at: int) -> bool:
    """Whether what is behind a fence looks like more data, or says that the answer stopped."""
    return _MORE_DATA.search(text, at) is not None or _STOPS.search(text, at) is not None
