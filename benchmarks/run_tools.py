"""What `pdl.run_tools` costs next to a loop written by hand: `python benchmarks/run_tools.py [N]`.

A model that answers at once calls a tool in each step but the last. Both loops ask, dispatch, and
ask again. The fastest runs are compared, in one process. The figure to reach: at most 1.5 times the
loop by hand.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pdl
from pdl.models import Reply
from pdl.prompt import Message
from pdl.tools import ToolCall, ToolSet

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = 20
RENDERED = pdl.loads("<|user|>\nAdd up.\n<|schema|>\n{ sum: int }\n").render()


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


KIT = ToolSet.from_functions(add)


def model(messages: tuple[Message, ...]) -> Reply:
    """Call the tool until it was called often enough, then answer."""
    made = (len(messages) - 1) // 2
    if made == STEPS - 1:
        return Reply('{"sum": 3}')
    return Reply("", calls=(ToolCall("add", {"a": made, "b": 1}, f"c{made}"),))


def by_hand() -> Any:
    """The loop without bounds of its own, whose attempts are lost."""
    rendered = RENDERED
    while True:
        answer = pdl.ask(rendered, model, tools=KIT)
        if not answer.calls:
            return answer.value
        results = KIT.dispatch(answer.calls)
        rendered = replace(rendered, messages=(*answer.messages, Message("user", results)))


def microseconds(work: Callable[[], object], runs: int) -> float:
    """The time of a step, in the fastest of the runs."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times) / STEPS * 1e6


def main(runs: int) -> None:
    """Measure and print."""
    hand = microseconds(by_hand, runs)
    for name, timeout in (("in a thread", 600.0), ("timeout=None", None)):
        own = microseconds(
            lambda timeout=timeout: pdl.run_tools(  # type: ignore[misc]
                RENDERED, model, KIT, steps=STEPS, timeout=timeout
            ),
            runs,
        )
        print(f"{name}: {own:.0f} us a step, {own / hand:.2f} times the {hand:.0f} us by hand")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 50)
