"""`evaluate`: an evaluation from Python."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdl.errors import error_from
from pdl.evaluation.engine import Engine
from pdl.evaluation.journal import Journal, read_run
from pdl.evaluation.matrix import make_plan
from pdl.evaluation.options import EvaluationOptions
from pdl.models.blocking_portal import run

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from pdl.evaluation.engine import Progress
    from pdl.evaluation.matrix import Promptable
    from pdl.evaluation.records import Run
    from pdl.models.arguments import Askable


def evaluate(  # noqa: PLR0913 - what is asked, of whom, and how
    prompts: Promptable | Sequence[Promptable],
    models: Askable | Sequence[Askable] = (),
    cases: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    options: EvaluationOptions | None = None,
    root: str | os.PathLike[str] | None = None,
    on_progress: Callable[[Progress], object] | None = None,
) -> Run:
    """Ask models all cases of prompts, and return what came of it.

    `prompts` are files, files of cases, or loaded prompts; `models` are names, models, or functions
    (without any: the model that each prompt names). `cases` is a file of cases (`NAME.tests.pdl`, a
    .jsonl or .csv table) for all prompts; without one, each has that beside it, whose files are
    read below `root`. `out` is the directory of the run, in which it can be resumed: what is on
    record there is not asked again. `on_progress` is called whenever something ended, in another
    thread.

    Raises PdlError for prompts, cases, and models that are invalid, before anything is asked, and
    FileError if `out` can't be used.
    """
    return run(
        evaluate_async(
            prompts, models, cases, out=out, options=options, root=root, on_progress=on_progress
        )
    )


async def evaluate_async(  # noqa: PLR0913 - what is asked, of whom, and how
    prompts: Promptable | Sequence[Promptable],
    models: Askable | Sequence[Askable] = (),
    cases: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    options: EvaluationOptions | None = None,
    root: str | os.PathLike[str] | None = None,
    on_progress: Callable[[Progress], object] | None = None,
) -> Run:
    """Do the same as `evaluate` in an asynchronous program."""
    if out is None:
        # Without a run to keep, the journal is where calls are counted.
        with tempfile.TemporaryDirectory() as directory:
            return await evaluate_async(
                prompts, models, cases,
                out=directory, options=options, root=root, on_progress=on_progress,
            )  # fmt: skip
    options = options or EvaluationOptions()
    plan = make_plan(_several(prompts), _several(models), cases, options, root=root)
    if plan.problems:
        raise error_from(plan.problems)
    with Journal(Path(out), plan.manifest) as journal:
        await Engine(plan, journal, options, on_progress).run()
    return read_run(Path(out))


def _several(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]
