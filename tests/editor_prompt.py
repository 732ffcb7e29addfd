"""A prompt with mistakes, and how it looks after what the tests of editors do with it."""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMES = ("p.pdl", "rules.txt")
PROMPT = """\
<|input|>
{
  review: str<1,500>,  // what a customer wrote 😀
  lang: str = "en",
}

<|system|>
{% include "rules.txt" %}

<|usr|>
😀 | {{ reveiw }}
{{ review | upper }}

<|schema|>
{ mood: "good"|"bad" }
"""
RULES = "Answer about {{ review }}.\n"
MISTAKES = {4: "input/unused", 10: "turn/unknown-role", 11: "template/undefined"}
FIXED = PROMPT.replace("usr", "user").replace("reveiw", "review")
RENAMED = FIXED.replace("review", "words")
FORMATTED = RENAMED.replace('"good"|"bad"', '"good" | "bad"')


def write_prompt(folder: Path) -> Path:
    """Write the prompt and what it includes into a new project."""
    (folder / ".git").mkdir(parents=True)
    for name, text in zip(NAMES, (PROMPT, RULES), strict=True):
        (folder / name).write_text(text, encoding="utf-8")
    return folder / NAMES[0]


def environment(folder: Path) -> dict[str, str]:
    """The variables of an editor that keeps nothing outside of a directory."""
    if find_spec("pygls") is None:
        pytest.skip("pygls is not installed")
    own = {name: str(folder / name) for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME")}
    command = json.dumps([sys.executable, "-m", "pdl", "lsp"])
    return {**os.environ, **own, "PDL_COMMAND": command, "PYTHONPATH": str(ROOT)}
