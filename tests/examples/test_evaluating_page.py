"""docs/evaluating.md names all options of `pdl eval`, and none that is not there."""

from __future__ import annotations

import re
from pathlib import Path

from pdl.cli.commands import eval_compare, eval_run

PAGE = (Path(__file__).parents[2] / "docs" / "evaluating.md").read_text(encoding="utf-8")


def test_options() -> None:
    commands = (eval_run.command, eval_compare.command)
    options = {one for each in commands for option in each.params for one in option.opts}
    named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", PAGE))
    assert named == {one for one in options if one.startswith("--")}
