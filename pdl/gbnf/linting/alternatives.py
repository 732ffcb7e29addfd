"""Checks of alternatives: bars at line ends, duplicates, long lists of literals, odd characters.

Classes and literals are odd that match nothing, or that no string can match.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from pdl.errors import count
from pdl.gbnf.nodes import (
    LAST,
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    Rule,
    Sequence,
    item_text,
    sequence_text,
)
from pdl.gbnf.utf8 import characters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.linting.finding import Finding, Reporter


_BLANK = re.compile(r"(?>(?:[ \t\r\n]|#[^\r\n]*+)*)")
_BAR_LINE = re.compile(r"\|[ \t]*+(?>(?:#[^\r\n]*+)?)(?:\r?\n)")
_EMPTY_LINE = re.compile(r"\n[ \t]*+(?:\r?\n|#)")
_NEEDLESS = 16
"""As many stacks that a trie would save are worth a finding."""
_SHOWN = 40


def trailing(rule: Rule, report: Reporter) -> Iterator[Finding]:
    """Bars at the end of a line: at the end of the rule, or before what looks like a new one."""
    text = report.source.text
    ends = rule.named
    for index, option in enumerate(rule.options):
        if index and option.start >= 0:
            yield from _bar(text, ends, option, report)
        elif index and index == len(rule.options) - 1:
            bar = _next_bar(text, ends, index - _last_written(rule.options, index))
            if bar >= 0 and _BAR_LINE.match(text + "\n" if bar + 1 == len(text) else text, bar):
                message = f"this `|` ends the line, so rule `{rule.name}` matches the empty string"
                hint = 'remove the `|`, or write `| ""` if that is intended'
                yield report.at((bar, bar + 1), "trailing-bar", message, hint)
        ends = max(ends, option.end)


def _last_written(options: tuple[Sequence, ...], before: int) -> int:
    """The index of the last alternative before one that is not left empty."""
    return next((n for n in range(before - 1, 0, -1) if options[n].start >= 0), 0)


def _next_bar(text: str, at: int, count: int) -> int:
    """Where the bar of that number is after an offset, over whitespace and comments."""
    bar = at - 1
    for _ in range(count):
        found = _BLANK.match(text, bar + 1)
        assert found is not None
        bar = found.end()
        if text[bar : bar + 3] == "::=":
            found = _BLANK.match(text, bar + 3)
            assert found is not None
            bar = found.end()
        if text[bar : bar + 1] != "|":
            return -1
    return bar


def _bar(text: str, ends: int, option: Sequence, report: Reporter) -> Iterator[Finding]:
    """A bar at the end of a line before an alternative that does not look like one."""
    gap = text[ends : option.start]
    found = _BAR_LINE.search(gap)
    if found is None:
        return
    after = gap[found.end() - 1 :]
    if _EMPTY_LINE.match(after) or after.endswith("\n"):
        bar = ends + found.start()
        message = "this `|` ends the line, and continues the rule below"
        hint = "indent the next line, or remove the `|`"
        yield report.at((bar, bar + 1), "bar-at-line-end", message, hint)


def check_alternatives(
    options: tuple[Sequence, ...], location: tuple[int, int], report: Reporter
) -> Iterator[Finding]:
    """Find duplicates and long lists in alternatives, and in the groups inside them."""
    yield from _doubles(options, location, report)
    yield from _flat(options, location, report)
    for option in options:
        for item in option.items:
            yield from _inside(item, report)


def _inside(item: Item, report: Reporter) -> Iterator[Finding]:
    while isinstance(item, Repeat):
        item = item.item
    if isinstance(item, Group):
        yield from check_alternatives(item.options, (item.start, item.end), report)


def _doubles(
    options: tuple[Sequence, ...], location: tuple[int, int], report: Reporter
) -> Iterator[Finding]:
    seen: set[Sequence] = set()
    for option in options:
        if option in seen:
            if option.start >= 0:
                location = option.start, option.end
            shown = sequence_text(option)[:_SHOWN] or '""'
            message = f"duplicate alternative `{shown}`"
            yield report.at(location, "duplicate-alternative", message, "remove one of them")
        seen.add(option)


def _flat(
    options: tuple[Sequence, ...], location: tuple[int, int], report: Reporter
) -> Iterator[Finding]:
    """Many alternatives that begin with the same characters."""
    literals = [
        item
        for option in options[: len(options) if len(options) > _NEEDLESS else 0]
        if option.items and isinstance(item := option.items[0], Literal) and item.codes
    ]
    first = Counter(item.codes[0] for item in literals)
    if len(literals) - len(first) < _NEEDLESS:
        return
    code, same = first.most_common(1)[0]
    words = [item for item in literals if item.codes[0] == code]
    two = [item_text(Literal(item.codes[1:])) for item in words[:2]]
    head = item_text(Literal((code,)))
    message = (
        f"{len(literals)} alternative literals need as many parse stacks, and begin with only"
        f" {count(len(first), 'different character')}"
    )
    hint = (
        f"share prefixes, as `{head} ({' | '.join(two)} | …)` for the {same} with {head}"
        " (`Grammar.optimize` does so)"
    )
    yield report.at(location, "flat-alternatives", message, hint)


_BYTES = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_BYTE_RANGES = frozenset({
    (0x80, 0xBF), (0xC0, 0xDF), (0xC2, 0xDF), (0xE0, 0xEF), (0xE1, 0xEF), (0xE1, 0xEC),
    (0xF0, 0xF7), (0xF0, 0xF4), (0xF1, 0xF3), (0xC0, 0xFF), (0x80, 0xFF),
})  # fmt: skip
"""Ranges of bytes that people write who take `\\xHH` for a byte."""
_SURROGATES = (0xD800, 0xDFFF)


def check_characters(options: Iterable[Sequence], report: Reporter) -> Iterator[Finding]:
    """Find odd literals and classes in some alternatives."""
    for option in options:
        for item in option.items:
            yield from _of(item, report)
            if isinstance(item, Literal) and not item.codes:
                message = '`""` has no effect here'
                hint = "remove it"
                yield report.at(item, "empty-literal", message, hint)


def _of(item: Item, report: Reporter) -> Iterator[Finding]:
    if isinstance(item, Literal):
        yield from _literal(item, report)
    elif isinstance(item, CharClass):
        yield from _class(item, report)
    elif isinstance(item, Group):
        yield from check_characters(item.options, report)
    elif isinstance(item, Repeat):
        yield from _of(item.item, report)


def _literal(item: Literal, report: Reporter) -> Iterator[Finding]:
    wrong = next((code for code in item.codes if not characters(((code, code),))), None)
    if wrong is not None:
        message = f"{_named(wrong)} in a literal, which never matches"
        hint = "remove it, or write the intended character"
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
        message = f"`{shown}` matches only the empty string"
        hint = "write `.` for any character" if item.negated else 'write `""`, or remove it'
        yield report.at(item, "empty-class", message, hint)
    for low, high in item.ranges:
        if low > high:
            message = f"the range `{_range(low, high)}` is reversed, and matches nothing"
            hint = f"write `{_range(high, low)}`"
            yield report.at(item, "reversed-range", message, hint)
        elif not item.negated:
            yield from _impossible(item, low, high, report)
    written = report.source.text[max(item.start, 0) : item.end]
    odd = [one for one in item.ranges if one in _BYTE_RANGES and "\\x" in written]
    if odd and not any(low > 0xFF for low, _ in item.ranges):  # noqa: PLR2004 - bytes
        low, high = odd[0]
        message = f"`\\x{low:02X}-\\x{high:02X}` are characters from U+{low:04X} on, not bytes"
        hint = "write the intended characters, such as `[à-ÿ]` or `[\\u00E0-\\u00FF]`"
        yield report.at(item, "bytes-as-characters", message, hint)


def _impossible(item: CharClass, low: int, high: int, report: Reporter) -> Iterator[Finding]:
    """The part of a range that no string can contain."""
    if not characters(((low, high),)):
        message = f"{_named(low)} in a class, which no string contains"
        hint = "remove it, or write the intended character"
        yield report.at(item, "impossible-character", message, hint)
        return
    odd = [
        "NUL" if not low else "",
        "surrogates" if low <= _SURROGATES[1] and high >= _SURROGATES[0] else "",
        "numbers beyond U+10FFFF" if high > LAST else "",
    ]
    if any(odd):
        message = f"the range `{_range(low, high)}` includes {' and '.join(filter(None, odd))}"
        left = "".join(_range(*one) for one in characters(((low, high),)))
        yield report.at(item, "partly-impossible", message, f"write `{left}`")


def _range(low: int, high: int) -> str:
    return item_text(CharClass(((low, high),)))[1:-1]


def _named(code: int) -> str:
    if not code:
        return "NUL (U+0000)"
    if _SURROGATES[0] <= code <= _SURROGATES[1]:
        return f"unpaired surrogate (U+{code:04X})"
    return f"number beyond U+10FFFF (U+{code:04X})"
