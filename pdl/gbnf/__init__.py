"""GBNF, the grammars of llama.cpp: read, check, match, generate and rewrite them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.gbnf.grammar import Grammar, parse

__all__ = ["Grammar", "parse"]

__getattr__ = lazy(__name__, {"Grammar": "pdl.gbnf.grammar", "parse": "pdl.gbnf.grammar"})
