"""Values without parts: numbers, words, and strings in any quotes."""

from __future__ import annotations

import json
import sys
import unicodedata
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.parsing import strings, tokens
from pdl.reply.parsing.parsed import NO_FLOAT, exact, whole
from pdl.reply.parsing.reader import IncompleteError, Reader
from pdl.reply.parsing.tokens import UnreadableError
from pdl.reply.phrases import say

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.parsing.strings import End, Role

_END = r"(?![\w.%$€£°])"
DECIMAL = re.compile(
    rf"[+\-−]?(?:\d++(?>(?:_\d++)*)(?>(?:\.(?:\d++(?>(?:_\d++)*))?)?)|\.\d++)(?>(?:[eE][+-]?\d++)?){_END}"
)
RADIX = re.compile(rf"[+-]?0(?:[xX][0-9a-fA-F]++|[oO][0-7]++|[bB][01]++){_END}")
GROUPED = re.compile(rf"[+\-−]?[1-9]\d{{0,2}}(?>(?:,\d{{3}})+){_END}(?!,\d)(?!\s*+[:：])")
_JSON = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_FRACTION = re.compile(r"[.eE]")
_ZEROS = re.compile(r"[+-]?0[\d_]")
_PARTS = re.compile(r"([^eE]*)([eE]?)(.*)")


def spell_number(written: str, at: int, digits: int) -> str:
    """The number as JSON writes it. Raises UnreadableError for more digits, or leading zeros."""
    if len(written) > digits and not _FRACTION.search(written):
        raise UnreadableError(at, say("too-many-digits", number=digits))
    if _JSON.fullmatch(written):
        return written
    plain = written.replace("−", "-").replace("_", "").replace(",", "").lstrip("+")
    plain = "".join(str(unicodedata.decimal(char, char)) for char in plain)
    if plain.lstrip("-")[:2].lower() in {"0x", "0o", "0b"}:
        return _decimal(int(plain, 0), at, digits)
    if _ZEROS.match(plain):
        raise UnreadableError(at, f"has a number with a leading zero: `{written[:24]}`")
    sign = "-" if plain.startswith("-") else ""
    mantissa, exponent, power = _PARTS.fullmatch(plain.lstrip("-")).groups()  # type: ignore[union-attr]
    whole, point, fraction = mantissa.partition(".")
    return f"{sign}{whole or '0'}{point + (fraction or '0') if point else ''}{exponent}{power}"


def _decimal(number: int, at: int, digits: int) -> str:
    """An integer in digits, of which sixteen in base 16 make twenty."""
    try:
        text = str(number)
    except ValueError:  # more than Python writes
        text = ""
    if not text or len(text.lstrip("-")) > digits:
        raise UnreadableError(at, say("too-many-digits", number=digits))
    return text


def number_value(text: str, at: int) -> float | int:
    """The value of a number in JSON's spelling. Raises UnreadableError if no float will do."""
    made = whole(text, len(text)) if text.lstrip("-").isdigit() else exact(text)
    if made is None:
        raise UnreadableError(at, say("too-many-digits", number=sys.get_int_max_str_digits()))
    if isinstance(made, str):
        raise UnreadableError(at, say(NO_FLOAT[made], found=text[:24]))
    return made


_QUOTES = 1_000  # quotes without a backslash in one string
_NO_KEY = frozenset("{}[],:")
"""Marks that make a name with a line break more than a name."""


class Scalars(Reader):
    """A reader of values that have no parts."""

    def _scalar(self, value: Json, start: int) -> None:
        self._event("value", value, start)
        self._stored()

    def _number(self, at: int) -> bool:
        """The number that is there, unless more than a number is."""
        found = self._match(RADIX, at) or self._match(DECIMAL, at)
        if found is None:
            return False
        is_member = self._frame is not None and self._frame.is_object
        grouped = self._match(GROUPED, at) if is_member else None
        if grouped:
            self._sees(tokens.SOLID_AHEAD, grouped.end())
        if grouped and "number" in self._place().kinds:
            raise UnreadableError(at, f"has a comma in a number: `{grouped[0][:24]}`")
        found = grouped or found
        self._at = found.end()
        spelled = spell_number(found[0], at, self._limits.integer_digits)
        if spelled != found[0]:
            self._repair("number", at, self._at, spelled)
        self._scalar(number_value(spelled, at), at)
        return True

    def _word(self, found: re.Match[str]) -> None:
        word, start = found[0], found.start()
        if word not in tokens.CONSTANTS:
            self._bare_text(start)
            return
        self._at = found.end()
        value = tokens.CONSTANTS[word]
        if word != (spelled := json.dumps(value)):
            self._repair("python-literal", start, self._at, spelled)
        self._scalar(value, start)

    def _bare_text(self, start: int) -> None:
        """Words without quotes, where the schema has a string and they can be nothing else."""
        found = self._match(tokens.BARE_TEXT, start)
        said = found[0].rstrip() if found else ""
        end = start + len(said)
        frame = self._frame
        is_half = self._text[end : end + 1] == '"' and frame is not None and frame.is_object
        kinds = self._place().kinds
        folded = said.casefold()
        is_known = (
            folded in tokens.NO_TEXTS
            or tokens.HOLE.fullmatch(said) is not None
            or folded == str(frame.key if frame else "").casefold()
            or (folded in tokens.YES_OR_NO and "boolean" in kinds)
        )
        assigned = is_half and self._text[:start].rstrip().endswith("=")
        ends = self._sees(tokens.BARE_END, end + is_half)
        if not said or is_known or assigned or not ends or "string" not in kinds:
            raise UnreadableError(start)
        self._bare(start, said, end + is_half, "missing-quote" if is_half else "bare-value")

    def _bare(self, start: int, said: str, end: int, kind: str = "bare-value") -> None:
        self._at = end
        self._repair(kind, start, end, json.dumps(said, ensure_ascii=False))
        self._scalar(said, start)

    def _wants_text(self) -> bool:
        """Whether a string belongs here, and no number."""
        kinds = self._place().kinds
        return "string" in kinds and "integer" not in kinds

    # Strings

    def _string_value(self) -> None:
        start = self._string[0] if self._string else self._ending[0] if self._ending else self._at
        self._begun = start
        role: Role = "member" if self._frame and self._frame.is_object else "item"
        value = self._quoted(role)
        while (plus := self._joint()) is not None:
            self._repair("concatenation", self._at, plus.end(), "")
            self._at = plus.end()
            value += self._certainly_quoted(role)
        self._scalar(value, start)

    def _certainly_quoted(self, role: Role) -> str:
        """A string with one possible end: no other state is kept, which would forget its start."""
        start, kept, rollback = self._at, len(self._others), self._rollback
        try:
            said = self._quoted(role)
        finally:
            doubtful = len(self._others) > kept
            del self._others[kept:]
            self._rollback = rollback
        if doubtful:
            raise UnreadableError(start, expected="uncertain-string")
        return said

    def _joint(self) -> re.Match[str] | None:
        """The text between two strings that are one."""
        plus = self._sees(tokens.PLUS, self._at)
        line = self._sees(tokens.NEXT_LINE, self._at)
        if plus or not line or not (self._frame and self._frame.is_object):
            return plus
        return None if self._sees(tokens.KEY_AHEAD, line.end()) else line

    def _quoted(self, role: Role) -> str:
        """A string in any quotes, from its opening quote or from where it was left."""
        if self._ending:
            return self._unclosed(*self._ending)
        start, at, inner = self._string or (self._at, self._at + 1, ())
        text = self._text
        if not self._string:
            plain = tokens.STRING.match(text, start, self._seen)
            plain = plain or tokens.SINGLE.match(text, start, self._seen)
            if plain and self._sees(tokens.CERTAIN_END[role], plain.end()):
                return self._held(start, start + 1, plain.end() - 1, plain.end())
            if (triple := self._peek(3)) in tokens.TRIPLE:
                end = text.find(triple, start + 3, self._seen)
                if end > 0:
                    return self._held(start, start + 3, end, end + 3)
                self._need(self._seen)
        found = self._find_end(start, at, inner, role)
        self._at, self._string = start, None
        if found is None:
            raise UnreadableError(start, expected="uncertain-string")
        self._sees(tokens.SOLID_AHEAD, found.next)
        if not found.sure:
            self._keep(string=(start, found.next, (*found.inner, found.at)))
        if not strings.is_natural(text, found, role):
            raise UnreadableError(start, expected="uncertain-string")
        return self._held(start, start + 1, found.at, found.next)

    def _find_end(self, start: int, at: int, inner: tuple[int, ...], role: Role) -> End | None:
        """The first quote from `at` on that can end the string at `start`; `inner` were skipped.

        The string that ended without its closing quote, which a key in it suggests, is kept as
        another state.
        """
        text = self._text
        stops = tokens.STOPS[tokens.QUOTES[text[start]]]
        line: int | None = None  # the end of the first line, where a string without a quote ends
        while found := stops.search(text, at, self._seen):
            place = found.start()
            self._secure(string=(start, place, inner))
            at = place + 1
            if found[0] == "\\":
                self._need(at)
                at += 1
            elif self._sees(tokens.CERTAIN_END[role], at):
                end = strings.End(start, place, at, inner, sure=True)
                return end if not inner else strings.settled(text, end, role)
            elif self._sees(tokens.POSSIBLE_END[role], at):
                return strings.End(start, place, at, inner, sure=False)
            elif role == "member" and not inner and self._sees(tokens.ADJACENT, at):
                # Two strings in sequence; on two lines they are one, otherwise they are unclear.
                lines = self._sees(tokens.NEXT_LINE, at)
                return strings.End(start, place, at, (), sure=True) if lines else None
            else:
                if role == "member" and self._sees(tokens.QUOTED_KEY_AHEAD, place):
                    line = text.find("\n", start, self._seen) if line is None else line
                    self._keep_unquoted(start, place, line)
                self._need(place + strings.ELIDED)
                if not strings.is_apostrophe(text, place, role):
                    inner = (*inner, place)
                if len(inner) > _QUOTES:
                    raise UnreadableError(start, expected="uncertain-string")
        self._secure(string=(start, self._seen, inner))
        self._need(self._seen)
        return None

    def _need(self, at: int) -> None:
        """Wait for a character."""
        if at >= self._seen and not self._ended:
            raise IncompleteError

    def _keep_unquoted(self, start: int, key: int, line: int) -> None:
        """Keep the state in which the string ended without a quote before a key at `key`."""
        end = strings.end_before(self._text, key)
        if end and (line < 0 or end <= line):
            self._keep(ending=(start, end))
            self._passed = True

    def _unclosed(self, start: int, end: int) -> str:
        self._ending = None
        body = self._text[start + 1 : end]
        if not body.strip() or strings.ends_in_doubt(body):
            why = "has a string without a closing quote, and its end is unclear"
            raise UnreadableError(start + len(body.rstrip()), why)
        opener = self._text[start]
        if strings.has_quote(body, opener) or tokens.QUOTES[opener] in body:
            raise UnreadableError(start, expected="uncertain-string")
        value = self._held(start, start + 1, end, end)
        self._repair("missing-quote", end, end, '"')
        return value

    def _held(self, start: int, body_start: int, body_end: int, end: int) -> str:
        """The value of a string, and the repairs of its quotes and its content."""
        body = self._text[body_start:body_end]
        self._at = end
        opener = self._text[start:body_start]
        if opener == '"' and tokens.PLAIN.fullmatch(body):
            return body
        value, escapes = strings.unescaped(body, body_start, key=self._phase == "key")
        if lone := strings.SURROGATES.search(value):
            found = f"\\u{ord(lone[0]):04x}"
            raise UnreadableError(body_start, say("half-character", found=found))
        kinds = {
            "quotes": opener != '"',
            "inner-quotes": strings.has_quote(body, opener),
            "escape": escapes,
        }
        for kind in [kind for kind, found in kinds.items() if found]:
            self._repair(kind, start, end, json.dumps(value, ensure_ascii=False))
        if raw := strings.CONTROL.search(body):
            place = body_start + raw.start()
            if self._phase == "key" and not _NO_KEY.isdisjoint(body):
                raise UnreadableError(place, "has a newline in what might be a key")
            self._repair("raw-control", place, place + 1, json.dumps(raw.group())[1:-1])
        return value
