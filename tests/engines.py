"""llguidance and xgrammar as judges, in another Python if `PDL_ENGINES_PYTHON` names one.

As a script: reads a JSON array of `[engine, grammar, texts]` from stdin and prints one of answers,
each a list of booleans or the engine's error as a string.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

Question: TypeAlias = "tuple[str, str, list[str]]"
Answer: TypeAlias = "list[bool] | str"

_PYTHON = os.environ.get("PDL_ENGINES_PYTHON", sys.executable)


@lru_cache(maxsize=4)
def has(engine: str) -> bool:
    """Whether that Python has an engine."""
    code = f"import importlib.util as u, sys; sys.exit(u.find_spec({engine!r}) is None)"
    if sys.executable == _PYTHON:
        return find_spec(engine) is not None
    return not subprocess.run([_PYTHON, "-c", code], check=False).returncode  # noqa: S603 - ours


def ask(questions: list[Question]) -> list[Answer]:
    """Which texts match, for each grammar."""
    done = subprocess.run(  # noqa: S603 - a Python that the caller named
        [_PYTHON, str(Path(__file__))],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=600,
    )
    assert not done.returncode, done.stderr[-2000:]
    answers: list[Answer] = json.loads(done.stdout.splitlines()[-1])
    return answers


def _llguidance(grammar: str, texts: list[str]) -> Answer:
    engine: Any = import_module("llguidance")
    lark = engine.LLMatcher.grammar_from_lark(grammar)
    answers: list[bool] = []
    for text in texts:
        matcher = engine.LLMatcher(_bytes_of(engine), lark, log_level=0)
        if matcher.is_error():
            return f"llguidance: {matcher.get_error()}"
        data = list(text.encode())
        taken = matcher.try_consume_tokens(data)
        if matcher.is_error():
            return f"llguidance: {matcher.get_error()}"
        answers.append(taken == len(data) and matcher.is_accepting())
    return answers


@lru_cache(maxsize=1)
def _bytes_of(engine: Any) -> Any:
    return engine.LLTokenizer("byte")


def _xgrammar(grammar: str, texts: list[str]) -> Answer:
    engine: Any = import_module("xgrammar")
    judge = import_module("xgrammar.testing")._is_grammar_accept_string  # noqa: SLF001 - no other
    try:
        read = engine.Grammar.from_ebnf(grammar)
        return [bool(judge(read, text)) for text in texts]
    except RuntimeError as error:
        return f"xgrammar: {error}"


_ENGINES = {"llguidance": _llguidance, "xgrammar": _xgrammar}

if __name__ == "__main__":
    answers = [_ENGINES[engine](grammar, texts) for engine, grammar, texts in json.load(sys.stdin)]
    sys.stdout.write("\n" + json.dumps(answers) + "\n")
