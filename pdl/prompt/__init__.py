"""Prompt files: templates, turns, media, inputs; from a file and data to messages."""

from __future__ import annotations

from pdl.prompt.messages import Media, Message, Text
from pdl.prompt.prompt import Prompt, load, loads
from pdl.prompt.rendered import Rendered

__all__ = ["Media", "Message", "Prompt", "Rendered", "Text", "load", "loads"]
