"""A run that is killed again and again: nothing is lost, and nothing is asked twice."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

import pytest
from killed_runs import CONCURRENCY, killed_run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no signals")


@pytest.mark.slow
def test_a_killed_run_loses_only_the_calls_in_flight(tmp_path: Path) -> None:
    found = killed_run(tmp_path, 160, 4, signal.SIGKILL)
    assert found.trials == found.planned == 160
    assert found.lost == found.twice <= CONCURRENCY * found.kills
    assert found.lines == 160 + 32
    assert found.codes[-1] == 0


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_asked_to_stop_makes_each_call_once(
    tmp_path: Path, how: signal.Signals
) -> None:
    found = killed_run(tmp_path, 80, 3, how)
    assert found.trials == found.planned == 80
    assert found.calls == found.lines == 80 + 16
    assert found.twice == 0
    assert set(found.codes) <= {0, 130}
