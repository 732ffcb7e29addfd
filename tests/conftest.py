"""What all tests share: `--update-cases`, the `snapshot` fixture, hypothesis' profile."""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from snapshots import CASES, Snapshot

__all__ = ["CASES", "Snapshot"]

collect_ignore_glob = [
    "*.tests.pdl"
]  # they are what tests are about, some of them on purpose wrong

# Times vary on shared machines; a deadline in a test would only measure the neighbours.
# A property tries the same few examples in every run, and with `--hypothesis-profile=long` the same
# many, so that a change is never refused for what another one broke; `fuzz` draws others each time.
settings.register_profile("quick", deadline=None, max_examples=20, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=100, derandomize=True)
settings.register_profile(
    "fuzz", deadline=None, max_examples=20_000, suppress_health_check=list(HealthCheck)
)
settings.load_profile("quick")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so a shell starts what is to run behind it
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    parser.addoption("--update-cases", action="store_true", help="write the expected texts anew")
    if not pluginmanager.hasplugin("xdist"):  # then its options in pyproject.toml are void
        for option in ("--numprocesses", "--dist"):
            parser.addoption(option, help="(without pytest-xdist: nothing)")


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as `law` the tests that try more under another profile."""
    for item in items:
        if isinstance(item, pytest.Function) and (
            is_hypothesis_test(item.obj) or hasattr(item.module, "share")
        ):
            item.add_marker("law")


@pytest.fixture
def snapshot(request: pytest.FixtureRequest) -> Snapshot:
    return Snapshot(update=bool(request.config.getoption("--update-cases")))
