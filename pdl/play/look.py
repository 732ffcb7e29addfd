"""`look`: everything that the playground shows of a prompt, its data and a reply."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pdl
from pdl.errors import PdlError
from pdl.play.looking import views
from pdl.play.looking.subject import Subject
from pdl.prompt.files import Folder

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from pdl._types import Json

PARTS: dict[str, Callable[[Subject], Json]] = {
    "problems": views.problems,
    "inputs": views.inputs,
    "turns": views.turns,
    "requests": views.requests,
    "schema": views.schema,
    "grammar": views.grammar,
    "check": views.check,
    "tools": views.tools,
}
"""What makes each part."""


def look(
    prompt: str,
    data: str = "",
    reply: str | None = None,
    options: Mapping[str, Json] | None = None,
    *,
    base: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Return, as JSON, what a prompt, its data and a reply become; it raises nothing.

    `data` is an object in JSON or YAML. `options` are `parts`, the names of those that are wanted,
    and `name`, the prompt's in problems. Files are read below `base`, or not at all without it.
    Offsets count code units of UTF-16, lines and columns begin at 1. A part that can't be made is
    null, and `failed` says why; so is one that there is nothing for.
    """
    given = options or {}
    folder = None if base is None else Folder(Path(base))
    subject = Subject(prompt, data, reply, given, folder)
    wanted: Any = given.get("parts")
    made: dict[str, Json] = {}
    failed: dict[str, Json] = {}
    seconds: dict[str, Json] = {}
    for part, make in PARTS.items():
        made[part] = None
        if wanted is not None and part not in wanted:
            continue
        start = time.perf_counter()
        try:
            made[part] = make(subject)
        except PdlError as error:
            one = views.problem(error.problem)
            failed[part] = {key: one[key] for key in ("message", "hint", "line", "column")}
        seconds[part] = round(time.perf_counter() - start, 6)
    return {"version": pdl.__version__, "seconds": seconds, "failed": failed, **made}
