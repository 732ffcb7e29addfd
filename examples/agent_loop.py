"""An agent: a model that calls Python functions, sees what they return, and then answers.

`python examples/agent_loop.py` takes recorded replies; `python examples/agent_loop.py openai:MODEL`
asks a model, as does `llama:PATH.gguf`, which is held to the calls by a grammar.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pdl
from pdl.errors import PdlError
from pdl.tools import ToolSet

if TYPE_CHECKING:
    from pdl.models import Model
    from pdl.prompt import Message

PROMPT = pdl.loads("""
<|system|>
You plan a day out. Use the tools; guess nothing.

<|user|>
{{ wish }}

<|schema|>
{ city: str, hours: float<0,24>, umbrella: bool }
""")


def distance(start: str, end: str) -> float:
    """How many kilometres one travels between two cities."""
    return {("Bonn", "Cologne"): 27.0}[start, end]


def weather(city: str, day: str = "today") -> str:
    """The weather report of a city."""
    return f"{city}, {day}: rain from noon on"


TOOLS = ToolSet.from_functions(distance, weather)


def run(model: Model | Any, wish: str, steps: int = 5) -> Any:
    """Ask; as long as the model calls tools, run them and ask again with their results."""
    answer = pdl.run_tools(PROMPT.render(wish=wish), model, TOOLS, steps=steps)
    for step in answer.steps:
        for result in step.results:
            print(f"{result.call.name}({dict(result.call.arguments)}) -> {result.text}")
    return answer.value


def recorded(_messages: tuple[Message, ...]) -> str:
    """What a model said, once, step by step."""
    return REPLIES.pop(0)


REPLIES = [
    """<tool_call>
{"name": "distance", "arguments": {"from": "Bonn", "end": "Cologne"}}
</tool_call>""",
    """<tool_call>
{"name": "distance", "arguments": {"start": "Bonn", "end": "Cologne"}}
</tool_call>
<tool_call>
{"name": "weather", "arguments": {"city": "Cologne"}}
</tool_call>""",
    '{"city": "Cologne", "hours": 0.5, "umbrella": true}',
]

if __name__ == "__main__":
    try:
        print(run(sys.argv[1] if sys.argv[1:] else recorded, "I am in Bonn. Is Cologne worth it?"))
    except PdlError as error:
        sys.exit(f"There is no answer: {error}")
