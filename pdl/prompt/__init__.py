"""Prompt files: templates, turns, media, inputs; from a file and data to messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.prompt.files import Folder
    from pdl.prompt.inputs import Inputs, read_inputs
    from pdl.prompt.messages import Media, Message, Text
    from pdl.prompt.prompt import Prompt, load, loads
    from pdl.prompt.rendered import Rendered

__all__ = [
    "Folder",
    "Inputs",
    "Media",
    "Message",
    "Prompt",
    "Rendered",
    "Text",
    "load",
    "loads",
    "read_inputs",
]

# Most prompts have no media, no inputs and no configuration: their modules wait to be needed.
__getattr__ = lazy(
    __name__,
    {
        "Folder": "pdl.prompt.files",
        "Inputs": "pdl.prompt.inputs",
        "Media": "pdl.prompt.messages",
        "Message": "pdl.prompt.messages",
        "Prompt": "pdl.prompt.prompt",
        "Rendered": "pdl.prompt.rendered",
        "Text": "pdl.prompt.messages",
        "load": "pdl.prompt.prompt",
        "loads": "pdl.prompt.prompt",
        "read_inputs": "pdl.prompt.inputs",
    },
)
