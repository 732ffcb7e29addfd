"""Filters and tests that measure what they are given before they walk it.

Nothing stops a walk in C, so each filter and each test is called through a function that refuses
what would take too long: containers that are too large when they are written out, texts that are
too long for what goes through them character by character, iterators without end.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from jinja2.filters import make_attrgetter
from jinja2.utils import _PassArg

from pdl.prompt.measure import (
    MOST_ITEMS,
    SMALL,
    TooLargeError,
    guard_size,
    is_container,
    is_iterator,
    measured,
    watched,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_LONG = 4_000_000  # characters that go through Python one by one in less than a second
_SHORT = 200_000
_ANY_LENGTH = 1 << 62
_LENGTHS = dict.fromkeys(["striptags", "urlize", "wordwrap"], _SHORT) | dict.fromkeys(
    "as_str capitalize center count d default e escape first forceescape format indent join"  # noqa: SIM905
    " json_encode last length linebreaksbr lower nth replace safe slice string tojson trim"
    " trim_end trim_end_matches trim_start trim_start_matches truncate upper".split(),
    _ANY_LENGTH,
)
"""Characters of a text that a filter takes, where they are not `_LONG`: any number for those that
copy it at the speed of memory."""
_SHALLOW = frozenset(
    "attr batch concat count d default filter first get items last length list map nth random"  # noqa: SIM905
    " join reject rejectattr reverse select selectattr slice".split()
)
"""Filters that hand on the items of a container and look into none of them, or measure them."""
_BY_KEY = frozenset({"group_by", "groupby", "max", "min", "sort", "sum", "unique"})
"""Filters that may look at an attribute of each item alone."""
_ITEMS = {"pprint": 50_000}
_COMPARING = frozenset(
    "== eq equalto != ne > gt greaterthan >= ge < lt lessthan <= le in containing".split()  # noqa: SIM905
)


def bounded_filter(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that refuses values which it would take too long with."""
    first = _first(function)
    longest = _LENGTHS.get(name, _LONG)
    most = _ITEMS.get(name, MOST_ITEMS)
    walks = name not in _SHALLOW and name not in _BY_KEY
    passed = frozenset({list, dict, tuple}) if name in _SHALLOW else frozenset()

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and _are_small(args[first:], passed):  # as nearly always
            return function(*args)
        looked = list(args)
        for at in range(first, len(args)):
            if type(args[at]) not in SMALL:
                looked[at] = _looked(args[at], longest, most, walks=walks or at > first)
        for key, value in kwargs.items():
            kwargs[key] = _looked(value, longest, most, walks=True)
        if name in _BY_KEY and len(looked) > first:
            looked[first] = _with_small_keys(looked[first], looked, kwargs)
        return function(*looked, **kwargs)

    return call


def bounded_test(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A test that refuses values which it would take too long with."""
    if name not in _COMPARING:
        return function

    @wraps(function)
    def call(value: Any, other: Any) -> Any:
        if name == "containing":
            return function(watched(value), compared(other, value))
        return function(compared(value, other), watched(other))

    return call


def compared(value: Any, other: Any = None) -> Any:
    """A value that is compared or hashed next, no larger than that may take."""
    if is_container(value):
        size = measured(value)
        if isinstance(other, (list, tuple)):  # in which it is looked for
            guard_size(size.items * len(other), 10 * MOST_ITEMS)
    return value


def _first(function: Callable[..., Any]) -> int:
    """Which argument is the value: the second one, where Jinja passes something before it."""
    return 0 if _PassArg.from_obj(function) is None else 1


def _are_small(values: tuple[Any, ...], passed: frozenset[type]) -> bool:
    """Whether there is nothing to look at; the first value may be of a type that is passed on."""
    for at, value in enumerate(values):
        kind = type(value)
        if kind is str:
            if len(value) > _SHORT:
                return False
        elif kind not in SMALL and (at or kind not in passed):
            return False
    return True


def _looked(value: Any, longest: int, most: int, *, walks: bool) -> Any:
    if isinstance(value, str):
        if len(value) > _SHORT:
            guard_size(len(value), longest)
        return value
    if is_iterator(value):
        return watched(value)
    if walks and is_container(value):
        measured(value, most)
    return value


def _with_small_keys(values: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The values of a filter that compares them, or what they have as the attribute it names."""
    if not is_container(values) and not is_iterator(values):
        return values
    items = values if is_container(values) else list(values)
    try:
        measured(items)
    except TooLargeError:
        named = [value for value in (*args[1:], kwargs.get("attribute")) if isinstance(value, str)]
        if not named:
            raise
        for path in named[0].split(","):
            measured(list(map(make_attrgetter(args[0], path), items)))
    return items
