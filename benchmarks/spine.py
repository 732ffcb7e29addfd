"""What rendering, importing and checking cost, each beside a baseline in the same run.

    python benchmarks/spine.py

Times on a shared machine are noise; the ratios are what to look at.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2.sandbox import ImmutableSandboxedEnvironment

import pdl

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TEXT = """\
<|system|>

You are {{ who }}.

<|user|>

{% for document in documents %}
{{ loop.index }}. {{ document.title }}: {{ document.text }}
{% endfor %}

<|assistant|>

Thank you.

<|user|>

{{ question }}
"""
DATA = {
    "who": "a librarian",
    "question": "Which of them is about bees?",
    "documents": [{"title": f"Title {n}", "text": "Some words. " * 8} for n in range(20)],
}
SCHEMA_PROMPT = "<|schema|>\n{ name: str, age: int<0,120> }\n<|user|>\nWho is {{ name }}?\n"
REPLY = 'Here you are:\n```json\n{"name": "Ada", "age": 36}\n```\n'


def best(functions: Sequence[Callable[[], object]], seconds: float) -> list[float]:
    """The shortest time of each function in seconds; they take turns, so noise hits all alike."""
    shortest = [float("inf")] * len(functions)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for index, function in enumerate(functions):
            began = time.perf_counter()
            function()
            shortest[index] = min(shortest[index], time.perf_counter() - began)
    return shortest


def command(*words: str) -> Callable[[], object]:
    """A whole process, from start to exit."""
    return lambda: subprocess.run(words, check=True, capture_output=True)  # noqa: S603  (our own)


def report(name: str, times: Sequence[float], baseline: str) -> None:
    """Print a time, its baseline's, and the ratio."""
    mine, base = times
    print(f"{name}: {mine * 1e3:.3f} ms, {baseline}: {base * 1e3:.3f} ms, ratio {mine / base:.2f}")


def main() -> None:
    """Run all benchmarks."""
    raw = ImmutableSandboxedEnvironment().from_string(TEXT)
    prompt = pdl.loads(TEXT)
    times = best([lambda: prompt.render(DATA), lambda: raw.render(DATA)], 3)
    report("render three turns and a loop of 20", times, "raw sandboxed Jinja")

    python = sys.executable
    times = best([command(python, "-c", "import pdl"), command(python, "-c", "import jinja2")], 5)
    report("import pdl", times, "import jinja2")
    loaded = "import pdl; pdl.load"
    times = best([command(python, "-c", loaded), command(python, "-c", "import jinja2")], 5)
    report("import pdl and what pdl.load needs", times, "import jinja2")

    with tempfile.TemporaryDirectory() as folder:
        prompt_file, reply_file = Path(folder, "p.pdl"), Path(folder, "reply.txt")
        prompt_file.write_text(SCHEMA_PROMPT)
        reply_file.write_text(REPLY)
        pdl_command = str(Path(python).with_name("pdl"))
        check = [pdl_command, "check", str(prompt_file), "--reply", str(reply_file)]
        times = best([command(*check, "--set", "name=Ada"), command(python, "-c", "pass")], 8)
        report("pdl check, the whole process", times, "python -c pass")

    sizes = [250_000, 500_000, 1_000_000]
    texts = ["{ " + ", ".join(f"f{n}: str" for n in range(size // 14)) + " }" for size in sizes]
    grown = [best([partial(pdl.Schema.parse, text)], 2)[0] for text in texts]
    print("schema of 0.25, 0.5, 1 MB: " + ", ".join(f"{seconds:.2f} s" for seconds in grown))
    values = ["<|user|> some words\n" * (size // 2) for size in sizes]
    grown = [best([partial(prompt.render, DATA, who=value)], 2)[0] for value in values]
    print("render 2.5, 5, 10 MB: " + ", ".join(f"{seconds * 1e3:.0f} ms" for seconds in grown))


if __name__ == "__main__":
    main()
