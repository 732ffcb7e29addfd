"""What reading, matching, generating and optimizing grammars costs, beside llama.cpp's own time.

    PYTHONPATH=tests python benchmarks/gbnf.py

llama.cpp is the one in the `xllamacpp` wheel, on Linux. It takes one code point a call; the time of
as many calls that do nothing is taken off. Times on a shared machine are noise, ratios are not.
"""

from __future__ import annotations

import json
import time
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

from llama import library, llama

from pdl import gbnf

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.gbnf import Grammar

JSON = r"""
root   ::= value
value  ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws ( member ( "," ws member )* )? "}"
member ::= string ":" ws value ws
array  ::= "[" ws ( value ws ( "," ws value ws )* )? "]"
string ::= "\"" ( plain | "\\" escape )* "\""
plain  ::= [^"\\\x00-\x1F\x7F]
escape ::= ["\\/bfnrt] | "u" [0-9a-fA-F]{4}
number ::= "-"? ( "0" | [1-9] [0-9]* ) ( "." [0-9]+ )? ( [eE] [+-]? [0-9]+ )?
ws     ::= [ \t\n]*
"""
SHAPE = r"""
kind-{0} ::= "\"" ( "red {0}" | "green {0}" | "blue {0}" ) "\""  # one of three colours
item-{0} ::= "{{\"id\": " [1-9] [0-9]{{0,8}} ", \"kind\": " kind-{0} ( ", \"note\": " text )? "}}"
list-{0} ::= "[" item-{0} ( ", " item-{0} ){{1,5}} "]"
"""
WORDS = " | ".join(f'"\\"{first}{n} {last}\\""' for first, last in ("ab", "bc") for n in range(250))
FLAT = {
    "500 words": f"root ::= {WORDS}",
    "a list of 500 words": f'root ::= word ("," word)*\nword ::= {WORDS}',
    "`x?` forty times": f"root ::= {'[a-z]? ' * 40}",
    "ten times `c{0,100}`": f"root ::= {'c{0,100} ' * 10}\nc ::= [a-z]",
}
MEGABYTE = 1_000_000
NOISE = 0.02  # seconds


def seconds(function: Callable[[], object], runs: int = 3) -> float:
    """The shortest of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def document(size: int) -> str:
    """JSON of about as many characters: rows of what records hold."""
    rows = []
    for n in range(size // 120):
        note = 'in "quotes", über alles\n' if n % 7 == 0 else None
        row = {"id": n, "name": f"thing {n}", "price": n * 1.25, "tags": ["new", "blue"]}
        rows.append(row | {"sold": n % 2 == 0, "note": note})
    return json.dumps(rows, ensure_ascii=False, indent=1)


def grammar_text(size: int) -> str:
    """A grammar of about as many characters, all of whose rules can be reached."""
    count = size // 220
    uses = "".join(f"more-{n} ::= list-{n} | more-{n + 1}\n" for n in range(count))
    shapes = "".join(SHAPE.format(n) for n in range(count))
    return f'root ::= more-0\n{uses}more-{count} ::= text\ntext ::= "\\"" [a-z ]* "\\""\n{shapes}'


class Llama:
    """One grammar in llama.cpp, made for each text anew."""

    def __init__(self, text: str) -> None:
        self._text = text.encode()

    def _made(self) -> Any:
        return library().init(None, self._text, b"root", False, None, 0, None, 0)  # noqa: FBT003

    def read(self) -> float:
        """How long it takes to read the grammar and to make its first stacks, in seconds."""

        def once() -> None:
            handle = self._made()
            assert handle, "llama.cpp refuses it"
            library().free(handle)

        return seconds(once)

    def match(self, text: str) -> float:
        """How long it takes to accept a text that matches, in seconds."""
        codes = list(map(ord, text))
        handle = self._made()
        accept, nothing = library().accept, library().stacks

        def accepted() -> None:
            for code in codes:
                accept(handle, code)

        def called() -> None:
            for _ in codes:
                nothing(handle)

        try:
            return seconds(accepted, 1) - seconds(called, 1)
        finally:
            library().free(handle)


def matched(grammar: Grammar, data: bytes) -> None:
    """Match a text that must be one."""
    assert grammar.match(data).ok


def matching() -> None:
    """A text of JSON: with a grammar that has seen nothing, and with one that has."""
    sizes, times = (MEGABYTE // 4, MEGABYTE // 2, MEGABYTE, 2 * MEGABYTE), []
    for size in sizes:
        text = document(size)
        data = text.encode()
        cold = seconds(lambda data=data: matched(gbnf.parse(JSON), data))  # type: ignore[misc]
        grammar = gbnf.parse(JSON)
        warm = seconds(lambda: matched(grammar, data))  # noqa: B023 - called at once
        times.append(warm)
        theirs = Llama(JSON).match(text)
        print(
            f"match {len(data) / 1e6:.2f} MB of JSON: cold {len(data) / cold / 1e6:.1f} MB/s,"
            f" warm {len(data) / warm / 1e6:.1f} MB/s,"
            f" llama.cpp {len(data) / theirs / 1e6:.1f} MB/s, {theirs / warm:.1f} x our time"
        )
    print(f"growth for twice the size: {max(b / a for a, b in pairwise(times)):.2f}")


def reading() -> None:
    """Grammars of three sizes."""
    times = []
    for size in (MEGABYTE // 4, MEGABYTE // 2, MEGABYTE):
        text = grammar_text(size)
        ours, theirs = seconds(lambda text=text: gbnf.parse(text), 1), Llama(text).read()  # type: ignore[misc]
        times.append(ours)
        print(
            f"read a grammar of {len(text) / 1e6:.2f} MB: {ours:.2f} s,"
            f" llama.cpp {theirs:.2f} s, ratio {ours / theirs:.0f}"
        )
    print(f"growth for twice the size: {max(b / a for a, b in pairwise(times)):.2f}")
    grammar = gbnf.parse(grammar_text(MEGABYTE))
    print(f"write it: {seconds(lambda: str(grammar), 1):.2f} s")
    print(f"its automaton: {seconds(lambda: grammar.matcher, 1):.2f} s")
    print(f"its shortest text: {seconds(grammar.shortest, 1):.2f} s")
    print(f"lint it: {seconds(grammar.lint, 1):.2f} s")
    print(f"optimize it: {seconds(grammar.optimize, 1):.2f} s")


def optimizing() -> None:
    """Grammars with many live stacks in llama.cpp, before and after."""
    for name, text in FLAT.items():
        grammar = gbnf.parse(text)
        took = seconds(grammar.optimize)
        texts = [grammar.generate(Random(seed)) for seed in range(20)]  # noqa: S311
        before, after = (most_stacks(one, texts) for one in (text, str(grammar.optimize())))
        print(f"optimize {name}: {took * 1e3:.0f} ms, stacks in llama.cpp {before} -> {after}")


def most_stacks(text: str, texts: list[str]) -> int:
    """The most stacks that llama.cpp has at once in some texts."""
    with llama(text) as judge:
        assert judge is not None
        return max(judge.match(one)[2] for one in texts)


def main() -> None:
    """Run all benchmarks."""
    matching()
    reading()
    optimizing()
    grammar = gbnf.parse(JSON)
    made = [grammar.generate(Random(seed), size=1000) for seed in range(100)]  # noqa: S311
    took = seconds(lambda: [grammar.generate(Random(s), size=1000) for s in range(100)], 1)  # noqa: S311
    print(f"generate 100 texts of JSON, {sum(map(len, made)):,} characters: {took:.2f} s")


if __name__ == "__main__":
    main()
