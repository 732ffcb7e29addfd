"""Calls in spellings that are known and not read: their marks, and the names of tools behind them.

Qwen3-Coder's and GLM's elements, Llama's `<function=NAME>`, Anthropic's `<invoke name="NAME">`,
Python's way behind `<|python_tag|>`, the tokens of DeepSeek, Kimi and of harmony's channels. With
the name of a tool behind it such a mark is a call that was meant; as text it would be lost.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from pdl.reply.result import Span

_NAMED = re.compile(
    r"""(?x)
    (?:
        <function (?>(?:\s++name)?) \s*+ = \s*+
      | <(?:invoke|tool|tool_use|tool_call|function_call) \s++ name \s*+ = \s*+
      | <(?:tool_calls?|function_calls?|function|tool_name) > \s*+
      | \[TOOL_CALLS\] \s*+
      | <\|(?:tool_call|tool_call_begin|python_tag)\|> \s*+
      | <｜tool▁call▁begin｜> (?>(?: \s*+ \w{1,40}+ <｜tool▁sep｜> (?=\s*+\w) )?) \s*+
      | (?P<channel> <\|(?:channel|start)\|> [\w\ ]{0,40}? \b to= )
    )
    ["']?+ (?>(?:functions\.)?) (?P<name> [\w-]{1,64}+ )
    """
)


class Named(NamedTuple):
    """A mark with the name of a tool; `channel`: a message that harmony addresses to the tool."""

    span: Span
    name: str
    channel: bool


def named_tools(text: str, tools: Container[str]) -> Iterator[Named]:
    """The marks behind which tools are named."""
    for found in _NAMED.finditer(text):
        if found["name"] in tools:
            yield Named(found.span(), found["name"], found["channel"] is not None)
