"""`pdl check --batch`: many replies of one prompt, one result line each."""

from __future__ import annotations

from typing import NamedTuple

import click

from pdl.cli.options import FILE, bundle

_FIELD = "reply"
_MOST_JOBS = 60  # Windows waits for no more processes together


class BatchInput(NamedTuple):
    """The file to read, the path of the reply in a line, and how many processes check."""

    file: str
    field: str = _FIELD
    jobs: int = 1


def _make(batch: str | None, field: str | None, jobs: int | None) -> BatchInput | None:
    if batch is None:
        for name, value in (("field", field), ("jobs", jobs)):
            if value is not None:
                raise click.UsageError(f"--{name} requires --batch FILE")
        return None
    return BatchInput(batch, _FIELD if field is None else field, 1 if jobs is None else jobs)


batch_options = bundle(
    "batch",
    _make,
    click.option(
        "--batch",
        type=FILE,
        metavar="FILE",
        help="Many replies, as JSON Lines: each line is an object with the reply and an optional"
        " id, or only the reply as a JSON string. - is standard input.",
    ),
    click.option(
        "--field",
        metavar="PATH",
        help="The key of the reply in each object of --batch, such as text or"
        f" choices.0.message.content. Default: {_FIELD}.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(1, _MOST_JOBS),
        metavar="N",
        help="Check the replies of --batch in N processes. Default: 1.",
    ),
)
"""`--batch`, `--field`, and `--jobs`, passed as one `batch`, which is None without `--batch`."""
