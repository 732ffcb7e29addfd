"""Cases are files: `tests/cases/KIND/{valid,invalid}/NAME.*`, each beside its expected outcome."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

CASES = Path(__file__).parent / "cases"

# Times vary on shared machines; a deadline in a test would only measure the neighbours.
settings.register_profile("default", deadline=None)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-cases", action="store_true", help="write the expected texts anew")


class Snapshot:
    """Compares a text with the file that holds the expected one."""

    def __init__(self, *, update: bool) -> None:
        self.update = update

    def check(self, path: Path, text: str) -> None:
        if self.update:
            path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        expected = path.read_text(encoding="utf-8") if path.exists() else "(no such file)"
        assert text.rstrip("\n") == expected.rstrip("\n"), f"{path} holds another text"


@pytest.fixture
def snapshot(request: pytest.FixtureRequest) -> Snapshot:
    return Snapshot(update=bool(request.config.getoption("--update-cases")))
