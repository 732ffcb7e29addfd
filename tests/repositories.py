"""Real Git repositories for tests, apart from the configuration of whoever runs them."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Work:
    """A repository with a work tree."""

    path: Path

    def git(self, *words: str) -> str:
        """Run git in it; returns what it prints."""
        done = subprocess.run(  # noqa: S603  (our own words)
            [str(shutil.which("git")), "-C", str(self.path), *words],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def write(self, name: str, text: str) -> Path:
        """Write a file of the work tree."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def commit(self) -> None:
        """Commit all that there is."""
        self.git("add", "--all", "--force")
        self.git("commit", "-q", "--allow-empty", "-m", "a commit")


@pytest.fixture
def work_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    """An empty repository below `tmp_path`."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)  # a hook that runs the tests sets them
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for person in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{person}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{person}_EMAIL", "ann@example.org")
    work = Work(tmp_path / "work")
    work.path.mkdir()
    work.git("init", "-q", "-b", "main")
    return work
