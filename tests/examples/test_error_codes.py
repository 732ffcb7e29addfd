"""docs/errors.md lists every code that pdl's source can give a problem, and no other."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from pdl.errors import KINDS
from pdl.limits import DEFAULT_LIMITS
from pdl.models.answer import Ending
from pdl.models.faults import Kind
from pdl.reply.result import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
PREFIXES = (*KINDS, "ask", "model", "batch", "warning")
CODE = re.compile(rf"(?:{'|'.join(PREFIXES)})/[a-z][a-z0-9-]*")
BEGINNING = re.compile(rf"(?:{'|'.join(PREFIXES)})/[a-z0-9-]*")
_, REASONS, SECTIONS = PAGE.split("\n## ", 2)
LISTED = re.findall(r"^\| `([a-z]+(?:/[a-z0-9-]+)?)` \|", SECTIONS, re.MULTILINE)


TREES = {
    path: ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "pdl").rglob("*.py"))
}


@dataclass(frozen=True)
class Composed:
    """A function that makes a code of a fixed beginning and one of its parameters."""

    beginning: str
    function: str
    position: int
    """Of the parameter, `self` aside."""
    home: Path
    """The module that calls it or, if its name is public, the package."""


def literals() -> Iterator[str]:
    for tree in TREES.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def composed() -> Iterator[Composed]:
    for path, tree in TREES.items():
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                public = not function.name.startswith("_")
                yield from _composed(function, path.parent if public else path)


def _composed(function: ast.FunctionDef, home: Path) -> Iterator[Composed]:
    names = [one.arg for one in function.args.args if one.arg not in {"self", "cls"}]
    for node in ast.walk(function):
        match node:
            case ast.JoinedStr(
                values=[ast.Constant(value=str(beginning)), ast.FormattedValue(value=inner)]
            ) if BEGINNING.fullmatch(beginning):
                used = {one.id for one in ast.walk(inner) if isinstance(one, ast.Name)}
                for position, name in enumerate(names):
                    if name in used:
                        yield Composed(beginning, function.name, position, home)


def arguments(made: list[Composed]) -> Iterator[str]:
    """The codes of the constants with which these functions are called."""
    named: dict[str, list[Composed]] = {}
    for one in made:
        named.setdefault(one.function, []).append(one)
    for path, call in calls():
        for one in named.get(_name(call.func), ()):
            if one.home in {path, *path.parents} and one.position < len(call.args):
                for text in _constants(call.args[one.position]):
                    yield one.beginning + text.replace("_", "-")


def calls() -> Iterator[tuple[Path, ast.Call]]:
    for path, tree in TREES.items():
        yield from ((path, node) for node in ast.walk(tree) if isinstance(node, ast.Call))


def _constants(node: ast.expr) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def plain() -> Iterator[str]:
    """The codes without a kind."""
    for tree in TREES.values():
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Name(id="Problem"), args=[ast.Constant(value=str(code)), *_]
                ) if "/" not in code:
                    yield code


def codes() -> set[str]:
    faults = {f"model/{kind.replace('_', '-')}" for kind in get_args(Kind)}
    endings = {f"ask/{ending}" for ending in get_args(Ending)}
    found = {*literals(), *arguments(list(composed())), *faults, *endings}
    coded = {code for code in found if CODE.fullmatch(code) and not code.endswith("-")}
    return coded | set(plain())


def test_each_code_has_a_row() -> None:
    assert codes() - set(LISTED) == set()


def test_each_row_has_a_code() -> None:
    assert set(LISTED) - codes() == set()


def test_reasons_are_those_that_there_are() -> None:
    assert set(re.findall(r"^\| `([a-z-]+)` \|", REASONS, re.MULTILINE)) == set(get_args(Reason))


def test_no_row_stands_twice() -> None:
    assert sorted(set(LISTED)) == sorted(LISTED)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_names_its_class(kind: str) -> None:
    assert re.search(rf"^\| `{kind}` \| `pdl\.{KINDS[kind].__name__}` \|", PAGE, re.MULTILINE)


def test_limits_are_those_that_there_are() -> None:
    section = PAGE.split("## limit", 1)[1].split("\n## ", 1)[0]
    named = {name for name in re.findall(r"`([a-z_]+)`", section) if "_" in name}
    assert named <= {one.name for one in fields(DEFAULT_LIMITS)} | {"max_rules"}
