"""How soon lint names what is wrong with grammars that llama.cpp hangs, dies or slows down on.

    PYTHONPATH=tests python benchmarks/gbnf_lint.py

Beside it stands what the real llama.cpp does of them, each in a process of its own that may take
4 GB and 20 s.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

from llama import llama

from pdl import gbnf

MEMORY = 4 << 30
SECONDS = 20


def levels(count: int, rule: str, last: str) -> str:
    """Rules that lead to each other: `{0}` is the rule's own number, `{1}` the next one's."""
    rules = "\n".join(f"r{n} ::= {rule.format(n, n + 1)}" for n in range(count))
    return f"root ::= r0\n{rules}\nr{count} ::= {last}"


GRAMMARS: dict[str, tuple[str, str]] = {
    "a minimum over its maximum": ('root ::= "a"{7,3}', ""),
    "hidden left recursion": (
        'root ::= sign root "+" | [0-9]\nsign ::= blank\nblank ::= " " | ""', ""
    ),
    "the same in a group": ('root ::= ([+-]? [ ]?) root "!" | [0-9]', ""),
    "the same through four rules": (
        'root ::= a\na ::= e b "x" | "y"\nb ::= e c\nc ::= e a | "z"\ne ::= f\nf ::= "q" | ""', ""
    ),
    "optional in counts in counts": ('root ::= (("a"?){44}){44}', "a"),
    "two ways to each of 22 rules": (levels(22, 'r{1} | r{1} "x"', '"y"'), ""),
    "groups, 100,000 deep": (f"root ::= {'(' * 100_000}[a]{')' * 100_000}", ""),
    "rules, 100,000 in a chain": (levels(100_000, "r{1}", '"y"'), ""),
    "counts that multiply": ('root ::= (("a"{20} | "b"){20}){20}', ""),
    "1,000 words side by side": (
        "root ::= " + " | ".join(f'"say word {n}"' for n in range(1000)), "say word 99"
    ),
    "`x?` sixty times": (f"root ::= {'[a-z]? ' * 60}", "a" * 60),
    "`x*` twelve times": (f"root ::= {'[a-z]* ' * 12}", "a" * 500),
    "chunks": (f"root ::= {'c{0,200} ' * 10}\nc ::= [a-z]", "a" * 2000),
    "ambiguous items": ('root ::= item+\nitem ::= [a-z] | [a-z] [a-z] | "a" item', "a" * 24),
    "a maximum that is none": ('root ::= "a"{0,5000}', "a" * 6000),
    "a rule that never ends": ('root ::= "(" root ")"', "(" * 1000),
}  # fmt: skip


def judged(text: str, said: str) -> str:
    """What llama.cpp does, in a process of its own."""
    start = time.perf_counter()
    try:
        done = subprocess.run(  # noqa: S603 - this script
            [sys.executable, __file__, "judge"],
            input=json.dumps([text, said]),
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"still at it after {SECONDS} s"
    took = time.perf_counter() - start
    if done.returncode:
        why = "out of memory" if "bad_alloc" in done.stderr else f"signal {-done.returncode}"
        return f"dies ({why}) after {took:.1f} s"
    return done.stdout.strip()


def judge() -> None:
    """Let llama.cpp read the grammar from stdin, and match a text."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    text, said = json.load(sys.stdin)
    start = time.perf_counter()
    with llama(text) as one:
        if one is None:
            print("refuses it")
            return
        ok, _, stacks = one.match(said)
    took = time.perf_counter() - start
    print(f"takes it: {stacks:,} stacks, {took:.2f} s" + (", text matches" if ok and said else ""))


def main() -> None:
    """Print a line for each grammar."""
    longest = 0.0
    for name, (text, said) in GRAMMARS.items():
        start = time.perf_counter()
        found = gbnf.lint(text)
        took = time.perf_counter() - start
        longest = max(longest, took)
        codes = dict.fromkeys(one.problem.code for one in found if one.severity != "note")
        named = ", ".join(code.removeprefix("gbnf/") for code in codes) or "nothing"
        print(f"{name}: {named}; {took * 1e3:.0f} ms; llama.cpp {judged(text, said)}")
    print(f"longest: {longest:.2f} s")


if __name__ == "__main__":
    judge() if sys.argv[1:] == ["judge"] else main()
