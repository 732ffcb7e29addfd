"""`--batch`: many rows at once, one result each, in one file or in a directory of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from pdl.cli.files import STDIN
from pdl.cli.options import FILE, bundle

if TYPE_CHECKING:
    from pdl.batch.results import ResultFormat
    from pdl.cli.options import Decorator

_FIELD = "reply"
_MOST_JOBS = 60  # Windows waits for no more processes together
_FORMATS = ("jsonl", "csv", "parquet")


class BatchInput(NamedTuple):
    """What to read, the path of the reply in a row, how many processes work, and the results.

    `results` is their format, or None for that of the input; `audit` asks only whether they are
    whole.
    """

    file: str
    field: str = _FIELD
    jobs: int = 1
    results: ResultFormat | None = None
    audit: bool = False

    def directory(self, out: str | None) -> str | None:
        """Return the directory for result files; None for one file, or standard output.

        Raises UsageError for an output that can't have the results.
        """
        is_named = out is not None and (out.endswith(("/", os.sep)) or Path(out).is_dir())
        many = self.file != STDIN and Path(self.file).is_dir()
        if is_named or many or self.audit or self.results is not None:
            if out is None or out == STDIN or Path(out).is_file():
                option = "--audit" if self.audit else "--out-format"
                why = "--batch with a directory of shards" if many else option
                raise click.UsageError(f"{why} requires --out DIR")
            if self.file == STDIN:
                raise click.UsageError("--out DIR requires --batch FILE or DIR, not standard input")
            return out
        if out is not None and Path(out).suffix.lower() in {".parquet", ".csv"}:
            message = f"results of this format go to a directory: write --out {out}/"
            raise click.UsageError(message)
        return None


def batch_option(what: str) -> Decorator:
    """Return `--batch`, whose rows are what the words say."""
    return click.option(
        "--batch",
        type=FILE,
        metavar="FILE|DIR",
        help=f"{what}: JSON Lines (also .gz), CSV, or Parquet by the name's suffix; or a directory"
        " of such shards. - is JSON Lines from standard input.",
    )


OUT_FORMAT = click.option(
    "--out-format",
    "results",
    type=click.Choice(_FORMATS),
    help="Format of the result files in a directory --out. Default: that of the input.",
)


AUDIT = click.option(
    "--audit",
    is_flag=True,
    help="Only report whether the results in the directory --out are whole: that no file has"
    " changed, and that each row of --batch, as it is now, has its result.",
)


def jobs_option(words: str) -> Decorator:
    """Return `--jobs`, passed as `jobs`, with these words of help."""
    return click.option(
        "--jobs", type=click.IntRange(1, _MOST_JOBS), metavar="N", help=f"{words} Default: 1."
    )


def refuse_without_batch(**given: object) -> None:
    """Raise UsageError for an option that needs --batch."""
    for name, value in given.items():
        if value:
            raise click.UsageError(f"--{name.replace('_', '-')} requires --batch FILE")


def _make(
    batch: str | None,
    field: str | None,
    jobs: int | None,
    results: ResultFormat | None,
    *,
    audit: bool,
) -> BatchInput | None:
    if batch is None:
        refuse_without_batch(field=field, jobs=jobs, out_format=results, audit=audit)
        return None
    return BatchInput(batch, _FIELD if field is None else field, jobs or 1, results, audit)


def _make_rows(
    batch: str | None, jobs: int | None, results: ResultFormat | None, *, audit: bool
) -> BatchInput | None:
    return _make(batch, None, jobs, results, audit=audit)


_ROWS = "Many rows of template values, each an object"
rows_options = bundle(
    "batch",
    _make_rows,
    batch_option(_ROWS),
    jobs_option("Render the rows of --batch in N processes."),
    OUT_FORMAT,
    AUDIT,
)
"""`--batch` and its options for rows of values, passed as one `batch`."""

asked_options = bundle(
    "batch",
    lambda batch, *, audit: _make_rows(batch, None, None, audit=audit),
    batch_option(_ROWS),
    AUDIT,
)
"""`--batch` and its options for rows that are asked about, passed as one `batch`."""


batch_options = bundle(
    "batch",
    _make,
    batch_option(
        "Many replies, each a row with the reply and an optional id, or in JSON Lines only the"
        " reply as a string"
    ),
    click.option(
        "--field",
        metavar="PATH",
        help="The key or column of the reply in each row of --batch, such as text or"
        f" choices.0.message.content. Default: {_FIELD}.",
    ),
    jobs_option("Check the replies of --batch in N processes."),
    OUT_FORMAT,
    AUDIT,
)
"""`--batch` and its options, passed as one `batch`, which is None without `--batch`."""
