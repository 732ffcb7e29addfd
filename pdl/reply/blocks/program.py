"""The surface of a program in any language: its strings and comments, and what is left open.

No language is parsed. What holds for nearly all of them is enough to tell whether code was cut off,
or leaves something out and says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from pdl.reply.blocks.gaps import dots, stands_for_code

_TOKEN = re.compile(
    r"""(?s:(?P<long>\"{3}|'{3}).*?(?P<long_end>(?P=long)|\Z))"""
    r"""|(?P<comment>(?s:/\*.*?(?:\*/|\Z))|<!--(?s:.*?)(?:-->|\Z)|(?<!:)//[^\n]*+"""
    r"""|(?<!\S)(?:\#(?=[ !.…]|$)|--(?=[ .…]|$)|;;|%(?=[ .…]))[^\n]*+)"""
    r"""|(?P<line>"[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)|(?<![A-Za-z]{2})(?<![&<])'[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*))"""
    r"""(?P<line_end>["']?)""",
    re.MULTILINE,
)
_GOES_ON = re.compile(r"(?:[,(\[{=&|^\\:]|(?<![+])\+|(?<!-)-|(?<!\*)[*]|(?<!\.)\.|<)\Z")
_MAIN = re.compile(r"\b(?:fn|func|fun|void|int|def|function)\s+main\s*\(")
_BRACE = re.compile(r"[{}]")
_PARTNERS = (("(", ")"), ("[", "]"), ("{", "}"))


@dataclass(frozen=True)
class Program:
    """A program's text, to be asked about its end and its comments. Each answer is linear."""

    text: str
    language: str = ""

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
        bare = self._bare
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
    def ends_with_main(self) -> bool:
        """Whether its last line ends the function `main`, with which programs end.

        Else one that seems whole may go on: a statement, or a function, may have been the first.
        """
        bare = self._bare.rstrip()
        main = _MAIN.search(bare)
        if main is None or not bare.endswith("}") or bare.find("{", main.end()) < 0:
            return False
        depth = 0
        for brace in _BRACE.finditer(bare, main.end()):
            depth += 1 if brace[0] == "{" else -1
            if not depth:
                return brace.end() == len(bare)
        return False

    @cached_property
    def _bare(self) -> str:
        """The text without comments, and with `0` for each string."""
        return _TOKEN.sub(lambda token: "" if token["comment"] else "0", self.text)

    @property
    def left_out(self) -> str:
        """What stands for code that is not there, a comment or mere dots; else an empty string."""
        if self.text.strip() in {"...", "…"}:
            return self.text.strip()
        comments = (token for token in self._tokens if token["comment"])
        said = (token["comment"] for token in comments if stands_for_code(token, self.text))
        return next(said, "") or dots(self._bare, self.language)
