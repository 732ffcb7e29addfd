"""How the time of reading grows with the size of hostile and of large inputs.

    python benchmarks/growth.py

Each line is an input at three sizes, each twice the one before; linear time doubles as well. The
largest ratio of two neighbours is printed last; small times are noise and left out of it.
"""

from __future__ import annotations

import time
from itertools import pairwise

import pdl

SCHEMAS = {
    "{ a: str }": [
        "{",
        "[",
        '"',
        '{"a":',
        '{"b":1} ',
        "`",
        "```json\n",
        "<think>",
        "{a: word ",
        '{"a": "x"y, ',
        "{'a': 'it's ",
        '{"a" x} ',
        "{a: 'x', ",
        '{"a": """x',
        '{"a":1,,',
    ],
    "[int]": ["[1] ", "x[0] ", "[1](x) ", "- [ ] a\n", "1, "],
    "int": ["5 ", "-", "1.2.3 ", "9"],
    '"bug" | "feature"': ["bug ", "not bug, "],
    "yesno": ["yes, ", "no. "],
    "code": ["```\n", "~~~\n", "```py\n\"'''"],
    "tasklist": ["- [ ] x\n", "- [ ] ...\n"],
}
TEXTS = {
    "fields": "key{0}: str<1,{0}>? = null, // words\n",
    "comments": "// above\n// and above\n\nkey{0}: int | 'a',\n",
    "tuples": "key{0}: [[{{ a: [int, str] }}]],",
}
SIZES = (12_500, 25_000, 50_000)
NOISE = 0.02  # seconds


def seconds(function: object, *arguments: object) -> float:
    """The better of two runs."""
    times = []
    for _ in range(2):
        start = time.perf_counter()
        function(*arguments)  # type: ignore[operator]
        times.append(time.perf_counter() - start)
    return min(times)


def report(name: str, times: list[float]) -> float:
    """Print a line; the largest growth between two sizes."""
    print(f"{name}: " + ", ".join(f"{each * 1e3:.0f} ms" for each in times))
    pairs = pairwise(times)
    return max((b / a for a, b in pairs if a > NOISE), default=0.0)


def main() -> None:
    """Run all inputs."""
    growth = []
    for dsl, pieces in SCHEMAS.items():
        schema = pdl.Schema.parse(dsl)
        for piece in pieces:
            times = [seconds(pdl.check, schema, piece * size) for size in SIZES]
            growth.append(report(f"check {dsl} {piece!r}", times))
    for name, line in TEXTS.items():
        texts = [
            "{" + "".join(line.format(n) for n in range(1, size // 10)) + "\n}" for size in SIZES
        ]
        growth.append(report(f"schema of {name}", [seconds(pdl.Schema.parse, t) for t in texts]))
    print(f"largest growth for twice the size: {max(growth):.2f}")


if __name__ == "__main__":
    main()
