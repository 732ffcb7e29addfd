"""Answers to several questions, each with its name: `Food: positive`, `Service: positive`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.prose.namings import ANSWER, COMPOUND, FINAL, RESULT
from pdl.reply.prose.vocabulary import Vocabulary, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.reply.result import Span

_LABEL = re.compile(
    r"[ \t>#|•*_`-]*(?:\d{1,3}[.)][ \t]+)?[*_`\"']*(?P<label>[^\n:：=]{1,60}?)"
    r"[ \t*_`\"']*(?:[:：]|=(?!=))[ \t*_`\"'(\[$]*"
)
_OVERALL = Vocabulary("overall conclusion summary short total sentiment explanation so therefore")
_LINE = 80  # characters in front of an answer that hold its label


def subjects(text: str, spans: Sequence[Span]) -> bool:
    """Whether answers stand behind labels that differ, and none of them is called the answer."""
    labels: set[str] = set()
    for start, _ in spans:
        line = text[max(0, start - _LINE) : start].rpartition("\n")[2]
        found = _LABEL.fullmatch(line)
        if found:
            words = words_of(found["label"])
            if any(w in ANSWER or w in FINAL or w in COMPOUND or w in _OVERALL for w in words):
                return False
            if words and all(w in RESULT for w in words):
                return False
            labels.add(found["label"].casefold().strip())
    return len(labels) > 1
