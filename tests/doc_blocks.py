"""The fenced blocks of the README and of the pages of docs/."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FENCE = re.compile(
    r"^(?P<mark>`{3,})(?P<language>\w+)(?: (?P<file>\S+))?\n(?P<text>.*?)^(?P=mark)$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block: a file to be saved, a session, code, or what the code above prints."""

    language: str
    file: str | None
    text: str


def blocks(text: str) -> list[Block]:
    return [Block(m["language"], m["file"], m["text"]) for m in FENCE.finditer(text)]
