"""Tera's syntax where it differs from Jinja's; filters, tests and functions that Jinja lacks.

Tera is the template language of the Rust crate `ragit-pdl`, whose prompts load here unchanged.
Filters, tests and functions have Tera's names and arguments. As for the syntax:
`{% set_global x = 1 %}` assigns outside of its loop; `{% for key, value in object %}`
walks an object; `macros::greet(name="x")` and `self::greet()` call macros; `{% endmacro greet %}`.

Sources: https://keats.github.io/tera/docs/#templates and
https://keats.github.io/tera/docs/#built-ins
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from jinja2 import Undefined, nodes, pass_environment
from jinja2.exceptions import SecurityError, TemplateRuntimeError, TemplateSyntaxError
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.visitor import NodeTransformer

from pdl.prompt.outline import descendants
from pdl.prompt.printing import text_of
from pdl.prompt.render_budget import MOST_ITEMS, guard_size, watched

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jinja2 import Environment
    from jinja2.parser import Parser


GLOBALS = "_pdl_globals"
PAIRS, LOOPED = "_pairs", "_looped"
_PAIR = 2
_MACRO_PATH = ["name", "colon", "colon", "name", "lparen"]


class TeraTags(Extension):
    """`{% set_global %}`, `::` between a namespace and a macro, and a name after `endmacro`."""

    tags = {"set_global"}  # noqa: RUF012  (Jinja's own declaration)

    def parse(self, parser: Parser) -> nodes.Node:
        """`set_global NAME = expression`."""
        line = next(parser.stream).lineno
        name = parser.stream.expect("name").value
        parser.stream.expect("assign")
        value = parser.parse_expression()
        return nodes.Assign(nodes.NSRef(GLOBALS, name, lineno=line), value, lineno=line)

    def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
        """Write `a::b(` as `a.b(`, `self::b(` as `b(`, and `endmacro b` as `endmacro`."""
        tokens = list(stream)
        kinds = [token.type for token in tokens]
        at = 0
        while at < len(tokens):
            token = tokens[at]
            at += 1
            if kinds[at - 1 : at + 4] == _MACRO_PATH:
                at += 2
                if token.value != "self":
                    yield token
                    yield Token(token.lineno, "dot", ".")
                continue
            yield token
            if token.type == "name" and token.value == "endmacro" and kinds[at] == "name":
                at += 1


def adapt(template: nodes.Template) -> nodes.Template:
    """The syntax tree with Tera's meaning of loops over objects and of `set_global`."""
    for loop in descendants(template, nodes.For):
        if isinstance(loop.target, nodes.Tuple) and len(loop.target.items) == _PAIR:
            loop.iter = _filtered(loop.iter, PAIRS)
        else:
            loop.iter = _filtered(loop.iter, LOOPED)
    for call in descendants(template, nodes.Call):
        if call.dyn_args is not None:
            call.dyn_args = _filtered(call.dyn_args, LOOPED)
    names = {ref.attr for ref in descendants(template, nodes.NSRef) if ref.name == GLOBALS}
    return _globalize(template, names) if names else template


def _filtered(value: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(cast("nodes.Expr", value), name, [], [], None, None, lineno=value.lineno)


def global_names(template: nodes.Template) -> set[str]:
    """The names that a template sets with `set_global`."""
    return {ref.attr for ref in descendants(template, nodes.NSRef) if ref.name == GLOBALS}


def _globalize(template: nodes.Template, names: set[str]) -> nodes.Template:
    for loop in descendants(template, nodes.For):
        for target in (loop.target, *descendants(loop.target, nodes.Name)):
            if isinstance(target, nodes.Name) and target.name in names:
                message = f"`{target.name}` is set by set_global, so it cannot be a loop variable"
                raise TemplateSyntaxError(message, loop.lineno)
    changed: nodes.Template = _Globalizer(names).visit(template)
    before = [
        nodes.Keyword(name, nodes.Name(name, "load", lineno=1), lineno=1) for name in sorted(names)
    ]
    space = nodes.Call(nodes.Name("namespace", "load", lineno=1), [], before, None, None, lineno=1)
    changed.body.insert(0, nodes.Assign(nodes.Name(GLOBALS, "store", lineno=1), space, lineno=1))
    return changed


class _Globalizer(NodeTransformer):
    """Reads and writes the names of `set_global` in their namespace."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: nodes.Name) -> nodes.Node:  # noqa: N802  (Jinja's name)
        if node.name not in self.names:
            return node
        if node.ctx == "load":
            space = nodes.Name(GLOBALS, "load", lineno=node.lineno)
            return nodes.Getattr(space, node.name, "load", lineno=node.lineno)
        if node.ctx == "store":
            return nodes.NSRef(GLOBALS, node.name, lineno=node.lineno)
        return node


def pairs(value: Any) -> Iterable[Any]:
    """What a loop with two targets iterates over: the items of an object, or the value itself."""
    return value.items() if isinstance(value, Mapping) else looped(value)


def looped(value: Any) -> Any:
    """What a loop iterates over, or a call gets as its arguments; iterators check the clock."""
    return watched(value, most=None)


_ABSENT: Any = object()
_FORMAT = 1_000  # characters
_PATTERN = 100_000  # characters of a pattern that is written out


def do_split(value: str, pat: str | None = None) -> list[str]:
    """`x | split(pat=",")`."""
    return value.split(pat)


def do_get(value: Any, key: str, default: Any = _ABSENT) -> Any:
    """`x | get(key="name", default=…)`: a key of an object."""
    found = value.get(key, default) if isinstance(value, Mapping) else default
    if found is _ABSENT:
        raise TemplateRuntimeError(f"the filter `get` found no key {key!r} and has no default")
    return found


def do_pluralize(value: float, singular: str = "", plural: str = "s") -> str:
    """`{{ n | pluralize }}`: the ending for one, or for another number."""
    return singular if abs(value) == 1 else plural


def do_concat(value: Sequence[Any], with_: Any = _ABSENT, /, **kwargs: Any) -> list[Any]:
    """`list | concat(with=…)`: the list and an item or the items of another list."""
    more = kwargs.get("with", with_)
    added = more if isinstance(more, (list, tuple)) else [more]
    guard_size(len(value) + len(added), MOST_ITEMS)
    return [*value, *added]


def do_nth(value: Sequence[Any], n: int) -> Any:
    """`list | nth(n=2)`, from 0; an empty string if it is too short, as in Tera."""
    return value[n] if 0 <= n < len(value) else ""


@pass_environment
def do_filter(
    env: Environment, items: Sequence[Any], /, attribute: str, **kwargs: Any
) -> list[Any]:
    """`list | filter(attribute="a.b", value=1)`: the items that have that value there."""
    wanted = kwargs.get("value", _ABSENT)
    found = ((item, _dig(env, item, attribute)) for item in items)
    return [item for item, at in found if (at is not None if wanted is _ABSENT else at == wanted)]


@pass_environment
def do_group_by(env: Environment, value: Sequence[Any], attribute: str) -> dict[str, list[Any]]:
    """`list | group_by(attribute="year")`: an object from values to the items that have them."""
    groups: dict[str, list[Any]] = {}
    for item in value:
        key = _dig(env, item, attribute)
        if key is not None:
            groups.setdefault(text_of(key), []).append(item)
    return groups


def _note_unsafe(undefined: Undefined) -> None:
    """Note as an error that the sandbox refused an attribute, which is more than its absence."""
    if undefined._undefined_exception is SecurityError:  # noqa: SLF001
        str(undefined)


def _dig(env: Environment, item: Any, attribute: str) -> Any:
    """The value at `a.b` of an item, or None; the rules of the sandbox apply."""
    for step in attribute.split("."):
        if isinstance(item, Mapping):
            item = item.get(step)
        else:
            item = env.getitem(item, int(step) if step.isdecimal() else step)
        if isinstance(item, Undefined):
            _note_unsafe(item)
            return None
    return item


def do_trim_start_matches(value: str, pat: str) -> str:
    """`x | trim_start_matches(pat="v")`: without any leading `pat`s."""
    found = re.match(f"(?:{re.escape(pat)})*", value)
    return value[found.end() :] if found else value


def do_trim_end_matches(value: str, pat: str) -> str:
    """`x | trim_end_matches(pat="v")`: without any `pat`s at the end."""
    found = re.match(f"(?:{re.escape(pat[::-1])})*", value[::-1])
    return value[: len(value) - found.end()] if found else value


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

    guard_size(len(format), _FORMAT)
    if isinstance(value, (int, float)):
        value = datetime.fromtimestamp(value, tz=UTC)
    return str(
        (datetime.fromisoformat(value) if isinstance(value, str) else value).strftime(format)
    )


def is_matching(value: str, pat: str) -> bool:
    """`x is matching("a+")`: the pattern is found in the text; at most a tenth of a second."""
    import regex  # noqa: PLC0415  (slow to import, and rarely used)

    _guard_pattern(pat)
    return regex.search(pat, value, timeout=0.1) is not None


def _guard_pattern(pattern: str) -> None:
    """Refuse a pattern whose repetitions, which are written out, make too much of it."""
    groups = [int(count[:9]) for count in re.findall(r"\)\s*\{\s*(\d+)", pattern)]
    others = [int(count[:9]) for count in re.findall(r"\{\s*(\d+)", pattern)]
    guard_size((len(pattern) + sum(others)) * math.prod(max(1, each) for each in groups), _PATTERN)


def is_divisible(value: int, divisor: int) -> bool:
    """`n is divisibleby(3)`, `n is divisible_by(divisor=3)`."""
    return value % divisor == 0


def do_throw(message: str) -> str:
    """`{{ throw(message="…") }}`: stop with that message."""
    raise TemplateRuntimeError(text_of(message))


FILTERS: dict[str, Callable[..., Any]] = {
    "addslashes": do_addslashes,
    "as_str": str,
    "concat": do_concat,
    "date": do_date,
    "filter": do_filter,
    "get": do_get,
    "group_by": do_group_by,
    "linebreaksbr": lambda value: str(value).replace("\n", "<br>"),
    "nth": do_nth,
    "pluralize": do_pluralize,
    "slugify": do_slugify,
    "spaceless": lambda value: re.sub(r">\s+<", "><", value),
    "split": do_split,
    "trim_end": str.rstrip,
    "trim_end_matches": do_trim_end_matches,
    "trim_start": str.lstrip,
    "trim_start_matches": do_trim_start_matches,
    "urlencode_strict": do_urlencode_strict,
}

TESTS: dict[str, Callable[..., bool]] = {
    "containing": lambda value, pat: pat in value,
    "divisible_by": is_divisible,
    "divisibleby": is_divisible,
    "ending_with": lambda value, pat: value.endswith(pat),
    "matching": is_matching,
    "object": lambda value: isinstance(value, Mapping),
    "starting_with": lambda value, pat: value.startswith(pat),
}

FUNCTIONS: dict[str, Callable[..., Any]] = {"throw": do_throw}
