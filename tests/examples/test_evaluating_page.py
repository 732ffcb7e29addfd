"""docs/evaluating.md names all options of `pdl eval`, and none that is not there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from made_runs import made_run

from pdl.cli.commands import eval_compare, eval_run
from pdl.evaluation import results_of
from pdl.evaluation.report import results_json

PAGE = (Path(__file__).parents[2] / "docs" / "evaluating.md").read_text(encoding="utf-8")

INTERVAL = {"low", "high", "method"}


def test_options() -> None:
    commands = (eval_run.command, eval_compare.command)
    options = {one for each in commands for option in each.params for one in option.opts}
    named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", PAGE))
    assert named == {one for one in options if one.startswith("--")}


def test_keys_of_json() -> None:
    """Each key that is written is named in the row of its part, and no other is."""
    table = PAGE.split("| key | what it has |", 1)[1].split("\n\n", 1)[0]
    rows = re.findall(r"^\| `(\w+)(?:\[\])?` \| (.*) \|$", table, re.MULTILINE)
    results: Any = results_json(results_of(made_run(cases=20)))
    assert [name for name, _ in rows] == [*results]
    for name, words in rows:
        known = set(re.findall(r"`(\w+)`", words)) - {"more", "less"}
        assert known == keys(results[name]), name
    assert set(re.findall(r"`(\w+)`", PAGE.split("or has ", 1)[1].split(".")[0])) == INTERVAL


def keys(value: Any) -> set[str]:
    """The keys of objects, on all levels; of counts, the kinds alone, and none of an interval."""
    if isinstance(value, list):
        return {one for part in value for one in keys(part)}
    if not isinstance(value, dict) or {*value} == INTERVAL:
        return set()
    if "statuses" in value:
        return {*value}
    return {*value}.union(*map(keys, value.values()))
