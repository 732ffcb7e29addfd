"""What `{{ value }}` prints, and text that a template captures.

`{% set x %}…{% endset %}`, `{% filter … %}`, macros and `caller()` store their output as a value.
Where source text in it has markers, that value is a `Captured`: it reads as text in which each
`<|…|>` is one character that no value has. Whatever is done with it must leave these characters
unchanged, all of them and in their order; otherwise it is an error, since text would move from one
turn into another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import wraps
from types import BuiltinMethodType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

from jinja2 import TemplateRuntimeError, Undefined
from jinja2.environment import Template, TemplateModule
from jinja2.utils import _PassArg

from pdl.errors import an_instance
from pdl.prompt.markers import POSITION, SCHEMA_PLACEHOLDER, UNIT, escaped, has_markers, unescaped
from pdl.prompt.render_budget import (
    BUDGET,
    is_container,
    measure_size,
    watched,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


_FIRST, _COUNT = 0xDB90, 0x70  # the characters that represent markers; they repeat after that many
_STAND_IN = re.compile("[\udb90-\udbff]")
_OURS = re.compile("[\udb80-\udbff]")
"""Surrogates of unassigned characters; text contains them only on purpose."""
_ESCAPED = re.compile(r"\\udb[89a-f][0-9a-f]", re.IGNORECASE)
_HARMLESS = frozenset({"do_default", "do_trim", "soft_str", "str"})
_UNKNOWN_YET = (
    "the schema depends on data, so its description is unknown until everything is rendered: print"
    " `{{ schema }}` without filters"
)


class MarkerError(TemplateRuntimeError):
    """Text that contains a turn marker was changed."""


class Captured(str):
    """Captured text with markers: `encoded` is what it prints, `turns` what its markers read as.

    One character represents a whole `<|…|>`, even if something in it was computed. Position markers
    leave no trace in the text, and are lost if it is changed.
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
        """What `{% autoescape true %}` takes; it would lose the markers."""
        if self.turns:
            raise MarkerError(
                "text that contains a turn marker cannot be captured under `autoescape`: put it"
                " between `{% autoescape false %}` and `{% endautoescape %}`"
            )
        return str(self)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and not has_markers(key) and str.__contains__(self, key)

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
    """What a template printed into a value: plain text, or a Captured if it has markers."""
    if not has_markers(encoded):
        return encoded
    found: list[str] = []

    def stand_in(_: re.Match[str]) -> str:
        found.append(chr(_FIRST + len(found) % _COUNT))
        return found[-1]

    text = UNIT.sub(stand_in, POSITION.sub("", encoded))
    budget = BUDGET.get(None)
    if found and budget is not None:
        budget.has_captured_markers = True
    return Captured(unescaped(text), encoded, "".join(found))


def encoded(value: str) -> str:
    """The text that a value prints. Raises MarkerError for what was cut out of captured text."""
    if isinstance(value, Captured):
        return value.encoded
    if not has_markers(value):
        return value
    budget = BUDGET.get(None)
    if budget is not None and budget.has_captured_markers and _OURS.search(value):
        raise _changed()
    return escaped(value)


def joined(pieces: Iterable[str], separator: str = "") -> str:
    """Texts joined, with the markers of those that are captured."""
    return captured(encoded(separator).join([encoded(piece) for piece in pieces]))


def kept(result: Any, subject: object, others: Iterable[object] = ()) -> Any:
    """The result of an operation on captured text, as captured text.

    Raises MarkerError if the result lacks markers of `subject`, has them in another order, or is
    made of parts of it. The markers of `others` can be left out, as by `default`.
    """
    held = [each for each in (subject, *others) if isinstance(each, Captured)]
    for each in held:
        if isinstance(result, str) and result == each:
            return each  # with its position markers
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
    markers = [match.group() for match in UNIT.finditer(POSITION.sub("", subject.encoded))]
    pieces = [escaped(piece) for piece in _STAND_IN.split(result)]
    out = [pieces[0]]
    for marker, piece in zip(markers, pieces[1:], strict=True):
        out += (marker, piece)
    return captured("".join(out))


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that is given captured text as plain text, and must keep its markers."""
    first = 0 if _PassArg.from_obj(function) is None else 1
    is_harmless = function.__name__ in _HARMLESS

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if Captured not in map(type, args) and Captured not in map(type, kwargs.values()):
            return function(*args, **kwargs)
        held = [each for each in (*args, *kwargs.values()) if type(each) is Captured]
        subject = args[first] if len(args) > first else None
        if (
            isinstance(subject, Captured)
            and SCHEMA_PLACEHOLDER in subject.encoded
            and not is_harmless
        ):
            raise MarkerError(_UNKNOWN_YET)
        plain = list(args)
        if isinstance(subject, Captured):
            plain[first] = str(subject)
        try:
            result = function(*plain, **kwargs)
        except UnicodeEncodeError:
            raise _changed() from None
        return kept(result, subject, held)

    return call


class ImportedTemplate(TemplateModule):
    """An imported template, whose text is captured, with its markers."""

    def __str__(self) -> str:
        return captured("".join(self._body_stream))

    def __html__(self) -> str:  # type: ignore[override]  # Jinja makes it Markup
        text = str(self)
        return text.__html__() if isinstance(text, Captured) else text


class PromptTemplate(Template):
    """A template that others can import."""

    def make_module(
        self,
        vars: dict[str, Any] | None = None,  # noqa: A002 - Jinja's name
        shared: bool = False,  # noqa: FBT001, FBT002
        locals: Mapping[str, Any] | None = None,  # noqa: A002
    ) -> TemplateModule:
        """Return what `import` binds."""
        return ImportedTemplate(self, self.new_context(vars, shared, locals))


def without_markers(message: str) -> str:
    """A message without the characters of markers, even if they are escaped."""
    return _ESCAPED.sub("", _OURS.sub("", message))


def shows_markers(error: BaseException) -> bool:
    """Whether the text of an error that was raised on captured text shows what markers are."""
    try:
        text = f"{error} {error!r}"
    except MarkerError:  # captured text has no repr
        return True
    return without_markers(text) != text


def _changed() -> MarkerError:
    return MarkerError(
        "a filter or an expression changed text that contains a turn marker: apply it to the value"
    )


_FUNCTIONS = (FunctionType, BuiltinMethodType, MethodType)
_PLAIN: tuple[Any, Any] = (object.__str__, object.__repr__)


def emitted(value: Any) -> str:
    """The text that a value prints, with its markers if it was captured; for each `{{ … }}`.

    Raises MarkerError for a part of captured text, TemplateRuntimeError for what has no text.
    """
    kind = type(value)
    if kind is str:
        return value if value.isascii() else encoded(value)
    if kind is Captured:
        return value.encoded  # type: ignore[no-any-return]
    if kind is not int:
        value = str(value) if kind is ImportedTemplate else printed(value)
    text = value if isinstance(value, str) else str(value)
    return text if text.isascii() else encoded(text)


def printed(value: Any) -> Any:
    """The value as it is printed.

    A list that holds an undefined name notes it. Raises TemplateRuntimeError for what can't be
    printed: functions, and objects without a text other than their address.
    """
    kind = type(value)
    if kind is str or kind is int or value is None:
        return value
    if is_container(value):
        return _container(value)
    if isinstance(value, Iterator):
        return _container(bounded_list(value))
    if isinstance(value, (*_FUNCTIONS, type)):
        raise TemplateRuntimeError("this is a function; call it to print its result")
    if (kind.__str__, kind.__repr__) == _PLAIN:
        raise TemplateRuntimeError(f"an object of the class {kind.__name__} cannot be printed")
    return value


def text_of(value: Any) -> str:
    """The text that a value prints."""
    return str(printed(value))


def bounded_list(values: Any) -> list[Any]:
    """Return a list of all values; too many, or too much time, end it."""
    return list(watched(iter(values)))


def _container(value: Any) -> Any:
    """Measure a container before it is printed, and look at what its items are printed as."""
    measure_size(value, meet=_meet)
    return value


def _meet(item: Any) -> None:
    kind = type(item)
    if isinstance(item, Undefined):
        str(item)  # which notes it
    elif isinstance(item, (*_FUNCTIONS, type)) or kind.__repr__ == _PLAIN[1]:
        raise TemplateRuntimeError(
            f"a list or an object that contains {an_instance(kind)} cannot be printed"
        )
