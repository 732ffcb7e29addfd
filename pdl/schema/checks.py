"""What annotations demand beyond JSON Schema: predicates, digits, bounds of dates, time zones.

The metadata of `Annotated` is read by the names that annotated-types, pydantic and msgspec share,
so none of them is imported.
"""

from __future__ import annotations

import datetime as dt
import math
import operator
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from pdl.errors import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@dataclass(frozen=True)
class Check:
    """A demand on an instance, to be called with it; `words` such as `must be lowercase`.

    `rule_words` are its words for the description of a type; empty if the schema already says it.
    """

    words: str
    accepts: Callable[[Any], object]
    is_told: bool = True

    @property
    def rule_words(self) -> str:
        """What the description of a type says of it, as of a rule."""
        return self.words if self.is_told else ""

    def __call__(self, value: Any) -> str | None:
        """Return what is wrong with a value, None if nothing is.

        Raises what a predicate raises other than ValueError.
        """
        try:
            return None if self.accepts(value) else self.words
        except ValueError as error:
            return str(error) or self.words


def checks_of(metadata: Iterable[Any]) -> tuple[Check, ...]:
    """Return the demands of the metadata of `Annotated` that JSON Schema can't express.

    Each is called with an instance of the type and returns what is wrong with it, such as
    `must be at least 2020-01-01`, or None. A value to which a demand doesn't apply, such as the
    None of an optional date, is accepted. They are: predicates of annotated-types; `max_digits` and
    `decimal_places`; bounds of dates, times and durations; time zones; and the bounds of a Decimal,
    exactly. Rules of `pdl.Rule` are not among them. Raises ValueError for an unknown time zone.
    """
    return tuple(check for one in flattened(metadata) for check in own_checks(one))


def flattened(metadata: Iterable[Any]) -> Iterator[Any]:
    """Yield each piece of metadata: also what a group or a field of pydantic consists of."""
    for one in metadata:
        if getattr(one, "__is_annotated_types_grouped_metadata__", None) is True:
            yield from flattened(one)
            continue
        yield one
        inner = getattr(one, "metadata", None)
        if isinstance(inner, list | tuple):
            yield from flattened(inner)


def own_checks(one: Any) -> Iterator[Check]:
    """Yield the demands of one piece of `flattened` metadata."""
    yield from _bounds(one)
    if not isinstance(one, type):
        yield from _digits(one)
    if is_of(one, "annotated_types", "Predicate"):
        yield _predicate(one.func)
    elif is_of(one, "annotated_types", "Not"):
        yield _predicate(one)
    zone = zone_of(one)
    if zone is not NO_ZONE:
        yield _zone(zone)


def is_of(one: Any, module: str, name: str) -> bool:
    """Whether it is an instance of a class of a library, which isn't imported for the question."""
    return any((kind.__module__, kind.__name__) == (module, name) for kind in type(one).__mro__)


_BOUNDS = MappingProxyType(
    {
        "ge": (operator.ge, "at least", "at least"),
        "gt": (operator.gt, "more than", "after"),
        "le": (operator.le, "at most", "at most"),
        "lt": (operator.lt, "less than", "before"),
    }
)
_TEMPORAL = (dt.datetime, dt.date, dt.time, dt.timedelta)  # a datetime is a date, too


def temporal(bound: Any) -> type | None:
    """Return which of the types of dates, times and durations a bound has."""
    return next((kind for kind in _TEMPORAL if isinstance(bound, kind)), None)


def json_number(value: Any) -> int | float | None:
    """The JSON number of a Python number, or None."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            return None
        value = int(value) if value == value.to_integral_value() else float(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def _bounds(one: Any) -> Iterator[Check]:
    for name, (compare, than, beyond) in _BOUNDS.items():
        bound = getattr(one, name, None)
        kind = temporal(bound)
        if kind is not None:
            word = than if kind is dt.timedelta else beyond
            accepts = partial(_is_within, kind, compare, bound)
            yield Check(f"must be {word} {_shown(bound)}", accepts)
        elif json_number(bound) is not None:
            accepts = partial(_is_exactly_within, compare, _decimal(bound))
            yield Check(f"must be {than} {bound}", accepts, is_told=False)
    step = getattr(one, "multiple_of", None)
    if json_number(step):
        accepts = partial(_is_multiple, _decimal(step))
        yield Check(f"must be a multiple of {step}", accepts, is_told=False)


def _is_within(kind: type, compare: Callable[[Any, Any], bool], bound: Any, value: Any) -> bool:
    if temporal(value) is not kind:
        return True
    return has_offset(value) == has_offset(bound) and compare(value, bound)


def has_offset(value: Any) -> bool:
    """Whether a datetime or a time has a UTC offset."""
    return isinstance(value, dt.datetime | dt.time) and value.utcoffset() is not None


def _shown(bound: Any) -> str:
    """A bound as JSON would have it."""
    if isinstance(bound, dt.timedelta):
        is_whole = bound >= dt.timedelta() and not bound.microseconds
        return f"PT{bound.days * 86400 + bound.seconds}S" if is_whole else str(bound)
    text = str(bound.isoformat())
    if isinstance(bound, dt.datetime | dt.time):
        return f"{text} (with {'a' if has_offset(bound) else 'no'} UTC offset)"
    return text


def _decimal(number: Any) -> Decimal:
    return number if isinstance(number, Decimal) else Decimal(repr(number))


def _is_exactly_within(compare: Callable[[Any, Any], bool], bound: Decimal, value: object) -> bool:
    """A Decimal can be beyond a bound that its float equals; for others the schema is enough."""
    return not isinstance(value, Decimal) or compare(value, bound)


def _is_multiple(step: Decimal, value: object) -> bool:
    if not isinstance(value, Decimal):
        return True
    enough = len(value.as_tuple().digits) + len(step.as_tuple().digits) + 2 * _FLOAT_DIGITS
    return Context(prec=enough).remainder(value, step) == 0


_FLOAT_DIGITS = 330
"""Digits before or after the point of the largest and of the smallest float."""


def _digits(one: Any) -> Iterator[Check]:
    most, places = getattr(one, "max_digits", None), getattr(one, "decimal_places", None)
    if isinstance(most, int):
        yield Check(
            f"must have at most {count(most, 'digit')}", lambda value: _sizes(value)[0] <= most
        )
    if isinstance(places, int):
        words = f"must have at most {count(places, 'digit')} after the decimal point"
        yield Check(words, lambda value: _sizes(value)[1] <= places)
    if isinstance(most, int) and isinstance(places, int):
        whole = max(most - places, 0)
        words = f"must have at most {count(whole, 'digit')} before the decimal point"
        yield Check(words, lambda value: _sizes(value)[2] <= whole, is_told=False)


def _sizes(value: Any) -> tuple[int, int, int]:
    """The digits of a number: all, those after the point, those before it.

    Zeros before the first digit and after the last one after the point don't count.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return 0, 0, 0
    _, digits, exponent = _decimal(value).as_tuple()
    assert isinstance(exponent, int)  # JSON has neither NaN nor infinity
    text = "".join(map(str, digits)).lstrip("0")
    while text and text[-1] == "0" and exponent < 0:
        text, exponent = text[:-1], exponent + 1
    if not text:
        return 0, 0, 0
    places = max(-exponent, 0)
    every = max(len(text) + max(exponent, 0), places)
    return every, places, every - places


_KNOWN: MappingProxyType[Any, str] = MappingProxyType(
    {
        str.islower: "be lowercase",
        str.isupper: "be uppercase",
        str.isdigit: "consist of digits",
        str.isascii: "consist of ASCII characters",
        math.isfinite: "be finite",
        math.isinf: "be infinite",
        math.isnan: "be NaN",
    }
)


def _predicate(function: Any) -> Check:
    """The check of a predicate, which gets every value; JSON's numbers are finite in any case."""
    name, inner = "must", function
    while is_of(inner, "annotated_types", "Not"):
        name, inner = "must not" if name == "must" else "must", inner.func
    called = getattr(inner, "__name__", type(inner).__name__)
    try:
        words = _KNOWN.get(inner, "")
    except TypeError:  # a callable object may have no hash
        words = ""
    if not words:
        words = f"pass `{called}`" if called != "<lambda>" else "pass a rule of its type"
    is_told = called != "<lambda>" and not words.startswith(("be finite", "be inf", "be NaN"))
    return Check(f"{name} {words}", function, is_told)


NO_ZONE: Any = object()
"""What `zone_of` returns for metadata that says nothing of time zones."""


def zone_of(one: Any) -> Any:
    """Return the time zone that metadata demands, as `annotated_types.Timezone` says it.

    An ellipsis represents any UTC offset, None none at all. A name is a `ZoneInfo`. Raises
    ValueError for an unknown name.
    """
    if is_of(one, "annotated_types", "Timezone"):
        return _named(one.tz) if isinstance(one.tz, str) else one.tz
    if is_of(one, "msgspec", "Meta") and one.tz is not None:
        return ... if one.tz else None
    return NO_ZONE


def _named(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, OSError) as error:
        raise ValueError(f"the time zone {name!r} is unknown") from error


def _zone(zone: Any) -> Check:
    if zone is None:
        return Check("must have no UTC offset", lambda value: not has_offset(value))
    if zone is ...:
        return Check("must have a UTC offset", _has_zone, is_told=False)
    return Check(f"must be in the time zone {zone}", partial(_is_in, zone))


def _has_zone(value: Any) -> bool:
    return not isinstance(value, dt.datetime | dt.time) or has_offset(value)


def _is_in(zone: dt.tzinfo, value: Any) -> bool:
    """Whether a datetime has the offset that the zone has then, or a time one that is fixed."""
    if isinstance(value, dt.datetime):
        return has_offset(value) and value.utcoffset() == value.astimezone(zone).utcoffset()
    return not isinstance(value, dt.time) or (
        has_offset(value) and value.utcoffset() == zone.utcoffset(None)
    )
