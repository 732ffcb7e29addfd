"""From a prompt over the grammar of its answer to the checked value, without a network.

    python examples/prompt_grammar.py

A local model that is held to the grammar cannot answer in another form. The model here is as bad as
one can be: it says anything that the grammar lets it say. What no grammar can hold is left to the
checker, and the report says beforehand what that is.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pdl
from pdl import gbnf

PROMPT = pdl.load(Path(__file__).parents[1] / "prompts" / "search_filter.pdl")


def request(rendered: pdl.Rendered, grammar: gbnf.Grammar) -> dict[str, Any]:
    """What the server of llama.cpp takes: `POST /v1/chat/completions`."""
    messages = [{"role": one.role, "content": one.text} for one in rendered.messages]
    return {"messages": messages, "grammar": str(grammar), **rendered.config}


def model(asked: dict[str, Any], seed: int) -> str:
    """Any text that the grammar of a request allows, instead of a server's answer."""
    return gbnf.parse(asked["grammar"]).generate(Random(seed), size=12)  # noqa: S311


def main() -> None:
    """Print what the grammar leaves to the checker, then replies and what became of them."""
    rendered = PROMPT.render(query="a blue tent, not too heavy")
    assert rendered.schema is not None
    compiled = gbnf.compile(rendered.schema, gbnf.Options.generate())
    for entry in compiled.report.post_hoc:
        print(entry)
    asked = request(rendered, compiled.grammar)
    for seed in (7, 11, 12):
        reply = model(asked, seed)
        check = rendered.check(reply)
        print(reply)
        print("  ", check.value if check.ok else check.feedback)


if __name__ == "__main__":
    main()
