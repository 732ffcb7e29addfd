"""The page's own modules that need no browser, with the test runner of Node.js."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = sorted(Path(__file__).with_name("js").glob("*.test.mjs"))
OLDEST = (20, 19)
"""The Node.js that takes a `.js` file with `import` for a module."""


@pytest.mark.parametrize("script", SCRIPTS, ids=[path.name for path in SCRIPTS])
def test_its_own_tests_pass(script: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js")
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)  # noqa: S603 - as found
    if tuple(map(int, re.findall(r"\d+", told.stdout)[:2])) < OLDEST:
        pytest.skip("needs Node.js 20.19 or later")
    run = subprocess.run(  # noqa: S603 - as found
        [node, "--test", str(script)], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stdout
