"""Values without parts: numbers, words, and strings in any quotes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pdl.reply.parsing import numbers, strings, tokens
from pdl.reply.parsing.cursor import Cursor
from pdl.reply.parsing.errors import UnreadableError

if TYPE_CHECKING:
    import re

    from pdl._types import Json
    from pdl.reply.parsing.strings import Role

_NO_KEY = frozenset("{}[],:")
"""Marks that make a name with a line end more than a name."""


class Scalars(Cursor):
    """A reader of values that have no parts."""

    def _number(self, found: re.Match[str]) -> None:
        start = self._at
        frame = self._frame
        grouped = numbers.grouped(self._text, start) if frame and frame.is_object else None
        if grouped:
            if "number" in self._kinds():
                why = f"has a comma in a number: `{grouped[0][:24]}`"
                raise UnreadableError(start, why)
            found = grouped
        self._at = found.end()
        spelled = numbers.spelled(found[0], start, self._limits.integer_digits)
        if spelled != found[0]:
            self._repair("number", start, self._at, spelled)
        self._scalar(numbers.value(spelled, start), start)

    def _word(self, word: str, end: int) -> None:
        start = self._at
        if word in tokens.CONSTANTS:
            self._at = end
            self._scalar(tokens.CONSTANTS[word], start)
        elif word in tokens.OTHER_CONSTANTS:
            value = tokens.OTHER_CONSTANTS[word]
            self._at = end
            self._repair("python-literal", start, end, json.dumps(value))
            self._scalar(value, start)
        else:
            self._bare_text(start)

    def _bare_text(self, start: int) -> None:
        """Words without quotes, where the schema has a string and they can be nothing else."""
        found = tokens.BARE_TEXT.match(self._text, start)
        said = found[0].rstrip() if found else ""
        end = start + len(said)
        frame = self._frame
        half = self._text[end : end + 1] == '"' and frame is not None and frame.is_object
        name = str(frame.key) if frame else ""
        known = (
            tokens.HOLE.fullmatch(said) is not None
            or said.casefold() in tokens.NO_TEXTS
            or said.casefold() in tokens.NEARLY_CONSTANTS
            or said.casefold() == name.casefold()
        )
        ends = tokens.BARE_END.match(self._text, end + half)
        kinds = self._kinds()
        known = known or (said.casefold() in tokens.YES_OR_NO and "boolean" in kinds)
        doubtful = half and self._text[:start].rstrip().endswith("=")
        if not said or known or doubtful or not ends or "string" not in kinds:
            raise UnreadableError(start)
        self._bare(start, said, end + half, "missing-quote" if half else "bare-value")

    def _bare(self, start: int, said: str, end: int, kind: str = "bare-value") -> None:
        self._at = end
        self._repair(kind, start, end, json.dumps(said, ensure_ascii=False))
        self._scalar(said, start)

    def _wants_text(self) -> bool:
        """Whether a string belongs here, and no number."""
        kinds = self._kinds()
        return "string" in kinds and "integer" not in kinds

    def _scalar(self, value: Json, start: int) -> None:
        self._event("value", value, start, self._at)
        self._stored()

    def _string_value(self) -> None:
        start = self._string[0] if self._string else self._ending[0] if self._ending else self._at
        frame = self._frame
        value = self._quoted("member" if frame and frame.is_object else "item")
        while (plus := self._joint()) is not None:
            self._repair("concatenation", self._at, plus.end(), "")
            self._at = plus.end()
            value += self._certainly_quoted("member" if frame and frame.is_object else "item")
        self._scalar(value, start)

    def _certainly_quoted(self, role: Role) -> str:
        """A string that can end at one place only: nothing is kept that would forget its start."""
        start, kept = self._at, len(self._others)
        try:
            said = self._quoted(role)
        finally:
            doubtful = len(self._others) > kept
            del self._others[kept:]
        if doubtful:
            raise UnreadableError(start, expected="uncertain-string")
        return said

    def _joint(self) -> re.Match[str] | None:
        """What stands between two strings that are one."""
        plus = tokens.PLUS.match(self._text, self._at)
        line = tokens.NEXT_LINE.match(self._text, self._at)
        if plus or not line or not (self._frame and self._frame.is_object):
            return plus
        return None if tokens.KEY_AHEAD.match(self._text, line.end()) else line

    def _quoted(self, role: Role) -> str:
        """A string in any quotes, from its opening quote or from where it is to go on."""
        if self._ending:
            return self._unclosed(*self._ending)
        start, at, inner = self._string or (self._at, self._at + 1, ())
        if not self._string:
            plain = tokens.STRING.match(self._text, start)
            if plain and tokens.CERTAIN_END[role].match(self._text, plain.end()):
                self._at = plain.end()
                return plain[1]
            single = None if plain else tokens.SINGLE.match(self._text, start)
            if single and tokens.CERTAIN_END[role].match(self._text, single.end()):
                return self._held(start, start + 1, single.end() - 1, single.end())
        self._string = None
        triple = self._text[start : start + 3]
        if triple in tokens.TRIPLE and (end := self._text.find(triple, start + 3)) > 0:
            return self._held(start, start + 3, end, end + 3)
        found, unquoted = strings.find_end(self._text, start, at, inner, role)
        self._at = start
        for place in unquoted:
            self._keep(ending=(start, place))
        self._passed = self._passed or bool(unquoted)
        if found is None:
            raise UnreadableError(start, expected="uncertain-string")
        if not found.sure:
            self._keep(string=(start, found.next, (*found.inner, found.at)))
        if not strings.natural(self._text, found, role):
            raise UnreadableError(start, expected="uncertain-string")
        return self._held(start, start + 1, found.at, found.next)

    def _unclosed(self, start: int, end: int) -> str:
        self._ending = None
        body = self._text[start + 1 : end]
        if not body.strip() or strings.ends_in_doubt(body):
            why = "has a string without a closing quote, and its end is not certain"
            raise UnreadableError(start + len(body.rstrip()), why)
        opener = self._text[start]
        if strings.has_quote(body, opener) or tokens.QUOTES[opener] in body:
            raise UnreadableError(start, expected="uncertain-string")
        value = self._held(start, start + 1, end, end)
        self._repair("missing-quote", end, end, '"')
        return value

    def _held(self, start: int, body_start: int, body_end: int, end: int) -> str:
        """The value of a string, and the repairs of its quotes and of what is in it."""
        body = self._text[body_start:body_end]
        self._at = end
        value, escapes = strings.unescaped(body, body_start, key=self._phase == "key")
        opener = self._text[start:body_start]
        kinds = {
            "quotes": opener != '"',
            "inner-quotes": strings.has_quote(body, opener),
            "escape": escapes,
        }
        for kind in [kind for kind, found in kinds.items() if found]:
            self._repair(kind, start, end, json.dumps(value, ensure_ascii=False))
        if raw := strings.raw_control(body):
            place = body_start + raw.start()
            if self._phase == "key" and not _NO_KEY.isdisjoint(body):
                raise UnreadableError(place, "has a line end in what may be a key")
            self._repair("raw-control", place, place + 1, json.dumps(raw.group())[1:-1])
        return value
