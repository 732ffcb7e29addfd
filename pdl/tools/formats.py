"""How models write calls of tools: one record a format.

Sources: PedroCLI's generic format; OpenAI's chat completions; the chat templates of Hermes and
Qwen, of Llama 3 and of Mistral (before and since the tokenizer's version 11), as llama.cpp and the
tool parsers of vLLM read them.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from pdl.errors import did_you_mean


@dataclass(frozen=True)
class Format:
    """One way to write calls.

    A call is an object with the tool's name under `name_key` and its arguments under
    `arguments_key`; or, where `name_key` is empty, the bare name, `named`, and the arguments.
    `opener` and `closer` stand around all calls of a reply, `between` parts them. `trigger` is how
    calls begin, so that free text cannot hold it: a part of `opener`, or, where that is empty, the
    beginning of the object. `json_text` says that arguments may come as a string that holds JSON.
    """

    name: str
    name_key: str = "name"
    arguments_key: str = "arguments"
    opener: str = ""
    between: str = "\n"
    closer: str = ""
    named: str = ""
    json_text: bool = False
    trigger: str = ""

    def __post_init__(self) -> None:
        """Refuse a record that could not be told from text. Raises ValueError."""
        if not self.name_key and not self.opener:
            raise ValueError("a format of bare names needs an opener that tells them from text")
        if self.name_key and not self.arguments_key:
            raise ValueError("a format of objects needs a key for the arguments")
        if not self.opener.startswith(self.trigger):
            raise ValueError("the trigger of a format is the beginning of its opener")
        if not self.trigger:
            object.__setattr__(self, "trigger", self.opener.rstrip())


_TABLE = (
    Format("pedro", "tool", "args"),
    Format("openai", json_text=True),
    Format(
        "hermes",
        opener="<tool_call>\n",
        between="\n</tool_call>\n<tool_call>\n",
        closer="\n</tool_call>",
    ),
    Format("llama3", arguments_key="parameters", between="; "),
    Format("mistral", opener="[TOOL_CALLS][", between=", ", closer="]", trigger="[TOOL_CALLS]"),
    Format("mistral-args", "", "", "[TOOL_CALLS]", "[TOOL_CALLS]", named="[ARGS]"),
)

FORMATS = MappingProxyType({one.name: one for one in _TABLE})
"""The formats by their names."""

_ALIASES = MappingProxyType({"qwen": "hermes"})

DEFAULT_FORMAT = "hermes"
"""What most open models were trained on."""


def format_of(given: str | Format) -> Format:
    """The format of a name, in any case; a format is that already. Raises ValueError."""
    if isinstance(given, Format):
        return given
    name = str(given).lower()
    found = FORMATS.get(_ALIASES.get(name, name))
    if found is None:
        known = (*FORMATS, *_ALIASES)
        advice = did_you_mean(name, known) or f"known are {', '.join(known)}"
        raise ValueError(f"there is no format {given!r} of tool calls; {advice}")
    return found
