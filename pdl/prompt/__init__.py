"""Prompt files: templates, turns, media, inputs; from a file and data to messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.prompt.config import parse_config
    from pdl.prompt.inputs import Inputs, read_inputs
    from pdl.prompt.media import parse_media
    from pdl.prompt.messages import Media, Message, Text
    from pdl.prompt.placed import placed_source
    from pdl.prompt.prompt import Prompt, load, loads
    from pdl.prompt.references import parse_schema
    from pdl.prompt.rendered import Rendered
    from pdl.prompt.static import static_schema

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
        "Rendered": "pdl.prompt.rendered",
        "Text": "pdl.prompt.messages",
        "load": "pdl.prompt.prompt",
        "loads": "pdl.prompt.prompt",
        "parse_config": "pdl.prompt.config",
        "parse_media": "pdl.prompt.media",
        "parse_schema": "pdl.prompt.references",
        "placed_source": "pdl.prompt.placed",
        "read_inputs": "pdl.prompt.inputs",
        "static_schema": "pdl.prompt.static",
    },
)
