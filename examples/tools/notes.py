"""How an app hands functions to a model: describe, check what it says, run, and tell it the result.

Run it with `python examples/tools/notes.py`. It needs no network: the model is a list of recorded
replies, of which one calls a tool that is not there.
"""

from __future__ import annotations

import datetime as dt  # noqa: TC003 - `from_functions` reads the annotations
from dataclasses import dataclass, field

from pdl.tools import ToolSet


@dataclass
class Notes:
    """Notes with a day, and the two tools for them."""

    kept: dict[dt.date, list[str]] = field(default_factory=dict)

    def add_note(self, day: dt.date, text: str) -> str:
        """Keep a note.

        Args:
            day: The day that it is for.
            text: What it says.
        """
        self.kept.setdefault(day, []).append(text)
        return f"kept for {day:%A}"

    def notes_of(self, day: dt.date) -> list[str]:
        """All notes of a day."""
        return self.kept.get(day, [])


REPLIES = (
    'I note that.\n{"tool": "add_notes", "args": {"day": "2024-05-17", "text": "Call Ann"}}',
    """Sorry.
{"tool": "add_note", "args": {"day": "2024-05-17", "text": "Call Ann"}}
{"tool": "notes_of", "args": {"day": "2024-05-17"}}""",
    "Done: I wrote down that you want to call Ann on Friday.",
)


def main() -> None:
    """Talk until a reply calls no tool."""
    notes = Notes()
    tools = ToolSet.from_functions(notes.add_note, notes.notes_of)
    print(f"--- system\n{tools.describe('pedro')}")
    for reply in REPLIES:
        print(f"--- model\n{reply}")
        check = tools.check(reply, "pedro")
        if not check.ok:
            print(f"--- app\n{check.feedback}")
            continue
        if not check.calls:
            break
        for result in tools.dispatch(check.calls):
            print(f"--- {result.call.name}\n{result.text}")


if __name__ == "__main__":
    main()
