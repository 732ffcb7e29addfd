"""Words with which a model says what the data that follows is: final, an answer, an example."""

from __future__ import annotations

import re

_NOUN = (
    r"(?:answer|result|output|version|json|object|array|list|response|solution|decision|verdict|choice"
    r"|extraction|classification|data|record|code|reply|label|number)s?"
)
_AGAIN = r"(?:corrected|fixed|amended|revised)"
_ELSEWHERE = (
    r"endgültige?[rsnm]?|endergebnis|korrigierte?[rsnm]?|korrektur|berichtigte?[rsnm]?|finale[rsnm]?"
    r"|définitif|définitive|corrigée?s?|finales?"
    r"|definitiv[oa]s?|corregid[oa]s?|corrección|corrigid[oa]s?|correção"
    r"|corrett[oaie]|correzione|uiteindelijke?|gecorrigeerde?|definitieve?"
    r"|ostateczn[aey]|poprawion[aey]|окончательн\w+|исправленн?\w+|итогов\w+"
    r"|nihai|düzeltilmiş|slutgiltiga?|korrigerade?"
)
_CJK = r"最終|修正|訂正|最终|更正|最后(?:答案|结果)|최종|수정된|정정"
_MARK = re.compile(
    rf"(?<![\w-])(?:(?:final|updated|correct|{_AGAIN})\s+{_NOUN}(?![\w-])"
    rf"|(?:final|correct|{_AGAIN}|correction)(?=[*_\s]*(?:[:：]|$))"
    rf"|{_AGAIN}(?=\s+(?:is|one)\b)"
    rf"|(?:{_ELSEWHERE})(?![\w-]))|{_CJK}",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|no|never|before|until|instead|without|than|nicht|kein\w*|pas|non|não|не|nie|değil"
    r"|example|format|schema|template|sample|structure|instance|input|e\.g|beispiel|ejemplo|exemple)\b"
    r"|n['’]t\b|不是|ではな|아니|例",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\b(?:example|format|schema|template|sample|structure|instance|input|e\.g|shape|looks?\s+like"
    r"|original|draft|previous|given|beispiel|ejemplo|exemple|пример)\b|例",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    rf"\b(?:{_NOUN}|antwort|ergebnis|respuesta|resultado|réponse|résultat|resposta|risposta|antwoord"
    r"|ответ|результат|odpowiedź|cevap)[*_\s]*(?:[:：]|\bis\b)[*_\s]*$|(?:答案|回答|答え|정답|답변)[^\n]{0,4}$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?。！？](?=\s|$)|[;；]|[。！？]")
_DECORATION = " \t\r*_#>`\"'“”|-"
_CLAUSE = 50  # characters between such a word and the answer at most
_LINE = 300  # characters of a line that are looked at


def announced(text: str, start: int, at: int) -> bool:
    """Whether the answer at `at` is called final or corrected, on its line or just above it.

    `start` is where the answer before it ends: words in front of that one are not about this one.
    """
    clause = _clause(_lead(text, start, at))
    ends = [mark.end() for mark in _MARK.finditer(clause)]
    return bool(ends) and len(clause) - ends[-1] <= _CLAUSE and not _NEGATED.search(clause)


def exemplified(text: str, start: int, at: int) -> bool:
    """Whether what stands at `at` is called an example, a format, or what was there before."""
    return _EXAMPLE.search(_clause(_lead(text, start, at))) is not None


def claimed(text: str, start: int, at: int) -> bool:
    """Whether what stands at `at` is called the answer: `Answer:`, `The result is`."""
    return _CLAIM.search(_lead(text, start, at)) is not None


def lead_clause(text: str, start: int, at: int) -> str:
    """The last sentence of the words that lead to what stands at `at`; they begin at `start`."""
    return _clause(_lead(text, start, at))


def _lead(text: str, start: int, at: int) -> str:
    """The words on the line of `at`; if there are none, those just above that announce it."""
    before = text[max(start, at - 3 * _LINE) : at]
    head, newline, here = before.rpartition("\n")
    if here.strip(_DECORATION):
        return here[-_LINE:].rstrip(_DECORATION)
    if not newline:
        return ""
    above = head.rstrip().rpartition("\n")[2].strip(_DECORATION)[-_LINE:]
    # A line announces what is below it if it ends in a colon, or is a heading, no sentence.
    return above if above.endswith((":", "：")) or not _SENTENCE.search(above) else ""


def _clause(line: str) -> str:
    """The last sentence of a line."""
    clause = line
    for end in _SENTENCE.finditer(line):
        if line[end.end() :].strip(_DECORATION + ":："):
            clause = line[end.end() :]
    return clause.strip(_DECORATION)
