"""Names of tools: what providers take, that each stands for one tool, and in what is told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pdl.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.source import Span

_LONGEST = 64
_TAKEN = re.compile(rf"[a-zA-Z0-9_-]{{1,{_LONGEST}}}")
"""What OpenAI, Anthropic and most others take as the name of a function."""
_ODD = re.compile(r"[^a-zA-Z0-9_-]+")


def name_problems(names: Iterable[tuple[Any, Span | None]]) -> Iterator[Problem]:
    """What is wrong with names, each beside the place where it stands."""
    seen: set[Any] = set()
    for name, span in names:
        problem = _odd(name, span)
        if problem is not None:
            yield problem
        elif name in seen:
            message = f"there are two tools named `{name}`"
            yield Problem("tool/duplicate-name", message, span, "rename one of them")
        else:
            seen.add(name)


def of_parameters(name: str, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Problems of the schema of a tool's parameters, which say whose it is."""
    for problem in problems:
        message = f"the parameters of the tool `{name}`: {problem.message}"
        yield Problem(problem.code, message, problem.span, problem.hint)


def _odd(name: Any, span: Span | None) -> Problem | None:
    if not isinstance(name, str):
        message = f"a tool's name is a text, not {type(name).__name__}"
        return Problem("tool/bad-name", message, span)
    if not name:
        return Problem("tool/bad-name", "a tool has no name", span)
    if len(name) > _LONGEST:
        message = f"the name `{name[:20]}…` of a tool has {len(name)} characters"
        return Problem("tool/bad-name", message, span, f"models' providers take {_LONGEST} at most")
    if not _TAKEN.fullmatch(name):
        message = f"`{name}` is no name for a tool: a-z, A-Z, 0-9, `_` and `-` may stand in it"
        better = _ODD.sub("_", name).strip("_")
        return Problem("tool/bad-name", message, span, f"write `{better}`" if better else "")
    return None
