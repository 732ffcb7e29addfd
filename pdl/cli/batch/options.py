"""The options of `pdl check` that are about many replies, made into one value."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pdl.cli.options import FILE
from pdl.cli.output import Output

if TYPE_CHECKING:
    from pdl.cli.options import Function

_FIELD = "reply"
_MOST_JOBS = 60  # Windows waits for no more processes at once


class BatchOptions(NamedTuple):
    """What to read, where in it the replies are, how many processes check, and where results go."""

    file: str
    field: str = _FIELD
    jobs: int = 1
    out: str | None = None


def batch_options(function: Function) -> Function:
    """`--batch`, `--field` and `--jobs`, which a function takes as one `batch` or None.

    `--out` is of both: where results go on, or where the one of a single reply is written.
    """

    @functools.wraps(function)
    def bundled(batch: str | None, out: str | None, **others: Any) -> None:
        names = ("field", "jobs")
        given = {name: value for name in names if (value := others.pop(name)) is not None}
        if batch is None and given:
            raise click.UsageError(f"--{next(iter(given))} is for --batch, which is not given")
        many = None if batch is None else BatchOptions(batch, out=out, **given)
        function(batch=many, output=Output(out), **others)

    return _BATCH(_FIELD_NAME(_JOBS(_OUT(bundled))))


_BATCH = click.option(
    "--batch",
    type=FILE,
    metavar="FILE",
    help="Many replies, in JSON Lines: each line an object with the reply and perhaps an id, or the"
    " reply alone as a JSON string. - is the standard input.",
)
_FIELD_NAME = click.option(
    "--field",
    metavar="NAME",
    help="The key of the reply in each object of --batch, such as text or"
    f" choices.0.message.content; {_FIELD} if it is not given.",
)
_JOBS = click.option(
    "--jobs",
    type=click.IntRange(1, _MOST_JOBS),
    metavar="N",
    help="Check the replies of --batch in N processes; 1 if it is not given.",
)
_OUT = click.option(
    "--out",
    "-o",
    type=FILE,
    metavar="FILE",
    help="Write to FILE, not to the standard output; what it held is gone. Results of --batch are"
    " appended to it as they come, and what it answers already is not checked again, so that the"
    " same command goes on where it was stopped.",
)
