"""Filters that replace Jinja's: bounded, and with Tera's arguments in addition to Jinja's.

A filter that both have takes the arguments of both: `x | join(", ")`, `x | join(sep=", ")`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jinja2 import Undefined, filters, pass_environment, pass_eval_context
from jinja2.exceptions import FilterArgumentError
from jinja2.runtime import identity
from jinja2.tests import TESTS as DEFAULT_TESTS

from pdl.errors import an_instance
from pdl.prompt import growth_guard, tera
from pdl.prompt.growth_guard import SHORT, bounded_filter, bounded_test, comparable
from pdl.prompt.markers import mark_value
from pdl.prompt.printing import (
    Captured,
    bounded_list,
    captured,
    encoded,
    guarded,
    joined,
    text_of,
)
from pdl.prompt.render_budget import MOST_ITEMS, guard_size, output_limit
from pdl.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import Environment


def do_safe(value: Any) -> str:
    """`{{ value | safe }}`: the markers in this one value count, like those of source text."""
    text = value if isinstance(value, str) else str(value)
    return captured(mark_value(encoded(text)))


def do_json(value: Any, indent: int | None = None, *, pretty: bool = False) -> str:
    """JSON for a model to read: nothing is escaped for HTML, and non-ASCII characters are kept."""
    if isinstance(value, Undefined):
        return str(value)
    spaces = indent if indent is not None else 2 if pretty else None
    if spaces is not None and spaces > 16:  # noqa: PLR2004  (more is not an indentation)
        raise FilterArgumentError("the indentation is at most 16 spaces")
    return json.dumps(value, ensure_ascii=False, indent=spaces, default=_as_json)


def _as_json(value: Any) -> Any:
    if isinstance(value, Undefined):
        return str(value)  # which notes it
    if isinstance(value, Mapping | Schema):
        return dict(value.document if isinstance(value, Schema) else value)
    if isinstance(value, (set, frozenset, range)) or hasattr(value, "__next__"):
        return bounded_list(value)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return comparable(dump(mode="json"))
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is not None:
        return {name: getattr(value, name) for name in fields if not name.startswith("_")}
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"{an_instance(type(value))} cannot be written as JSON")


def do_slice(value: Any, *args: Any, **kwargs: Any) -> Any:
    """Tera's `slice(start=, end=)`, a part of a list; else Jinja's `slice(slices)`, columns."""
    if not args and kwargs.keys() <= {"start", "end"}:
        items = value if isinstance(value, (str, Sequence)) else list(value)
        return items[kwargs.get("start", 0) : kwargs.get("end")]
    guard_size(max(_integers(args, kwargs), default=0), output_limit() // 100)
    return filters.sync_do_slice(value, *args, **kwargs)


def do_batch(value: Any, *args: Any, **kwargs: Any) -> Any:
    """Jinja's `batch`, bounded."""
    guard_size(max(_integers(args, kwargs), default=0), output_limit() // 100)
    return filters.do_batch(value, *args, **kwargs)


@pass_eval_context
def do_join(
    context: Any, value: Any, d: str | None = None, attribute: Any = None, *, sep: str | None = None
) -> str:
    """`x | join(", ")`, `x | join(sep=", ")`."""
    items = value if isinstance(value, Sequence) else bounded_list(value)
    if attribute is None and any(isinstance(item, Captured) for item in items):
        return joined(map(_text, items), _text(d or sep or ""))
    separator = d if d is not None else sep if sep is not None else ""
    if attribute is not None:
        items = list(map(filters.make_attrgetter(context.environment, attribute), items))
    growth_guard.guard_join(separator, items)
    return str(filters.sync_do_join(context, items, separator))


def do_replace(value: str, *args: Any, **kwargs: Any) -> str:
    """`x | replace("a", "b")`, `x | replace(from="a", to="b")`."""
    old = kwargs.pop("from", kwargs.pop("old", None))
    new = kwargs.pop("to", kwargs.pop("new", None))
    count = kwargs.pop("count", None)
    rest = list(args)
    old = rest.pop(0) if old is None and rest else old
    new = rest.pop(0) if new is None and rest else new
    count = rest.pop(0) if count is None and rest else count
    if rest or kwargs or old is None or new is None:
        raise FilterArgumentError("`replace` takes the text to replace and its replacement")
    text, old, new = str(value), str(old), str(new)
    growth_guard.guard_replace(text, old, new)
    return text.replace(old, new, -1 if count is None else count)


def do_default(
    subject: Any,
    /,
    default_value: Any = "",
    boolean: bool = False,  # noqa: FBT001, FBT002  (Jinja's signature)
    **kwargs: Any,
) -> Any:
    """`x | default("a")`, `x | default(value="a")`."""
    if kwargs.keys() - {"value"}:
        raise FilterArgumentError(f"`default` has no argument {min(kwargs.keys() - {'value'})!r}")
    fallback = kwargs.get("value", default_value)
    return fallback if isinstance(subject, Undefined) or (boolean and not subject) else subject


@pass_environment
def do_truncate(env: Environment, value: Any, *args: Any, **kwargs: Any) -> str:
    """Tera's `truncate(length=9, end="…")`, which counts characters; else Jinja's, by words."""
    if args or kwargs.keys() - {"length", "end"}:
        return filters.do_truncate(env, str(value), *args, **kwargs)
    text, length = str(value), kwargs.get("length", 255)
    return text if len(text) <= length else text[:length] + str(kwargs.get("end", "…"))


def do_round(value: float, *args: Any, method: str = "common", precision: int = 0) -> float:
    """`x | round(2)`, `x | round(precision=2, method="ceil")`."""
    for argument in args:
        if isinstance(argument, str):
            method = argument
        else:
            precision = argument
    if abs(precision) > 300:  # noqa: PLR2004  (a float has no more digits)
        raise FilterArgumentError("the precision of `round` is at most 300 digits")
    rounding: dict[str, Callable[[float], float]] = {"ceil": math.ceil, "floor": math.floor}
    if method == "common":
        return round(value, precision)
    if method not in rounding:
        raise FilterArgumentError("`round` has the methods `common`, `ceil` and `floor`")
    scale: float = 10**precision
    return rounding[method](value * scale) / scale


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def _integers(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[int]:
    return [value for value in (*args, *kwargs.values()) if isinstance(value, int)]


def _widths(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[int]:
    """The numbers among the arguments, and the lengths of strings, which `indent` takes too."""
    texts = [len(value) for value in (*args, *kwargs.values()) if isinstance(value, str)]
    return _integers(args, kwargs) + texts


def _bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter of Jinja's whose integer arguments are widths."""

    def bounded(value: Any, *args: Any, **kwargs: Any) -> Any:
        width = max(_widths(args, kwargs), default=0)
        guard_size(width * (str(value).count("\n") + 1))
        return function(value, *args, **kwargs)

    return bounded


def do_format(value: str, *args: Any, **kwargs: Any) -> str:
    """Jinja's `format`, bounded."""
    growth_guard.guard_printf(str(value), kwargs or args)
    return str(filters.do_format(value, *args, **kwargs))


def do_list(value: Any) -> list[Any]:
    """Jinja's `list`, bounded."""
    if not isinstance(value, Sequence | Mapping):
        return bounded_list(value)
    guard_size(len(value), MOST_ITEMS)
    return list(value)


def do_string(value: Any) -> str:
    """Jinja's `string`, for values that can be printed."""
    return value if isinstance(value, str) else text_of(value)


@pass_environment
def do_sum(
    env: Environment, iterable: Any, attribute: str | int | None = None, start: Any = 0
) -> Any:
    """Jinja's `sum`; lists are added one by one, each time with a look at the size."""
    found = iterable
    if attribute is not None:
        found = map(filters.make_attrgetter(env, attribute), iterable)
    total = start
    for item in found:
        if not isinstance(item, (int, float)):
            growth_guard.guard_binary("+", total, item)
        total = total + item
    return total


@pass_environment
def do_wordwrap(env: Environment, value: Any, *args: Any, **kwargs: Any) -> str:
    """Jinja's `wordwrap`, bounded."""
    guard_size(len(str(value)), SHORT)
    return str(filters.do_wordwrap(env, str(value), *args, **kwargs))


@pass_eval_context
def do_urlize(context: Any, value: Any, *args: Any, **kwargs: Any) -> str:
    """Jinja's `urlize`, bounded."""
    guard_size(len(str(value)), SHORT)
    return str(filters.do_urlize(context, str(value), *args, **kwargs))


def do_range(*args: int, start: int = 0, end: int | None = None, step_by: int = 1) -> range:
    """`range(3)`, `range(1, 9, 2)`, `range(start=1, end=9, step_by=2)`; of a million at most."""
    found = range(*args) if args else range(start, end if end is not None else 0, step_by)
    guard_size(len(found), 1_000_000)
    return found


_OWN: dict[str, Callable[..., Any]] = {
    **tera.FILTERS,
    "batch": do_batch,
    "center": _bounded(filters.do_center),
    "d": do_default,
    "default": do_default,
    "format": do_format,
    "indent": _bounded(filters.do_indent),
    "join": do_join,
    "json_encode": do_json,
    "list": do_list,
    "replace": do_replace,
    "round": do_round,
    "safe": do_safe,
    "string": do_string,
    "sum": do_sum,
    "slice": do_slice,
    "tojson": do_json,
    "truncate": do_truncate,
    "urlize": do_urlize,
    "wordwrap": do_wordwrap,
}
_OWN_MARKERS = frozenset({"join", "safe"})  # these look at markers themselves
FILTERS: dict[str, Callable[..., Any]] = {
    name: (identity if name in _OWN_MARKERS else guarded)(bounded_filter(name, function))
    for name, function in {**filters.FILTERS, **_OWN}.items()
}
"""Jinja's filters and pdl's, bounded; they must keep the markers of their arguments."""
_KNOWN_TESTS: dict[str, Any] = {**DEFAULT_TESTS, **tera.TESTS}
TESTS: dict[str, Callable[..., Any]] = {
    name: bounded_test(name, function) for name, function in _KNOWN_TESTS.items()
}
"""Jinja's tests and pdl's, bounded."""
FUNCTIONS: dict[str, Callable[..., Any]] = {**tera.FUNCTIONS, "range": do_range}
"""Functions that pdl adds to Jinja's, or replaces."""
