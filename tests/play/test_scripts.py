"""The page's own modules that need no browser, with the test runner of Node.js."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = sorted(Path(__file__).with_name("js").glob("*.test.mjs"))


@pytest.mark.parametrize("script", SCRIPTS, ids=[path.name for path in SCRIPTS])
def test_its_own_tests_pass(script: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js")
    run = subprocess.run(  # noqa: S603 - as found
        [node, "--test", str(script)], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stdout
