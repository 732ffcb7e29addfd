"""`pdl play`: what it prints, and what it refuses before it serves."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from pdl.cli.app import application

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(application, ["play", *arguments], prog_name="pdl")
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none.pdl"], "none.pdl: cannot be read: no such file or directory"),
        (["DIR/a.tests.pdl"], "is not a prompt"),
        (["--port", "70000"], "70000 is not in the range"),
        (["--tokenizer", "none.json"], "none.json: cannot be read"),
        (["--eos", "</s>"], "--eos requires --tokenizer"),
        (["--pyodide", "x"], "--pyodide requires --static"),
        (["DIR", "--static", "DIR/out"], "--static and FILE cannot be used together"),
        (["--static", "DIR/out", "--model", "x"], "--static and --model cannot be used together"),
        (["--static", "DIR/out", "--no-browser"], "--static and --no-browser cannot be used"),
        (["--static", "DIR/out", "--pyodide", "DIR/none"], "Pyodide"),
    ],
)
def test_what_cannot_be_done_is_refused(tmp_path: Path, arguments: list[str], told: str) -> None:
    tmp_path.joinpath("a.tests.pdl").touch()
    code, output = run(*(one.replace("DIR", str(tmp_path)) for one in arguments))
    assert code == 2
    assert told in output


def test_a_port_in_use_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        code, output = run("--port", str(other.getsockname()[1]))
    assert code == 2
    assert "is in use\n  hint: leave out --port" in output


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")
@pytest.mark.parametrize("times", [1, 2, 4])
@pytest.mark.parametrize("is_ready", [True, False])
def test_ctrl_c_ends_it_without_a_traceback(times: int, is_ready: bool) -> None:  # noqa: FBT001
    """While it starts, too, and again while it ends."""
    command = [sys.executable, "-m", "pdl", "play", "--no-browser"]
    with subprocess.Popen(  # noqa: S603 - this package
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        address = urlsplit(running.stdout.readline().strip())
        if is_ready:
            assert urlopen(f"http://{address.netloc}/").status == 200
        for _ in range(times):
            running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=60)
    assert running.returncode in {130, -signal.SIGINT}
    assert told in {"", "Ctrl-C ends it.\n"}


WITHOUT = """
import sys
sys.modules["{name}"] = None
from pdl.cli.app import application
application.main(["play", "--no-browser"], prog_name="pdl")
"""


@pytest.mark.parametrize("name", ["starlette", "uvicorn", "websockets", "pygls"])
def test_a_missing_package_is_told_with_the_extra(name: str) -> None:
    done = subprocess.run(  # noqa: S603  (our own interpreter and text)
        [sys.executable, "-c", WITHOUT.format(name=name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"the playground needs {name}, which is not installed" in done.stderr
    assert "pip install 'pdl-prompts[play]'" in done.stderr
