"""Batches as processes: many workers, Ctrl-C, a worker or the command killed, a bar."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pdl.batch import audit

if TYPE_CHECKING:
    from collections.abc import Callable

PDL = (sys.executable, "-c", "from pdl.cli import main; main()")
CHECK = (*PDL, "check", "--dsl", "{ n: int }", "--batch")
NEEDS_SIGNALS = pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
NEEDS_PROC = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc"
)
LINE = b"\"{'n': 1}\"\n"
MANY = 20_000
PATIENCE = 60.0  # seconds


def start(*words: str) -> subprocess.Popen[bytes]:
    """Start pdl in its own process group, as a terminal would."""
    pipe = subprocess.PIPE
    return subprocess.Popen(  # noqa: S603  (our own command)
        [*CHECK, *words], stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
    )


def until(is_true: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    end = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)


def lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not asked about has no command line."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False


def children(pid: int) -> list[int]:
    """The processes that a process started to work for it."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if parent == pid and b"spawn_main" in command:
            found.append(int(entry.name))
    return found


@pytest.fixture
def replies(tmp_path: Path) -> Path:
    """A file of which most takes longer to check than a test waits for."""
    file = tmp_path / "replies.jsonl"
    file.write_bytes(LINE * MANY)
    return file


def test_results_are_in_order_whatever_the_number_of_jobs(tmp_path: Path) -> None:
    """Also where some replies take much longer than others."""
    file = tmp_path / "replies.jsonl"
    replies = [f'{{"n": {n}}}' if n % 50 else "<" * 20_000 for n in range(500)]
    texts = [json.dumps({"id": n, "reply": reply}) for n, reply in enumerate(replies)]
    file.write_text("".join(f"{text}\n" for text in texts))
    shown = set()
    for jobs in ("1", "2", "5"):
        with start(str(file), "--jobs", jobs) as process:
            shown.add(process.communicate(timeout=PATIENCE)[0])
        assert process.returncode == 1
    assert len(shown) == 1
    assert [json.loads(line)["id"] for line in shown.pop().splitlines()] == list(range(500))


def test_each_result_comes_before_the_next_reply_is_read() -> None:
    with start("-") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(1, 4):
            process.stdin.write(LINE)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["line"] == number
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


@NEEDS_SIGNALS
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_it_and_it_can_go_on(replies: Path, tmp_path: Path, jobs: str) -> None:
    out = tmp_path / "results.jsonl"
    words = (str(replies), "--jobs", jobs, "--out", str(out))
    with start(*words) as process:
        until(lambda: lines(out) > 10)
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    done = lines(out)
    assert 0 < done < MANY
    first, last = told.decode().splitlines()
    assert first.startswith(f"{replies}: {done:,} replies, {done:,} valid, 0 invalid")
    assert last == "interrupted by Ctrl-C; run the same command again to resume"
    replies.write_bytes(LINE * (done + 50))
    with start(*words) as process:
        _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert f"{done:,} checked in an earlier run" in told.decode()
    assert lines(out) == done + 50


@NEEDS_SIGNALS
@NEEDS_PROC
def test_a_killed_command_leaves_no_process_and_can_go_on(replies: Path, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    words = (str(replies), "--jobs", "2", "--out", str(out))
    with start(*words) as process:
        until(lambda: lines(out) > 10)
        workers = children(process.pid)
        process.kill()
        _, told = process.communicate(timeout=PATIENCE)
    assert len(workers) == 2
    assert b"Traceback" not in told
    until(lambda: not any(map(is_alive, workers)))
    count = lines(out) + 50
    replies.write_bytes(LINE * count)
    with start(*words) as process:
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    numbers = [json.loads(line)["line"] for line in out.read_bytes().splitlines()]
    assert numbers == list(range(1, count + 1))


@NEEDS_SIGNALS
@NEEDS_PROC
def test_a_worker_that_dies_is_an_error(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    with start("-", "--jobs", "2", "--out", str(out)) as process:
        assert process.stdin is not None
        process.stdin.write(LINE * 1000)
        process.stdin.flush()
        until(lambda: lines(out) > 0)
        os.kill(children(process.pid)[0], signal.SIGKILL)
        _, told = process.communicate(LINE * 1000, timeout=PATIENCE)
    assert process.returncode == 2
    assert told.startswith(b"a worker process ended before its work was done\n  hint: ")
    assert 0 < lines(out) < 2000


@NEEDS_SIGNALS
def test_a_reader_that_stops_early_ends_the_workers(replies: Path) -> None:
    with start(str(replies), "--jobs", "2") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 0


def rows_in(directory: Path) -> list[int]:
    """The lines that have results in a directory, in the order of its files."""
    files = sorted(directory.glob("*.jsonl"))
    return [json.loads(line)["line"] for file in files for line in file.read_bytes().splitlines()]


def recorded(directory: Path) -> int:
    """How many parts of the input are written down as done."""
    return lines(directory / "_journal")


@NEEDS_SIGNALS
def test_twelve_kills_lose_no_row_and_double_none(tmp_path: Path) -> None:
    """Each interrupts a run in two processes into a directory, which has done something before."""
    count, out = 8000, tmp_path / "out"
    file = tmp_path / "replies.jsonl"
    row = json.dumps({"reply": "{'n': 1}", "more": "x" * 300})
    file.write_text(f"{row}\n" * count)
    words = (str(file), "--jobs", "2", "--out", f"{out}/")
    for kill in range(12):
        with start(*words) as process:
            until(lambda kill=kill: recorded(out) > 2 * kill)  # type: ignore[misc]
            process.kill()
            process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGKILL
    assert recorded(out) < count * len(row) >> 16
    with start(*words) as process:
        _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert f"{count:,} replies, {count:,} valid" in told.decode()
    assert rows_in(out) == list(range(1, count + 1))
    assert not audit(out)
    assert not list(out.glob(".unit-*"))


def test_two_runs_into_one_directory_are_refused(replies: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with start(str(replies), "--out", f"{out}/") as first:
        until((out / "_manifest.json").exists)
        with start(str(replies), "--out", f"{out}/") as second:
            _, told = second.communicate(timeout=PATIENCE)
        assert second.returncode == 2
        assert f"another run is writing {out}" in told.decode()
        first.communicate(timeout=PATIENCE)
    assert first.returncode == 0
    assert rows_in(out) == list(range(1, MANY + 1))


@NEEDS_SIGNALS
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_full_disk_ends_a_run_that_can_go_on(tmp_path: Path, jobs: str) -> None:
    """The limit of a file's size stands for it: writing fails in the middle of a result file."""
    file, out = tmp_path / "replies.jsonl", tmp_path / "out"
    file.write_bytes(LINE * 3000)
    words = [*CHECK, str(file), "--out", f"{out}/", "--jobs", jobs]
    limited = ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh", *words]
    made = subprocess.run(limited, capture_output=True, timeout=PATIENCE, check=False)  # noqa: S603 - ours
    assert made.returncode == 2
    assert b"cannot be written: file too large" in made.stderr
    assert b"Traceback" not in made.stderr
    assert not list(out.glob(".unit-*"))
    with start(str(file), "--out", f"{out}/", "--jobs", jobs) as process:
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert rows_in(out) == list(range(1, 3001))


@NEEDS_SIGNALS
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_a_run_into_a_directory(replies: Path, tmp_path: Path, jobs: str) -> None:
    out = tmp_path / "out"
    words = (str(replies), "--jobs", jobs, "--out", f"{out}/")
    with start(*words) as process:
        until(lambda: bool(list(out.glob("*.jsonl"))))
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"Traceback" not in told
    assert told.decode().endswith("interrupted by Ctrl-C; run the same command again to resume\n")
    with start(*words) as process:
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert rows_in(out) == list(range(1, MANY + 1))


@NEEDS_SIGNALS
@NEEDS_PROC
def test_a_worker_that_dies_is_an_error_of_a_run_into_a_directory(
    replies: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with start(str(replies), "--jobs", "2", "--out", f"{out}/") as process:
        until(lambda: len(children(process.pid)) == 2)
        os.kill(children(process.pid)[0], signal.SIGKILL)
        _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert b"a worker process ended before its work was done\n  hint: " in told


@NEEDS_SIGNALS
def test_a_terminal_shows_a_bar_for_a_directory(replies: Path, tmp_path: Path) -> None:
    replies.write_bytes(LINE * 200 + b"oops\n")
    shown = on_terminal(str(replies), "--out", f"{tmp_path}/out/")
    assert "100%  200 valid, 0 invalid, 1 without a reply" in shown
    assert "replies.jsonl:201:1: this line is not JSON" in shown


@NEEDS_SIGNALS
def test_a_terminal_shows_a_bar(replies: Path, tmp_path: Path) -> None:
    replies.write_bytes(LINE * 200 + b"oops\n" + LINE * 200)
    out = tmp_path / "results.jsonl"
    shown = on_terminal(str(replies), "--out", str(out))
    assert "100%  400 valid, 0 invalid, 1 without a reply" in shown
    assert "replies.jsonl:201:1: this line is not JSON" in shown
    assert shown.rstrip().endswith("400 replies, 400 valid, 0 invalid; 1 line without a reply")
    assert lines(out) == 400


@NEEDS_SIGNALS
def test_a_bar_and_results_do_not_mix(replies: Path) -> None:
    replies.write_bytes(LINE * 3)
    assert "%" not in on_terminal(str(replies))


def on_terminal(*words: str) -> str:
    """What pdl writes to a terminal, without styles."""
    import pty  # noqa: PLC0415  (Windows has no such module)

    ours, theirs = pty.openpty()
    variables = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    with subprocess.Popen([*CHECK, *words], stdout=theirs, stderr=theirs, env=variables):  # noqa: S603  (our own command)
        os.close(theirs)
        shown = b""
        try:
            while data := os.read(ours, 1 << 16):
                shown += data
        except OSError:  # so Linux reports that the other end is closed
            pass
    os.close(ours)
    return shown.decode()
