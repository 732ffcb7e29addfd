"""Prompt files: templates, turns, media, inputs; from a file and data to messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.prompt.assemble import Rendered
    from pdl.prompt.config import parse_config
    from pdl.prompt.inputs import Inputs, read_inputs
    from pdl.prompt.marks import placed_source
    from pdl.prompt.messages import Media, Message, Text, parse_media
    from pdl.prompt.outline import parse_schema, static_schema
    from pdl.prompt.prompt import Prompt, load, loads

__all__ = [
    "Inputs",
    "Media",
    "Message",
    "Prompt",
    "Rendered",
    "Text",
    "load",
    "loads",
    "parse_config",
    "parse_media",
    "parse_schema",
    "placed_source",
    "read_inputs",
    "static_schema",
]

# Most prompts have no media, no inputs and no configuration: their modules wait to be needed.
__getattr__ = lazy(
    __name__,
    {
        "Inputs": "pdl.prompt.inputs",
        "Media": "pdl.prompt.messages",
        "Message": "pdl.prompt.messages",
        "Prompt": "pdl.prompt.prompt",
        "Rendered": "pdl.prompt.assemble",
        "Text": "pdl.prompt.messages",
        "load": "pdl.prompt.prompt",
        "loads": "pdl.prompt.prompt",
        "parse_config": "pdl.prompt.config",
        "parse_media": "pdl.prompt.messages",
        "parse_schema": "pdl.prompt.outline",
        "placed_source": "pdl.prompt.marks",
        "read_inputs": "pdl.prompt.inputs",
        "static_schema": "pdl.prompt.outline",
    },
)
