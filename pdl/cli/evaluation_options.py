"""The options of `pdl eval run`: what is asked of whom, and how fast."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from pdl._types import CASES_SUFFIX
from pdl.cli.files import files_below
from pdl.cli.options import (
    EXCLUDE,
    FILE,
    bundle,
    coerce_option,
    free_option,
    model_option,
    retries_option,
    server_option,
    timeout_option,
    tokens_option,
)
from pdl.cli.prices import read_prices
from pdl.errors import FileError, Problem
from pdl.evaluation.manifest import FILE as FILE_OF_RUN
from pdl.evaluation.manifest import read_manifest
from pdl.models.budget import Budget
from pdl.models.connecting import connect_at
from pdl.reply.coercions import Coercions

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.models.exchange import Model


@dataclass(frozen=True)
class Asked:
    """What is asked of whom: with other arguments, a run would be another one."""

    prompts: tuple[str, ...] = ()
    cases: str | None = None
    models: tuple[str, ...] = ()
    judge: str | None = None
    base_url: str | None = None
    repeats: int = 1
    retries: int = 3
    seed: int | None = None
    config: dict[str, Json] = field(default_factory=dict)
    constrain: bool = True
    coercions: Coercions = field(default_factory=Coercions)
    exclude: tuple[str, ...] = ()

    @classmethod
    def of_run(cls, directory: str) -> Asked:
        """Return what a run asks. Raises FileError if it was not made by this command."""
        known = read_manifest(Path(directory)).arguments
        try:
            return cls(**{**known, "coercions": Coercions(**known["coercions"])})
        except (KeyError, TypeError) as error:
            message = f"{directory} was not made by this command, or by another version of it"
            hint = "name its prompts and models again, with --out"
            raise FileError(Problem("file/run", message, hint=hint)) from error

    def files(self) -> list[str]:
        """Return the prompts; of directories, those that have cases. Raises FileError."""
        found = []
        for path in self.prompts:
            is_directory = Path(path).is_dir()
            found += files_below([path], CASES_SUFFIX, self.exclude) if is_directory else [path]
        return found

    def connected(self, name: str) -> Model:
        """Return a model by its name."""
        return connect_at(name, self.base_url)


asked_options = bundle(
    "asked",
    Asked,
    click.argument("prompts", nargs=-1, type=click.Path(), metavar="[PROMPT|DIR]..."),
    click.option(
        "--cases",
        type=FILE,
        metavar="FILE",
        help="Cases for all prompts: NAME.tests.pdl, or a table (.jsonl, .csv). Default: the"
        " NAME.tests.pdl beside each prompt.",
    ),
    model_option(
        "--model",
        "models",
        words="Model to ask, named as for `pdl run`. Default: the one that each prompt names."
        " Repeatable.",
        repeatable=True,
    ),
    model_option("--judge", words="Model that judges answers, for cases with <|judge|>."),
    server_option(),
    click.option(
        "--repeat",
        "repeats",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        metavar="N",
        help="How often each case is asked.",
    ),
    retries_option("Maximum retries in each trial, as for `pdl run`."),
    click.option(
        "--seed",
        type=int,
        metavar="N",
        help="Sampling seed of the first repeat; each further one has the next number.",
    ),
    tokens_option("Token limit of one reply."),
    free_option("Do not constrain the models to the schema: only check the replies."),
    coerce_option,
    EXCLUDE,
)


@dataclass(frozen=True)
class Pace:
    """How fast, and for how much, models are asked: free to differ when a run is resumed."""

    concurrency: int = 8
    rate: float | None = None
    timeout: float = 600.0
    cache: str | None = None
    prices: Budget | None = None
    max_cost: float | None = None
    retry_faults: bool = False

    def going_on(self, directory: str) -> Pace:
        """Return the pace for a run that may be there: what is not given is as it was before."""
        if not (Path(directory) / FILE_OF_RUN).is_file():
            return self
        manifest, source = read_manifest(Path(directory)), click.get_current_context()
        known, found = manifest.budget, self
        if found.prices is None and manifest.prices:
            found = replace(found, prices=Budget(prices=manifest.prices))
        if found.max_cost is None and "cost" in known:
            found = replace(found, max_cost=known["cost"])
        is_given = source.get_parameter_source("timeout") is not ParameterSource.DEFAULT
        if manifest.timeouts and not is_given:
            found = replace(found, timeout=manifest.timeouts[-1])
        return found

    def budget(self) -> Budget | None:
        """Return the budget. Raises UsageError for a bound without prices."""
        if self.max_cost is None:
            return self.prices
        if self.prices is None:
            raise click.UsageError("--max-cost needs the prices of the models: --prices FILE")
        return Budget(cost=self.max_cost, prices=self.prices.prices)


pace_options = bundle(
    "pace",
    Pace,
    click.option(
        "--concurrency",
        type=click.IntRange(1),
        default=8,
        show_default=True,
        metavar="N",
        help="Calls to one provider at the same time.",
    ),
    click.option(
        "--rate",
        type=click.FloatRange(0, min_open=True),
        metavar="N",
        help="Calls to one provider in a minute.",
    ),
    timeout_option("Time limit of one trial."),
    click.option(
        "--cache",
        type=FILE,
        metavar="FILE",
        help="Store valid replies in this database, and reuse them; each repeat has its own.",
    ),
    click.option(
        "--prices",
        type=FILE,
        callback=read_prices,
        metavar="FILE",
        help="JSON file with the prices of models, as for `pdl run`, to report the cost.",
    ),
    click.option(
        "--max-cost",
        type=click.FloatRange(0),
        metavar="X",
        help="Start no call once all calls of the run cost this much, by --prices.",
    ),
    click.option(
        "--retry-faults",
        is_flag=True,
        help="Ask again where trials ended by a transport error.",
    ),
)
