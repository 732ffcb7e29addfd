"""From a prompt over the grammar of its answer to the checked value, without a network.

    python examples/prompt_grammar.py

A local model that is held to the grammar answers in the form of the schema, whatever it would like
to say. What no grammar can hold is left to the checker, and the report says beforehand what it is:
here that no feature is named twice.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pdl
from pdl import gbnf

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Pieces = Sequence[Sequence[str]]

PROMPT = pdl.load(Path(__file__).parents[1] / "prompts" / "search_filter.pdl")
FIRST = (
    ("Sure, here you are: ", '{"'),
    ("type", "what"),
    ('": "tent', "colour"),
    ('", "', '"}'),
    ("color", "colour"),
    ('": "blue", "', '": '),
    ("weight", "features"),
    ('": "light"', '": ["'),
    ("light", "heavy"),
    ('", "light', '"'),
    ('"}', '"]}'),
)
SECOND = (('{"what": "tent", "colour": "blue", "features": ["light"]}',),)
"""The pieces of text that a recorded model would like to say next, the dearest first."""


def server(messages: list[dict[str, str]], grammar: str, recorded: Iterator[Pieces]) -> str:
    """Stands for llama.cpp's: `POST /v1/chat/completions` with `messages` and `grammar`."""
    print("user:", messages[-1]["content"])
    state, text = gbnf.parse(grammar).start(), ""
    for pieces in next(recorded):
        piece = next(one for one in pieces if not state.accept(one).is_dead)
        state, text = state.accept(piece), text + piece
    print("model:", text)
    return text


def ask(query: str, tries: Sequence[Pieces]) -> object:
    """The checked value; what the grammar does not hold goes back to the model."""
    rendered = PROMPT.render(query=query)
    assert rendered.schema is not None
    compiled = gbnf.compile(rendered.schema, gbnf.Options.generate())
    print("left to the checker:", *compiled.report.post_hoc)
    messages = [{"role": one.role, "content": one.text} for one in rendered.messages]
    recorded = iter(tries)
    for _ in tries:
        reply = server(messages, str(compiled.grammar), recorded)
        check = rendered.check(reply)
        if check.ok:
            return check.value
        messages.append({"role": "assistant", "content": reply})
        messages.append({"role": "user", "content": check.feedback})
    raise pdl.OutputError(check)


def main() -> None:
    """Print what is said, and the value."""
    print(ask("a blue tent, not too heavy", (FIRST, SECOND)))


if __name__ == "__main__":
    main()
