"""How a grammar holds a model, with a recorded model and without a network.

    python examples/grammar.py

At each step a model has pieces of text in the order in which it likes them. Those that would lead
out of the grammar are passed over, as llama.cpp does it: what comes out can be read, always.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pdl import gbnf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GRAMMARS = Path(__file__).with_name("grammars")
TOOL_CALL = gbnf.parse((GRAMMARS / "tool_call.gbnf").read_text(encoding="utf-8"))
MODEL = (
    ("Sure", "I", '{"'),
    ("tool", "name", "search"),
    ('": "', '":'),
    ("buy", "order", "search"),
    ('", "', '"}'),
    ("arguments", "args"),
    ('": {"', '":'),
    ("id", "item", "count"),
    ('": "', '": '),
    ("tent", "TN", "0042"),
    ("-", '"'),
    ("#42", '42"', "0042"),
    ('"}', '", "', '"'),
    ("amount", "count"),
    ('": ', '": "'),
    ("two", "0", "2"),
    (" please", ".5", "}}"),
)


def said(grammar: gbnf.Grammar, model: Iterable[Sequence[str]]) -> str:
    """What a model says that is held to a grammar. A state is a value: trying a piece is free."""
    state, text = grammar.start(), ""
    for pieces in model:
        possible = [piece for piece in pieces if not state.accept(piece).is_dead]
        if not possible:
            raise LookupError(f"the model can only say {' or '.join(state.expected())}")
        if possible[0] != pieces[0]:
            print(f"{text!r}: not {pieces[0]!r} but {possible[0]!r}")
        state, text = state.accept(possible[0]), text + possible[0]
    return text


def main() -> None:
    """Print what is passed over, and the call."""
    text = said(TOOL_CALL, MODEL)
    print(text)
    print(TOOL_CALL.match(text), json.loads(text)["arguments"])


if __name__ == "__main__":
    main()
