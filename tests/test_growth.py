"""What regular expressions take grows with the text, not with its square."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import importlib.util
import pkgutil
import re
import string
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import regex

import pdl
from pdl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(pdl.__file__).parent
SMALL, LARGE = 3_000, 12_000
SHORT = 0.003  # seconds; what a small text takes no longer than is not asked about
PARTS = 12  # of the patterns, which several processes can share
LINEAR = 9  # times; four if it is linear, sixteen if it is quadratic
EXCEPTED = "pdl.reply"  # it has patterns of its own that are quadratic, and bounds for their texts
INCLUDED = frozenset({"pdl.reply.instances", "pdl.reply.rules"})  # no bounds
METHODS = frozenset({"match", "fullmatch", "search", "finditer", "findall", "sub", "split"})
AT_ALL = frozenset({"sub", "split", "findall"})  # they look for all, as finditer does

UNITS = (
    *string.punctuation,
    *"aA0 \t\r\n\0\u00a0\u200bé名\ufffc",
    *("\r\n", "a ", "a\n", "\n ", "\n\n", '\\"', "\\\\", "```", '""', '{"', "<|", "|>", "ab,"),
    *("1.", "1,", ".5", " a", "-1", "a:", "a(", "[]", "{}", "()", "a::="),
)
BEFORE = ("", "<", "a", '"', "[", "(", "1", "a(", '{"', "a:", " ", "a ::= ")
BEHIND = ("", "!", "\x01", "a")


class Found(NamedTuple):
    """A pattern, where it is kept, and the methods that the code calls on it."""

    name: str
    pattern: Any
    methods: frozenset[str]


def patterns(value: Any, name: str, depth: int = 4) -> Iterator[tuple[str, Any]]:
    """The patterns in a value: itself, in a table, a class or a dataclass."""
    if isinstance(value, (re.Pattern, regex.Pattern)):
        yield name, value
    elif depth and isinstance(value, dict):
        for key, one in value.items():
            yield from patterns(one, f"{name}[{key!r}]", depth - 1)
    elif depth and isinstance(value, (list, tuple, set, frozenset)):
        for number, one in enumerate(value):
            yield from patterns(one, f"{name}[{number}]", depth - 1)
    elif depth and isinstance(value, type) and value.__module__.startswith("pdl"):
        for key, one in vars(value).items():
            yield from patterns(one, f"{name}.{key}", depth - 1)
    elif depth and dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from patterns(getattr(value, field.name, None), f"{name}.{field.name}", depth - 1)


def called(path: Path) -> dict[str, set[str]]:
    """By the names of a module, the methods of patterns that it calls; under "" all of them."""
    found: dict[str, set[str]] = {"": set()}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            found[""] |= {node.attr} - {"split"}  # that is rather a text's
            if isinstance(node.value, ast.Name):
                found.setdefault(node.value.id, set()).add(node.attr)
    return found


def imports(module: str) -> set[str]:
    """The modules that a module's code imports whole, read without running it."""
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    nodes = ast.walk(ast.parse(Path(spec.origin).read_text(encoding="utf-8")))
    return {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}


def everything() -> list[Found]:
    """All patterns of the package; one that several modules import comes once."""
    kept: dict[int, tuple[str, Any, set[str]]] = {}
    names = [module.name for module in pkgutil.walk_packages([str(ROOT)], "pdl.")]
    for module in sorted(names):
        if module.endswith("__main__") or (module.startswith(EXCEPTED) and module not in INCLUDED):
            continue
        try:
            loaded = importlib.import_module(module)
        except ConfigError as error:  # of an extra that is not installed
            missing = [one.code for one in error.problems] == ["config/package"]
            if missing and not imports(module) & {"re", "regex"}:
                continue
            raise
        assert loaded.__file__ is not None
        calls = called(Path(loaded.__file__))
        for name, value in vars(loaded).items():
            for place, pattern in patterns(value, name):
                methods = calls.get(name) or calls[""]
                kept.setdefault(id(pattern), (f"{module}.{place}", pattern, set()))
                kept[id(pattern)][2].update(methods)
    return [
        Found(name, pattern, frozenset(methods or METHODS))
        for name, pattern, methods in kept.values()
    ]


def runs(found: Found) -> list[Callable[[Any], object]]:
    """The ways in which a pattern is used, each as a function of a text."""
    methods = {"finditer" if one in AT_ALL else one for one in found.methods}
    return [
        (lambda text: sum(1 for _ in found.pattern.finditer(text)))
        if method == "finditer"
        else getattr(found.pattern, method)
        for method in sorted(methods)
    ]


def seconds(run: Callable[[Any], object], text: Any) -> float:
    began = time.process_time()
    run(text)
    return time.process_time() - began


def texts(found: Found) -> Iterator[Callable[[int], Any]]:
    """Texts of any size that repeat one unit, between all that may stand around it."""
    is_bytes = isinstance(found.pattern.pattern, bytes)
    own = found.pattern.pattern.decode("latin-1") if is_bytes else found.pattern.pattern
    pieces = list(dict.fromkeys(re.findall(r"[A-Za-z]{2,}|[^\w\s]", own)))[:40]
    for unit in dict.fromkeys([*UNITS, *pieces]):
        for before in BEFORE:
            for behind in BEHIND:

                def text(size: int, parts: tuple[str, str, str] = (before, unit, behind)) -> Any:
                    whole = parts[0] + parts[1] * (size // len(parts[1])) + parts[2]
                    return whole.encode() if is_bytes else whole

                yield text


def superlinear(found: Found) -> list[str]:
    """The first text on which a pattern takes more than its size explains, if there is any."""
    for text in texts(found):
        small = text(SMALL)
        for run in runs(found):
            if seconds(run, small) < SHORT:
                continue
            base = max(SHORT / 3, min(seconds(run, small) for _ in range(3)))
            if min(seconds(run, text(LARGE)) for _ in range(2)) > LINEAR * base:
                return [f"{found.name}: {small[:12]!r} … {small[-2:]!r}"]
    return []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_no_pattern_is_superlinear(part: int) -> None:
    """Each pattern outside pdl.reply is timed on every unit, as its module uses it."""
    found = everything()
    assert len(found) > 80
    assert [told for one in found[part::PARTS] for told in superlinear(one)] == []


@pytest.mark.parametrize(
    ("pattern", "methods"),
    [(r"\s*x", "search"), (r"(.*?)\s*", "fullmatch"), (r"\d+\.?\d*$", "match")],
)
def test_what_is_superlinear_is_found(pattern: str, methods: str) -> None:
    assert superlinear(Found("it", re.compile(pattern), frozenset({methods})))
