"""What all tests share: `--update-cases`, the `snapshot` fixture, hypothesis' profile."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from snapshots import CASES, Snapshot

__all__ = ["CASES", "Snapshot"]

# Times vary on shared machines; a deadline in a test would only measure the neighbours.
settings.register_profile("default", deadline=None)
settings.register_profile(
    "fuzz", deadline=None, max_examples=20_000, suppress_health_check=list(HealthCheck)
)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-cases", action="store_true", help="write the expected texts anew")


@pytest.fixture
def snapshot(request: pytest.FixtureRequest) -> Snapshot:
    return Snapshot(update=bool(request.config.getoption("--update-cases")))
