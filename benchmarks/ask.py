"""What asking costs beside the call itself: `python benchmarks/ask.py [CALLS]`.

A model that answers at once is called directly, its reply checked, and asked by `pdl.ask`; the
medians are compared. The figure to reach: at most 1 ms beside the call and the check.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pdl
from pdl.models import Request, ask, connect

if TYPE_CHECKING:
    from collections.abc import Callable

PROMPT = "<|user|>\nWho is it?\n<|schema|>\n{ name: str, age: int<0,120>, tags: [str] }\n"
LINE = '{"text": "{\\"name\\": \\"Ann\\", \\"age\\": 30, \\"tags\\": [\\"a\\", \\"b\\"]}"}\n'


def microseconds(work: Callable[[], object], calls: int) -> float:
    """The median time of a call."""
    times = []
    for _ in range(calls):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e6


def main(calls: int) -> None:
    """Measure and print."""
    rendered = pdl.loads(PROMPT).render()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replies.jsonl"
        path.write_text(LINE * (4 * calls + 4), encoding="utf-8")
        model = connect(f"replay:{path}")
    request = Request(rendered.messages, rendered.schema)
    text = model.reply(request, timeout=1).text
    rendered.check(text)
    call = microseconds(lambda: model.reply(request, timeout=1), calls)
    check = microseconds(lambda: rendered.check(text), calls)
    asked = microseconds(lambda: ask(rendered, model), calls)
    streamed = microseconds(lambda: ask(rendered, model, stream=True), calls)
    print(f"the call {call:.0f} us, its check {check:.0f} us")
    print(f"pdl.ask  {asked:.0f} us: {asked - call - check:.0f} us beside them")
    print(f"streamed {streamed:.0f} us: {streamed - call - check:.0f} us beside them")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1000)
