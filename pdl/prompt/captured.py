"""Text that a template captures: the marks in it stay out of reach of filters.

`{% set x %}…{% endset %}`, `{% filter … %}`, macros and `caller()` hold what they print as a value.
Where source text in it has marks, that value is a `Captured`: it reads as text in which each
`<|…|>` is one character that no value has. Whatever is done with it must leave these characters as
they are, all of them and in their order; else it is an error, since text would move from one turn
into another.
"""

from __future__ import annotations

import re
from functools import wraps
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

from jinja2.exceptions import TemplateRuntimeError
from jinja2.utils import _PassArg

from pdl.prompt.marks import POSITION, SCHEMA_PLACE, UNIT, escaped, is_marked, unescaped
from pdl.prompt.meter import METER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from jinja2.environment import TemplateModule

_FIRST, _COUNT = 0xDB90, 0x70  # the characters that stand for marks; they repeat after so many
_STAND_IN = re.compile("[\udb90-\udbff]")
_OURS = re.compile("[\udb80-\udbff]")
"""Halves of characters that are not assigned; no text has them but by design."""
_ESCAPED = re.compile(r"\\udb[89a-f][0-9a-f]", re.IGNORECASE)
_HARMLESS = frozenset({"do_default", "do_trim", "soft_str", "str"})
_UNKNOWN_YET = (
    "the schema depends on data, so its description is known only when all is rendered: print"
    " `{{ schema }}` as it is"
)


class MarkError(TemplateRuntimeError):
    """Text that holds a turn mark was changed."""


class Captured(str):
    """Captured text with marks. `encoded` is what it prints, `turns` the characters for its marks.

    One character stands for a `<|…|>` as a whole, also where something in it was computed.

    Marks that only know places leave no trace in the text, and are lost where it is changed.
    """

    __slots__ = ("encoded", "turns")
    encoded: str
    turns: str

    def __new__(cls, text: str, encoded: str | None = None, turns: str = "") -> Self:
        """`type(x)(text)` is how Python code copies a str; of Captured that is plain text."""
        if encoded is None:
            return str(text)  # type: ignore[return-value]
        self = super().__new__(cls, text)
        self.encoded = encoded
        self.turns = turns
        return self

    def __repr__(self) -> str:
        if self.turns:
            raise _changed()
        return repr(str(self))

    def __html__(self) -> str:
        """What `{% autoescape true %}` takes; it would lose the marks."""
        if self.turns:
            raise MarkError(
                "text that holds a turn mark cannot be captured under `autoescape`: put it between"
                " `{% autoescape false %}` and `{% endautoescape %}`"
            )
        return str(self)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and not is_marked(key) and str.__contains__(self, key)

    def __iter__(self) -> Iterator[str]:
        if self.turns:
            raise _changed()
        return str.__iter__(self)

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        return kept(str.__getitem__(self, key), self)  # type: ignore[no-any-return]

    def __add__(self, other: object) -> str:
        return joined((self, other)) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: object) -> str:
        return joined((other, self)) if isinstance(other, str) else NotImplemented

    def __mul__(self, count: SupportsIndex) -> str:
        return captured(self.encoded * int(count))

    __rmul__ = __mul__

    def __mod__(self, values: Any) -> str:
        return kept(str(self) % values, self)  # type: ignore[no-any-return]

    def __rmod__(self, template: str) -> str:
        return kept(str.__mod__(template, self), self)  # type: ignore[no-any-return]


Captured.__name__ = "captured text"  # what errors of Python call it


def captured(encoded: str) -> str:
    """What a template printed into a value: plain text, or a Captured if there are marks in it."""
    if not is_marked(encoded):
        return encoded
    found: list[str] = []

    def stand_in(_: re.Match[str]) -> str:
        found.append(chr(_FIRST + len(found) % _COUNT))
        return found[-1]

    text = UNIT.sub(stand_in, POSITION.sub("", encoded))
    meter = METER.get(None)
    if found and meter is not None:
        meter.has_marks = True
    return Captured(unescaped(text), encoded, "".join(found))


def encoded(value: str) -> str:
    """The text that a value prints. Raises MarkError for what was cut out of captured text."""
    if isinstance(value, Captured):
        return value.encoded
    if not is_marked(value):
        return value
    meter = METER.get(None)
    if meter is not None and meter.has_marks and _OURS.search(value):
        raise _changed()
    return escaped(value)


def joined(pieces: Iterable[str], separator: str = "") -> str:
    """Texts one after the other, with the marks of those that are captured."""
    return captured(encoded(separator).join([encoded(piece) for piece in pieces]))


def kept(result: Any, subject: object, others: Iterable[object] = ()) -> Any:
    """The result of an operation on captured text, as captured text.

    Raises MarkError if the result has not all marks of `subject` in their order, or is made of
    parts of it. The marks of `others` may be left out, as by `default`.
    """
    held = [each for each in (subject, *others) if isinstance(each, Captured)]
    for each in held:
        if isinstance(result, str) and result == each:
            return each  # with the places that it knows
    holders = [each for each in held if each.turns]
    if not holders or isinstance(result, (int, float)) or result is None:
        return result
    if not isinstance(result, str):
        raise _changed()
    turns = "".join(_OURS.findall(result))
    for each in holders:
        if turns == each.turns:
            return _restored(result, each)
    if turns or holders[0] is subject:
        raise _changed()
    return result


def _restored(result: str, subject: Captured) -> str:
    marks = [match.group() for match in UNIT.finditer(POSITION.sub("", subject.encoded))]
    pieces = [escaped(piece) for piece in _STAND_IN.split(result)]
    out = [pieces[0]]
    for mark, piece in zip(marks, pieces[1:], strict=True):
        out += (mark, piece)
    return captured("".join(out))


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that is given captured text as plain text, and must keep its marks."""
    first = 0 if _PassArg.from_obj(function) is None else 1
    is_harmless = function.__name__ in _HARMLESS

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if Captured not in map(type, args) and Captured not in map(type, kwargs.values()):
            return function(*args, **kwargs)
        held = [each for each in (*args, *kwargs.values()) if type(each) is Captured]
        subject = args[first] if len(args) > first else None
        if isinstance(subject, Captured) and SCHEMA_PLACE in subject.encoded and not is_harmless:
            raise MarkError(_UNKNOWN_YET)
        plain = list(args)
        if isinstance(subject, Captured):
            plain[first] = str(subject)
        try:
            result = function(*plain, **kwargs)
        except UnicodeEncodeError:
            raise _changed() from None
        return kept(result, subject, held)

    return call


def module_text(module: TemplateModule) -> str:
    """What an imported template prints as a whole, with marks."""
    return "".join(module._body_stream)  # noqa: SLF001  (`str` of it is the same, and not trusted)


def without_marks(message: str) -> str:
    """A message without what stands for marks, also where it was escaped."""
    return _ESCAPED.sub("", _OURS.sub("", message))


def shows_marks(error: BaseException) -> bool:
    """Whether the text of an error that was raised on captured text shows what marks are."""
    try:
        text = f"{error} {error!r}"
    except MarkError:  # captured text has no repr
        return True
    return without_marks(text) != text


def _changed() -> MarkError:
    return MarkError(
        "a filter or an expression changed text that holds a turn mark: apply it to the value"
    )
