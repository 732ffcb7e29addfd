"""`pdl check --batch`: many replies."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pdl.batch.checker import schema_digest
from pdl.batch.results import PLACE
from pdl.batch.rows import Reading
from pdl.batch.units import task_of
from pdl.cli.batch.directory import ShippedJob, report_audit, result_format, run_into_directory
from pdl.cli.batch.reports import Nouns
from pdl.cli.batch.run import run_into_file
from pdl.cli.batch.work import Task
from pdl.cli.inputs import code_digest

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.cli.batch import BatchInput
    from pdl.cli.inputs import RowSchemas
    from pdl.reply import Coercions

_NOUNS = Nouns("reply", "replies", "checked", "a reply")


def check_batch(
    source: BatchInput, schemas: RowSchemas, coercions: Coercions, out: str | None
) -> int:
    """Check all replies, and print the summary. Returns the exit code.

    Raises FileError for files that cannot be used, or do not belong together.
    """
    directory = source.directory(out)
    if source.audit:
        return report_audit(str(directory))
    checker = schemas.checker(coercions, PLACE)
    if directory is None:
        digest = schema_digest(schemas.default, coercions, *schemas.sources())
        needs = schemas.error is not None
        reading = Reading(source.field, schemas.varies)
        task = Task(digest, reading, checker, needs, schemas.has_types)
        return run_into_file(source, task, out, _NOUNS, schemas.error)
    schema = schemas.default
    asked: Json = schema and {
        "json": schema.to_json_schema(),
        "form": schema.form,
        "lang": schema.lang,
        "tasks": schema.tasks,
        "typed": schema.python_type is not None,
    }
    asks = task_of(
        "check",
        field=source.field,
        coercions=dataclasses.asdict(coercions),
        schema=asked,
        sources=schemas.sources() or None,
        fingerprint=schemas.prompt.fingerprint if schemas.prompt is not None else None,
        code=code_digest() if schemas.has_types else None,
    )
    job = ShippedJob(
        "check",
        source.file,
        directory,
        result_format(source),
        checker,
        Reading(source.field, schemas.varies),
        asks,
        has_types=schemas.has_types,
    )
    return run_into_directory(job, source.jobs, _NOUNS)
