"""The pages of the Python API, made from signatures and docstrings, without running the code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import griffe
from website.sources import cell

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TypeGuard

PACKAGES = {
    "pdl": "Load, render, ask, and check: what most programs need.",
    "pdl.prompt": "Prompt files and what they render to.",
    "pdl.schema": "Schemas of answers.",
    "pdl.reply": "The checker of replies.",
    "pdl.models": "Models, and how they are asked.",
    "pdl.tools": "Tools, their calls, and their results.",
    "pdl.gbnf": "Grammars: compile, parse, lint, match.",
    "pdl.masks": "Token masks.",
    "pdl.batch": "Callables for the engines of batches: check, render, compile.",
    "pdl.compare": "What a change of prompts and schemas breaks.",
    "pdl.testing": "Cases beside prompts.",
    "pdl.evaluation": "Prompts and models, evaluated on cases.",
}
WIDEST = 88
"""Characters of a signature on one line."""


@dataclass
class Interface:
    """The public names of the packages, each of which has its section on one page."""

    root: griffe.Module
    homes: dict[str, str] = field(default_factory=dict)
    """The package whose page describes an object, by the object's path."""

    @classmethod
    def of(cls, source: Path) -> Interface:
        """The interface of the package pdl below a directory."""
        package = griffe.load("pdl", search_paths=[source])
        assert isinstance(package, griffe.Module)
        found = cls(package)
        for name in PACKAGES:
            for _, one in found.names(name):
                found.homes.setdefault(one.path, name)
        return found

    def module(self, package: str) -> griffe.Module:
        """A package of PACKAGES."""
        inner = package.removeprefix("pdl").lstrip(".")
        found = self.root[inner] if inner else self.root
        assert isinstance(found, griffe.Module)
        return found

    def names(self, package: str) -> Iterator[tuple[str, griffe.Object]]:
        """The public names of a package, in order, with what they are; modules are left out."""
        module = self.module(package)
        for name in sorted(map(str, module.exports or ()), key=lambda name: (name.lower(), name)):
            member = module[name]
            target = member.final_target if isinstance(member, griffe.Alias) else member
            if not isinstance(target, griffe.Module):
                yield name, target

    def pages(self) -> dict[str, str]:
        """The Markdown of the pages, by their places."""
        made = {f"api/{name}.md": "\n".join(self._page(name)) for name in PACKAGES}
        return {"api/index.md": self._contents(), **made}

    def _contents(self) -> str:
        rows = "\n".join(f"| [`{name}`]({name}.md) | {words} |" for name, words in PACKAGES.items())
        return f"{HEAD}\n| package | |\n|---|---|\n{rows}\n"

    def _page(self, package: str) -> Iterator[str]:
        yield f"# {package}\n"
        yield _about(self.module(package))
        elsewhere = []
        for name, one in self.names(package):
            if self.homes[one.path] != package:
                elsewhere.append(f"[`{name}`]({self.homes[one.path]}.md#{anchor(name)})")
            else:
                yield from _section(name, one)
        if elsewhere:
            yield f"## Described elsewhere\n\n{', '.join(elsewhere)}.\n"


HEAD = """\
# The Python API

Every public name, by the package that it is imported from. Other modules are not public and can
change. Signatures and descriptions are those of the source; `help(…)` in Python prints them, too.
"""


def anchor(name: str) -> str:
    """The anchor of a name on its page."""
    return name.replace(".", "-")


def _about(package: griffe.Module) -> str:
    """What a package is; words for pytest, which it finds in docstrings, are left out."""
    text = package.docstring.value if package.docstring else ""
    return "".join(f"{one}\n\n" for one in text.split("\n\n") if "PYTEST_DONT_REWRITE" not in one)


def _section(name: str, one: griffe.Object) -> Iterator[str]:
    yield f"## {name} {{ #{anchor(name)} }}\n"
    if isinstance(one, griffe.Class):
        yield from _class(name, one)
    elif isinstance(one, griffe.Function):
        yield f"{_signature(name, one)}\n"
        yield _words(one)
    else:
        yield _words(one)


def _class(name: str, one: griffe.Class) -> Iterator[str]:
    constructor = one.members.get("__init__")
    bases = ", ".join(_code(base) for base in one.bases)
    if _is_called(constructor):
        yield f"{_signature(name, constructor, returns=False)}\n"
    elif bases:
        yield f"```python\nclass {name}({bases})\n```\n"
    yield _words(one)
    fields = [each for each in one.members.values() if _is_described(each)]
    given = {each.name for each in constructor.parameters} if _is_called(constructor) else set()
    rows = [
        _row(each)
        for each in fields
        if isinstance(each, griffe.Attribute) and (each.docstring or each.name not in given)
    ]
    if rows:
        yield "\n".join(["| attribute | type | |", "|---|---|---|", *rows]) + "\n"
    for each in fields:
        if isinstance(each, griffe.Function):
            inner = f"{name}.{each.name}"
            yield f"### {inner} {{ #{anchor(inner)} }}\n"
            yield f"{_signature(inner, each)}\n"
            yield _words(each)


def _is_called(constructor: griffe.Object | griffe.Alias | None) -> TypeGuard[griffe.Function]:
    """Whether programs make instances, by arguments that have names of their own."""
    return isinstance(constructor, griffe.Function) and len(constructor.parameters) > 1


def _is_described(member: griffe.Object | griffe.Alias) -> bool:
    return not member.name.startswith("_") and not member.is_alias


def _row(one: griffe.Attribute) -> str:
    words = " ".join(one.docstring.value.split()) if one.docstring else ""
    kind = f"`{_code(one.annotation)}`" if one.annotation is not None else ""
    return f"| `{one.name}` | {cell(kind)} | {cell(words)} |"


def _signature(name: str, one: griffe.Function, *, returns: bool = True) -> str:
    """The signature in a block, with a parameter per line if it is long."""
    made = [part for part in _parameters(one) if not part.startswith(("self", "cls", "_"))]
    result = f" -> {_code(one.returns)}" if returns and one.returns is not None else ""
    begin = "async " if "async" in one.labels else ""
    text = f"{begin}{name}({', '.join(made)}){result}"
    if len(text) > WIDEST:
        lines = "".join(f"    {part},\n" for part in made)
        text = f"{begin}{name}(\n{lines}){result}"
    return f"```python\n{text}\n```"


def _parameters(one: griffe.Function) -> Iterator[str]:
    last: griffe.ParameterKind | None = None
    kinds = griffe.ParameterKind
    for each in one.parameters:
        if last is kinds.positional_only and each.kind is not kinds.positional_only:
            yield "/"
        named = {kinds.keyword_only, kinds.var_positional}
        if each.kind is kinds.keyword_only and last not in named:
            yield "*"
        last = each.kind
        stars = {kinds.var_positional: "*", kinds.var_keyword: "**"}.get(each.kind, "")
        kind = f": {_code(each.annotation)}" if each.annotation is not None else ""
        default = ""
        if each.default is not None and not stars:
            default = f" = {_code(each.default)}" if kind else f"={_code(each.default)}"
        yield f"{stars}{each.name}{kind}{default}"


def _code(expression: object) -> str:
    return re.sub(r"\s+", " ", str(expression))


def _words(one: griffe.Object) -> str:
    return f"{one.docstring.value}\n" if one.docstring else ""
