"""Filters, tests and functions: Jinja's where they could build too much, and Tera's that differ.

Tera is the template language of the Rust crate `ragit-pdl`, whose prompts load here unchanged.
Where both know a filter, it takes the arguments of both: `x | join(", ")`, `x | join(sep=", ")`.
Source: https://keats.github.io/tera/docs/#built-ins
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jinja2 import Undefined, filters, pass_environment, pass_eval_context
from jinja2.exceptions import FilterArgumentError, TemplateRuntimeError

from pdl.prompt import amplify
from pdl.prompt.printing import bounded_list

if TYPE_CHECKING:
    from pdl.prompt.sandbox import PromptEnvironment

_ABSENT: Any = object()
_SHORT = 200_000  # characters


@pass_environment
def do_safe(env: PromptEnvironment, value: Any) -> str:
    """`{{ value | safe }}`: the markers in this one value count, like those of source text."""
    return env.marks.mark_value(str(value))


def do_json(value: Any, indent: int | None = None, *, pretty: bool = False) -> str:
    """JSON as a model should read it: characters are themselves, nothing is escaped for HTML."""
    if isinstance(value, Undefined):
        return str(value)
    spaces = indent if indent is not None else 2 if pretty else None
    if spaces is not None and spaces > 16:  # noqa: PLR2004  (more is no indentation any more)
        raise FilterArgumentError("an indentation is at most 16 blanks")
    return json.dumps(value, ensure_ascii=False, indent=spaces, default=_as_json)


def _as_json(value: Any) -> Any:
    if isinstance(value, Undefined):
        return str(value)  # which notes it
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset, range)) or hasattr(value, "__next__"):
        return list(value)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is not None:
        return {name: getattr(value, name) for name in fields}
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} has no JSON form")


def do_split(value: str, pat: str | None = None) -> list[str]:
    """`x | split(pat=",")`."""
    return value.split(pat)


def do_get(value: Any, key: str, default: Any = _ABSENT) -> Any:
    """`x | get(key="name", default=…)`: a key of an object."""
    found = value.get(key, default) if isinstance(value, Mapping) else default
    if found is _ABSENT:
        raise TemplateRuntimeError(f"the filter `get` found no key {key!r} and has no default")
    return found


@pass_environment
def do_slice(env: PromptEnvironment, value: Any, *args: Any, **kwargs: Any) -> Any:
    """Tera's `slice(start=, end=)`, a part of a list; else Jinja's `slice(slices)`, columns."""
    if not args and kwargs.keys() <= {"start", "end"}:
        items = value if isinstance(value, (str, Sequence)) else list(value)
        return items[kwargs.get("start", 0) : kwargs.get("end")]
    amplify.guard_size(max(_integers(args, kwargs), default=0), env.limits.output_chars // 100)
    return filters.sync_do_slice(value, *args, **kwargs)


@pass_environment
def do_batch(env: PromptEnvironment, value: Any, *args: Any, **kwargs: Any) -> Any:
    """Jinja's `batch`, bounded."""
    amplify.guard_size(max(_integers(args, kwargs), default=0), env.limits.output_chars // 100)
    return filters.do_batch(value, *args, **kwargs)


@pass_eval_context
def do_join(
    context: Any, value: Any, d: str | None = None, attribute: Any = None, *, sep: str | None = None
) -> str:
    """`x | join(", ")`, `x | join(sep=", ")`."""
    items = value if isinstance(value, Sequence) else bounded_list(value)
    separator = d if d is not None else sep if sep is not None else ""
    if attribute is None:
        amplify.guard_join(separator, items, context.environment.limits.output_chars)
    return str(filters.sync_do_join(context, items, separator, attribute))


@pass_environment
def do_replace(env: PromptEnvironment, value: str, *args: Any, **kwargs: Any) -> str:
    """`x | replace("a", "b")`, `x | replace(from="a", to="b")`."""
    old = kwargs.pop("from", kwargs.pop("old", None))
    new = kwargs.pop("to", kwargs.pop("new", None))
    count = kwargs.pop("count", None)
    rest = list(args)
    old = rest.pop(0) if old is None and rest else old
    new = rest.pop(0) if new is None and rest else new
    count = rest.pop(0) if count is None and rest else count
    if rest or kwargs or old is None or new is None:
        raise FilterArgumentError("`replace` takes what to replace and by what")
    text, old, new = str(value), str(old), str(new)
    amplify.guard_replace(text, old, new, env.limits.output_chars)
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


def do_pluralize(value: float, singular: str = "", plural: str = "s") -> str:
    """`{{ n | pluralize }}`: the ending for one, or for another number."""
    return singular if abs(value) == 1 else plural


def do_concat(value: Sequence[Any], with_: Any = _ABSENT, /, **kwargs: Any) -> list[Any]:
    """`list | concat(with=…)`: the list and an item or the items of another list."""
    more = kwargs.get("with", with_)
    return [*value, *(more if isinstance(more, (list, tuple)) else [more])]


def do_nth(value: Sequence[Any], n: int) -> Any:
    """`list | nth(n=2)`, from 0; an empty text if there is none, as in Tera."""
    return value[n] if 0 <= n < len(value) else ""


def do_filter(items: Sequence[Any], /, attribute: str, **kwargs: Any) -> list[Any]:
    """`list | filter(attribute="a.b", value=1)`: the items that have that value there."""
    wanted = kwargs.get("value", _ABSENT)
    found = ((item, _dig(item, attribute)) for item in items)
    return [item for item, at in found if (at is not None if wanted is _ABSENT else at == wanted)]


def do_group_by(value: Sequence[Any], attribute: str) -> dict[str, list[Any]]:
    """`list | group_by(attribute="year")`: an object from values to the items that have them."""
    groups: dict[str, list[Any]] = {}
    for item in value:
        key = _dig(item, attribute)
        if key is not None:
            groups.setdefault(str(key), []).append(item)
    return groups


def _dig(item: Any, attribute: str) -> Any:
    for step in attribute.split("."):
        item = item.get(step) if isinstance(item, Mapping) else getattr(item, step, None)
    return item


@pass_environment
def do_truncate(env: PromptEnvironment, value: Any, *args: Any, **kwargs: Any) -> str:
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
        raise FilterArgumentError("`round` has a precision of 300 digits at most")
    rounding: dict[str, Callable[[float], float]] = {"ceil": math.ceil, "floor": math.floor}
    if method == "common":
        return round(value, precision)
    if method not in rounding:
        raise FilterArgumentError("`round` has the methods `common`, `ceil` and `floor`")
    scale: float = 10**precision
    return rounding[method](value * scale) / scale


def do_trim_start_matches(value: str, pat: str) -> str:
    """`x | trim_start_matches(pat="v")`: without any leading `pat`s."""
    at = 0
    while pat and value.startswith(pat, at):
        at += len(pat)
    return value[at:]


def do_trim_end_matches(value: str, pat: str) -> str:
    """`x | trim_end_matches(pat="v")`: without any `pat`s at the end."""
    end = len(value)
    while pat and value.endswith(pat, 0, end):
        end -= len(pat)
    return value[:end]


def do_slugify(value: str) -> str:
    """`Hello, Wörld!` -> `hello-world`."""
    plain = unicodedata.normalize("NFKD", value).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def do_addslashes(value: str) -> str:
    """Backslashes before quotes and backslashes."""
    return re.sub(r"([\\\"'])", r"\\\1", value)


def do_urlencode_strict(value: str) -> str:
    """Percent-encoding of everything but letters and digits."""
    return quote(value, safe="").replace(".", "%2E").replace("-", "%2D").replace("_", "%5F")


def do_date(value: Any, format: str = "%Y-%m-%d") -> str:  # noqa: A002  (Tera's name)
    """`x | date(format="%d.%m.%Y")` of a date or of its ISO 8601 text."""
    from datetime import UTC, datetime  # noqa: PLC0415  (rarely used, and slow to import)

    if isinstance(value, (int, float)):
        value = datetime.fromtimestamp(value, tz=UTC)
    return str(
        (datetime.fromisoformat(value) if isinstance(value, str) else value).strftime(format)
    )


def _integers(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[int]:
    return [value for value in (*args, *kwargs.values()) if isinstance(value, int)]


def _bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter of Jinja's whose integer arguments are widths."""

    @pass_environment
    def bounded(env: PromptEnvironment, value: Any, *args: Any, **kwargs: Any) -> Any:
        width = max(_integers(args, kwargs), default=0)
        lines = str(value).count("\n") + 1
        amplify.guard_size(width * lines, env.limits.output_chars)
        return function(value, *args, **kwargs)

    return bounded


@pass_environment
def do_format(env: PromptEnvironment, value: str, *args: Any, **kwargs: Any) -> str:
    """Jinja's `format`, bounded."""
    amplify.guard_printf(str(value), kwargs or args, env.limits.output_chars)
    return str(filters.do_format(value, *args, **kwargs))


def do_list(value: Any) -> list[Any]:
    """Jinja's `list`, bounded."""
    return list(value) if isinstance(value, Sequence | Mapping) else bounded_list(value)


def _only_short(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter of Jinja's that takes long for long texts."""

    @pass_environment
    def bounded(env: PromptEnvironment, value: Any, *args: Any, **kwargs: Any) -> Any:
        amplify.guard_size(len(str(value)), _SHORT)
        return function(env, str(value), *args, **kwargs)

    return bounded


@pass_eval_context
def do_urlize(context: Any, value: Any, *args: Any, **kwargs: Any) -> str:
    """Jinja's `urlize`, bounded."""
    amplify.guard_size(len(str(value)), _SHORT)
    return str(filters.do_urlize(context, str(value), *args, **kwargs))


def is_matching(value: str, pat: str) -> bool:
    """`x is matching("a+")`: the pattern is found in the text; at most a tenth of a second."""
    import regex  # noqa: PLC0415  (slow to import, and rarely used)

    return regex.search(pat, value, timeout=0.1) is not None


def is_divisible(value: int, divisor: int) -> bool:
    """`n is divisibleby(3)`, `n is divisible_by(divisor=3)`."""
    return value % divisor == 0


def do_range(*args: int, start: int = 0, end: int | None = None, step_by: int = 1) -> range:
    """`range(3)`, `range(1, 9, 2)`, `range(start=1, end=9, step_by=2)`; of a million at most."""
    found = range(*args) if args else range(start, end if end is not None else 0, step_by)
    amplify.guard_size(len(found), 1_000_000)
    return found


def do_throw(message: str) -> str:
    """`{{ throw(message="…") }}`: stop with that message."""
    raise TemplateRuntimeError(message)


FILTERS: dict[str, Callable[..., Any]] = {
    "addslashes": do_addslashes,
    "as_str": str,
    "batch": do_batch,
    "center": _bounded(filters.do_center),
    "concat": do_concat,
    "d": do_default,
    "date": do_date,
    "default": do_default,
    "filter": do_filter,
    "format": do_format,
    "get": do_get,
    "group_by": do_group_by,
    "indent": _bounded(filters.do_indent),
    "join": do_join,
    "json_encode": do_json,
    "list": do_list,
    "linebreaksbr": lambda value: str(value).replace("\n", "<br>"),
    "nth": do_nth,
    "pluralize": do_pluralize,
    "replace": do_replace,
    "round": do_round,
    "safe": do_safe,
    "slice": do_slice,
    "slugify": do_slugify,
    "spaceless": lambda value: re.sub(r">\s+<", "><", value),
    "split": do_split,
    "tojson": do_json,
    "trim_end": str.rstrip,
    "trim_end_matches": do_trim_end_matches,
    "trim_start": str.lstrip,
    "trim_start_matches": do_trim_start_matches,
    "truncate": do_truncate,
    "urlize": do_urlize,
    "wordwrap": _only_short(filters.do_wordwrap),
    "urlencode_strict": do_urlencode_strict,
}
"""What pdl adds to Jinja's filters, or has instead of them."""

TESTS: dict[str, Callable[..., bool]] = {
    "containing": lambda value, pat: pat in value,
    "divisible_by": is_divisible,
    "divisibleby": is_divisible,
    "ending_with": lambda value, pat: value.endswith(pat),
    "matching": is_matching,
    "object": lambda value: isinstance(value, Mapping),
    "starting_with": lambda value, pat: value.startswith(pat),
}
"""What pdl adds to Jinja's tests."""

FUNCTIONS: dict[str, Callable[..., Any]] = {"range": do_range, "throw": do_throw}
"""What pdl adds to Jinja's functions, or has instead of them."""
