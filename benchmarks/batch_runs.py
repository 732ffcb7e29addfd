"""`pdl check --batch` on many replies of 1 KB: time, memory of each process, and kills.

    python benchmarks/batch_runs.py                          # 1,000,000 replies, 2 processes
    python benchmarks/batch_runs.py --rows 200000 --kills 12
    python benchmarks/batch_runs.py --format parquet         # in and out; needs pyarrow

Half of the replies are plain JSON, 30 % are in a fence with prose around it, 10 % need a repair,
and 10 % do not match the schema. Afterwards each row must have one result, which is counted in the
files.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdl.batch import audit

if TYPE_CHECKING:
    from collections.abc import Iterator

DSL = (
    "{ id: int, name: str, tags: [str]<1,>, score: float<0,1>,"
    " notes: [{ by: str, text: str }]<1,> }"
)
WRONG, DAMAGED, FENCED = 9, 8, {5, 6, 7}  # last digits of numbers
_PATIENCE = 3600
_GROUP = 5_000  # rows of a row group of Parquet


def reply(number: int) -> str:
    """A reply of about 1,000 characters."""
    value: dict[str, Any] = {
        "id": number,
        "name": f"customer {number}",
        "tags": ["billing", "late", "Zürich"],
        "score": round((number % 1000) / 1000, 3),
        "notes": [
            {"by": f"agent {n}", "text": f"call {number}-{n}: " + "the parcel did not arrive; " * 5}
            for n in range(5)
        ],
    }
    kind = number % 10
    if kind == WRONG:
        value["score"] = "high"
    text = json.dumps(value, ensure_ascii=False)
    if kind in FENCED:
        return f"Here is what I found:\n\n```json\n{text}\n```\n\nLet me know if you need more."
    return text.replace("}]", "},]") if kind == DAMAGED else text


def write_rows(folder: Path, rows: int, form: str) -> Path:
    """Write the input; returns its path."""
    path = folder / f"replies.{form}"
    if form == "jsonl":
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps({"id": n, "reply": reply(n)}) + "\n" for n in range(rows))
        return path
    import pyarrow as pa  # noqa: PLC0415 - only for this format
    from pyarrow import parquet  # noqa: PLC0415

    schema = pa.schema([("id", pa.int64()), ("reply", pa.string())])
    with parquet.ParquetWriter(path, schema) as writer:
        # Few at a time: a process that is started counts the memory of this one as its own.
        for first in range(0, rows, _GROUP):
            numbers = range(first, min(first + _GROUP, rows))
            cells = {"id": list(numbers), "reply": list(map(reply, numbers))}
            writer.write_table(pa.table(cells, schema=schema))
    return path


def lines_of(folder: Path) -> Iterator[int]:
    """Yield the line that each result is of."""
    for file in sorted(folder.glob("*.jsonl")):
        with file.open("rb") as stream:
            yield from (json.loads(line)["line"] for line in stream)
    for file in sorted(folder.glob("*.parquet")):
        from pyarrow import parquet  # noqa: PLC0415 - only for this format

        yield from parquet.read_table(file, columns=["line"])["line"].to_pylist()


def main() -> None:
    """Run it and print figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--format", choices=["jsonl", "parquet"], default="jsonl")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = write_rows(folder, options.rows, options.format)
        size = source.stat().st_size
        print(f"{options.rows:,} replies, {size / 1e6:,.0f} MB, {options.jobs} processes")
        out = folder / "results"
        command = [sys.executable, "-c", "from pdl.cli import main; main()", "check", "--dsl", DSL]
        command += ["--batch", str(source), "--out", f"{out}/", "--jobs", str(options.jobs)]
        began = time.monotonic()
        kills = run_killed(command, out, options.kills)
        seconds = time.monotonic() - began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = used.ru_utime + used.ru_stime
        print(
            f"{seconds:,.0f} s, {cpu:,.0f} s of CPU, {options.rows / cpu:,.0f} rows per CPU second"
        )
        print(f"largest process: {used.ru_maxrss / 1024:,.0f} MB; {kills} kills")
        counts = Counter(lines_of(out))
        first = 1
        missing = options.rows - len(counts)
        twice = sum(count - 1 for count in counts.values())
        is_whole = missing == 0 and twice == 0 and min(counts) == first
        print(f"{len(counts):,} distinct rows, {missing:,} missing, {twice:,} twice")
        print(f"audit: {audit(out) or 'nothing wrong'}")
        if not is_whole:
            raise SystemExit(1)


def run_killed(command: list[str], out: Path, kills: int) -> int:
    """Run a command, kill it so often at random times, and start it again until it ends."""
    done = 0
    while True:
        with subprocess.Popen(command) as process:  # noqa: S603 - our own command
            if done < kills:
                files = len(list(out.glob("*-*"))) if out.exists() else 0
                wanted = files + random.randint(1, 12)  # noqa: S311 - no secret
                while process.poll() is None:
                    if out.exists() and len(list(out.glob("*-*"))) >= wanted:
                        time.sleep(random.uniform(0, 0.5))  # noqa: S311
                        process.send_signal(signal.SIGKILL)
                        break
                    time.sleep(0.01)
            code = process.wait(_PATIENCE)
        if code != -signal.SIGKILL:
            assert code in {0, 1}, code
            return done
        done += 1


if __name__ == "__main__":
    main()
