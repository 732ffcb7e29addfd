"""What every run of many cases needs, by pytest or by `pdl test`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import PdlError
from pdl.models.connecting import connect
from pdl.prompt import load
from pdl.testing.running import RunOptions, run_case

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.prompt import Prompt
    from pdl.testing.cases import Case
    from pdl.testing.outcome import Outcome


def run_options(model: str | None, judge: str | None, retries: int | None) -> RunOptions:
    """Return the options of a run whose models are given by name. Raises what `connect` raises."""
    options = RunOptions(
        connect(model) if model is not None else None,
        connect(judge) if judge is not None else None,
    )
    return options if retries is None else RunOptions(options.model, options.judge, retries)


class Session:
    """Runs cases, and reads the prompt of a file of cases only once."""

    def __init__(self, options: RunOptions | None = None) -> None:
        self.options = options or RunOptions()
        self._prompts: dict[Path, Prompt | None] = {}

    def run(self, case: Case) -> Outcome:
        """Run a case and return its outcome."""
        path = case.file.prompt
        if path not in self._prompts:
            try:
                self._prompts[path] = load(path)
            except PdlError:  # running the case says so
                self._prompts[path] = None
        return run_case(case, self.options, prompt=self._prompts[path])
