"""Cases are files: `tests/cases/KIND/{valid,invalid}/NAME.*`, each beside its expected outcome."""

from __future__ import annotations

from pathlib import Path

CASES = Path(__file__).parent / "cases"


class Snapshot:
    """Compares a text with the file that holds the expected one."""

    def __init__(self, *, update: bool) -> None:
        self.update = update

    def check(self, path: Path, text: str) -> None:
        if self.update:
            path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        expected = path.read_text(encoding="utf-8") if path.exists() else "(no such file)"
        assert text.rstrip("\n") == expected.rstrip("\n"), f"{path} holds another text"
