"""`pdl masks`: the commands for token masks, a module each."""

from __future__ import annotations

import click

from pdl.cli.teaching import LazyGroup

__all__ = ["command"]

_NAMES = ("trace", "bench")

_EXAMPLES = (
    (
        "what a model may say at each token of a text",
        "pdl masks trace person.gbnf --vocab tokenizer.json --text '{\"age\": 7}'",
    ),
    ("how long its masks take", "pdl masks bench person.pdl --vocab model.gguf"),
)


@click.command(
    "masks",
    cls=LazyGroup,
    package=__name__,
    names=_NAMES,
    examples=_EXAMPLES,
    short_help="See which tokens a grammar allows, and how soon.",
    epilog="`pdl masks COMMAND --help` explains a command.",
)
def command() -> None:
    """Look at token masks: which tokens of a model may come next if its text is to match.

    They need the vocabulary of the model: a `tokenizer.json`, a GGUF file, a SentencePiece model,
    or what `pdl.masks.save` wrote. They need numpy as well, which `pip install
    'pdl-prompts[masks]'` brings.
    """
