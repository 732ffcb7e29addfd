"""The prompts of the repository, and the data of their cases."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pdl.testing import read_cases
from pdl.testing.parts import parts_of
from pdl.testing.sections import SUFFIX, is_cases

if TYPE_CHECKING:
    from pdl._types import Json

ROOT = Path(__file__).parents[1]


def prompts_below(*folders: str | Path) -> list[Path]:
    """The prompts in folders of the repository, at any depth, without files of cases."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.pdl"))
    return sorted(path for path in found if not is_cases(path))


PROMPTS = [path for path in prompts_below("prompts") if path.parent.name == "prompts"]
CASE_FILES = sorted((ROOT / "prompts").rglob(f"*{SUFFIX}"))


class Example(NamedTuple):
    """Data of a shipped prompt: those of its cases that differ, each by its first case."""

    prompt: Path
    name: str
    data: dict[str, Json]

    @property
    def id(self) -> str:
        """For a test."""
        return f"{self.prompt.stem}-{self.name}"


@cache
def examples() -> tuple[Example, ...]:
    """The data of all shipped prompts."""
    found: list[Example] = []
    for path in CASE_FILES:
        file = read_cases(path, root=ROOT)
        for case in file.cases:
            data = dict(parts_of(case).data or {})
            if all((one.prompt, one.data) != (file.prompt, data) for one in found):
                found.append(Example(file.prompt, case.name, data))
    return tuple(found)
