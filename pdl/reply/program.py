"""The surface of a program in any language: its strings and comments, and what is left open.

No language is parsed. What holds for nearly all of them is enough to tell whether code was cut off,
or leaves something out and says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_TOKEN = re.compile(
    r"""(?s:(?P<long>\"{3}|'{3}).*?(?P<long_end>(?P=long)|\Z))"""
    r"""|(?P<comment>(?s:/\*.*?(?:\*/|\Z))|<!--(?s:.*?)(?:-->|\Z)|(?<!:)//[^\n]*+"""
    r"""|(?<!\S)(?:\#(?=[ !.…]|$)|--(?=[ .…]|$)|;;|%(?=[ .…]))[^\n]*+)"""
    r"""|(?P<line>"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+|(?<![A-Za-z]{2})(?<![&<])'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+)"""
    r"""(?P<line_end>["']?)""",
    re.MULTILINE,
)
_LEFT_OUT = re.compile(
    r"(?:/\*+|<!--|//+|\#+|--+|;;+|%)\s*+[\[(<{]?(?:\.\.\.|…"
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
    r"|(?:/\*+|<!--|//+|\#+|--+|;;+|%)\s*+[\[(<{]?(?:\.\.\.|…)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"(?:[,(\[{=&|^\\:]|(?<![+])\+|(?<!-)-|(?<!\*)[*]|(?<!\.)\.|<)\Z")
_PARTNERS = (("(", ")"), ("[", "]"), ("{", "}"))


@dataclass(frozen=True)
class Program:
    """A program's text, to be asked about its end and its comments. Each answer is linear."""

    text: str

    @cached_property
    def _tokens(self) -> list[re.Match[str]]:
        return list(_TOKEN.finditer(self.text))

    @property
    def open_text(self) -> bool:
        """Whether a string of three quotes is not closed."""
        return any(token["long"] and not token["long_end"] for token in self._tokens)

    @property
    def cut_off(self) -> bool:
        """Whether it plainly goes on: brackets or quotes are open, or its last line cannot end."""
        tokens = self._tokens
        if self.open_text or (tokens and self._breaks_off(tokens[-1])):
            return True
        bare = _TOKEN.sub(lambda token: "" if token["comment"] else "0", self.text)
        if any(bare.count(opener) > bare.count(closer) for opener, closer in _PARTNERS):
            return True
        return _GOES_ON.search(bare.rstrip()) is not None

    def _breaks_off(self, last: re.Match[str]) -> bool:
        """Whether the last string or block comment runs to the end of the text."""
        if last.end() < len(self.text.rstrip()):
            return False
        said = last["comment"]
        if said:
            return said.startswith("/*") and not said.endswith("*/")
        return last["line"] is not None and last["line_end"] != last["line"][0]

    @property
    def left_out(self) -> str:
        """What stands for code that is not there, a comment or mere dots; else an empty string."""
        if self.text.strip() in {"...", "…"}:
            return self.text.strip()
        comments = (token["comment"] for token in self._tokens if token["comment"])
        return next((said for said in comments if _LEFT_OUT.match(said)), "")
