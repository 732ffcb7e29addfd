"""Classes and literals that hold nothing, or what no text can hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.gbnf.nodes import LAST, CharClass, Group, Item, Literal, Repeat, Sequence
from pdl.gbnf.utf8 import characters
from pdl.gbnf.write import item_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.linting.finding import Finding, Reporter

_BYTES = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_BYTE_RANGES = frozenset({
    (0x80, 0xBF), (0xC0, 0xDF), (0xC2, 0xDF), (0xE0, 0xEF), (0xE1, 0xEF), (0xE1, 0xEC),
    (0xF0, 0xF7), (0xF0, 0xF4), (0xF1, 0xF3), (0xC0, 0xFF), (0x80, 0xFF),
})  # fmt: skip
"""Ranges of bytes that people write who take `\\xHH` for a byte."""
_SURROGATES = (0xD800, 0xDFFF)


def in_options(options: Iterable[Sequence], report: Reporter) -> Iterator[Finding]:
    """What is odd about the literals and classes of some alternatives."""
    for option in options:
        for item in option.items:
            yield from _of(item, report)
            if isinstance(item, Literal) and not item.codes:
                message = '`""` does nothing here'
                hint = "remove it"
                yield report.at(item, "empty-literal", message, hint)


def _of(item: Item, report: Reporter) -> Iterator[Finding]:
    if isinstance(item, Literal):
        yield from _literal(item, report)
    elif isinstance(item, CharClass):
        yield from _class(item, report)
    elif isinstance(item, Group):
        yield from in_options(item.options, report)
    elif isinstance(item, Repeat):
        yield from _of(item.item, report)


def _literal(item: Literal, report: Reporter) -> Iterator[Finding]:
    wrong = next((code for code in item.codes if not characters(((code, code),))), None)
    if wrong is not None:
        message = f"{_named(wrong)} in a literal, which therefore never matches"
        hint = "remove it, or write the character that was meant"
        yield report.at(item, "impossible-character", message, hint)
    garbled = _garbled(item, report)
    if garbled:
        yield garbled


def _garbled(item: Literal, report: Reporter) -> Finding | None:
    """A literal that spells the bytes of UTF-8."""
    if not any(0x80 <= code <= 0xFF for code in item.codes):  # noqa: PLR2004 - upper half
        return None
    written = report.source.text[max(item.start, 0) : item.end]
    codes = bytes(code if code <= 0xFF else 0 for code in item.codes)  # noqa: PLR2004 - bytes
    found = _BYTES.search(codes)
    if found is None or "\\x" not in written:
        return None
    spelled = "".join(f"\\x{byte:02X}" for byte in found[0])
    character = found[0].decode("utf-8", "replace")
    message = f"`{spelled}` is {len(found[0])} characters, not the bytes of `{character}`"
    hint = f"write `{item_text(Literal((ord(character),)))[1:-1]}` or `\\u{ord(character):04X}`"
    return report.at(item, "bytes-as-characters", message, hint)


def _class(item: CharClass, report: Reporter) -> Iterator[Finding]:
    shown = item_text(item)
    if not item.ranges:
        message = f"`{shown}` is the empty text"
        hint = "write `.` for any character" if item.negated else 'write `""`, or remove it'
        yield report.at(item, "empty-class", message, hint)
    for low, high in item.ranges:
        if low > high:
            message = f"the range `{_range(low, high)}` is reversed, and holds no character"
            hint = f"write `{_range(high, low)}`"
            yield report.at(item, "reversed-range", message, hint)
        elif not item.negated:
            yield from _impossible(item, low, high, report)
    written = report.source.text[max(item.start, 0) : item.end]
    odd = [one for one in item.ranges if one in _BYTE_RANGES and "\\x" in written]
    if odd and not any(low > 0xFF for low, _ in item.ranges):  # noqa: PLR2004 - bytes
        low, high = odd[0]
        message = f"`\\x{low:02X}-\\x{high:02X}` are characters from U+{low:04X} on, not bytes"
        hint = "write the characters that are meant, as `[à-ÿ]` or `[\\u00E0-\\u00FF]`"
        yield report.at(item, "bytes-as-characters", message, hint)


def _impossible(item: CharClass, low: int, high: int, report: Reporter) -> Iterator[Finding]:
    """What of a range no text can hold."""
    if not characters(((low, high),)):
        message = f"{_named(low)} in a class, which no text has"
        hint = "remove it, or write the character that was meant"
        yield report.at(item, "impossible-character", message, hint)
        return
    held = [
        "NUL" if not low else "",
        "halves of surrogate pairs" if low <= _SURROGATES[1] and high >= _SURROGATES[0] else "",
        "what is beyond U+10FFFF" if high > LAST else "",
    ]
    if any(held):
        message = f"the range `{_range(low, high)}` includes {' and '.join(filter(None, held))}"
        left = "".join(_range(*one) for one in characters(((low, high),)))
        yield report.at(item, "partly-impossible", message, f"write `{left}`")


def _range(low: int, high: int) -> str:
    return item_text(CharClass(((low, high),)))[1:-1]


def _named(code: int) -> str:
    if not code:
        return "NUL (U+0000)"
    if _SURROGATES[0] <= code <= _SURROGATES[1]:
        return f"half a surrogate pair (U+{code:04X})"
    return f"a number beyond Unicode's last (U+{code:04X})"
