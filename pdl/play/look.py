"""`look`: everything that the playground shows of a prompt, its data and a reply."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pdl
from pdl.errors import PdlError
from pdl.play.looking import calls, checks, inputs, problems, schemas, turns
from pdl.play.looking.subject import Options, subject_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from pdl._types import Json
    from pdl.play.looking.subject import Subject


class _Part(NamedTuple):
    """What makes a part; it depends on the prompt, the data, and perhaps on one thing more."""

    make: Callable[[Subject], Json]
    also: Literal["", "reply", "rule"] = ""


_PARTS = {
    "problems": _Part(problems.problems),
    "inputs": _Part(inputs.inputs),
    "turns": _Part(turns.turns),
    "requests": _Part(turns.requests),
    "schema": _Part(schemas.schema),
    "grammar": _Part(schemas.grammar, "rule"),
    "check": _Part(checks.check, "reply"),
    "tools": _Part(calls.tools, "reply"),
}

PARTS = tuple(_PARTS)
"""The names of the parts, in their order."""

_FIRST = """<|input|>
{ name: str, n?: int }
<|system|>
{{ schema }}
<|user|>
{{ name }}
<|schema|>
{ a: int<1,5>, b?: [str] }
"""
_MOST_VIEWS = 100  # of one prompt with its data: of many rules for instance
_BUG = "please report it with the prompt; the other parts are right"


def look(
    prompt: str,
    data: str = "",
    reply: str | None = None,
    options: Mapping[str, Json] | None = None,
    *,
    base: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Return, as JSON, what a prompt, its data and a reply become; it raises nothing.

    `data` is an object in JSON or YAML; inputs that it lacks get stand-ins. `options` are `parts`,
    the names of those that are wanted; `name`, that of the prompt; `rule`, the one to draw;
    `coercions`, the names of those that are allowed.
    Files are read below `base`, or not at all without it.

    Offsets and columns count code units of UTF-16, lines and columns begin at 1. A part that can't
    be made is null, and `failed` says why; so is one that there is nothing for. What is beyond
    `bounds.PAGE_LIMITS` is refused. The result is not to be changed: later ones share parts of it.
    Its strings can have unpaired surrogates, which `json.dumps` writes in ASCII.
    """
    wanted = Options.of(options or {})
    subject = subject_of(prompt, data, reply, wanted, base)
    made: dict[str, Json] = dict.fromkeys(PARTS)
    failed: dict[str, Json] = {}
    seconds: dict[str, Json] = {}
    for name, part in _PARTS.items():
        if wanted.parts is not None and name not in wanted.parts:
            continue
        start = time.perf_counter()
        try:
            made[name] = _made(name, part, subject)
        except PdlError as error:
            failed[name] = problems.failure(subject.draft, error.problem)
        except (RecursionError, MemoryError):
            failed[name] = _failure("this nests too deeply, or is too large, for the page")
        except Exception as error:  # noqa: BLE001 - a bug in one part must not hide the others
            failed[name] = _failure(f"pdl itself failed here: {type(error).__name__}", _BUG)
        seconds[name] = round(time.perf_counter() - start, 6)
    return {"version": pdl.__version__, "seconds": seconds, "failed": failed, **made}


def warm_up() -> None:
    """Look once, which loads what the first look of a page would wait for."""
    look(_FIRST, '{"name": "Ann"}', '{a: "1"}')


def _made(name: str, part: _Part, subject: Subject) -> Json:
    """A part; one that doesn't depend on the reply is kept with the prompt and its data."""
    if part.also == "reply":
        return part.make(subject)
    key = name, getattr(subject.options, part.also) if part.also else ""
    views = subject.filled.views
    if key not in views:
        if len(views) > _MOST_VIEWS:
            views.clear()
        views[key] = part.make(subject)
    return views[key]


def _failure(message: str, hint: str = "") -> dict[str, Json]:
    return {"message": message, "hint": hint, "file": None, "line": None, "column": None}
