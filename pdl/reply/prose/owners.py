"""Whose an answer is: what a customer said, or a naive answer, is not what the model answers."""

from __future__ import annotations

import re

from pdl.reply.prose.marks_old import lead_clause
from pdl.reply.prose.vocabulary import Vocabulary

SPEAKERS = Vocabulary(
    "user users customer seller buyer vendor client patient reporter reviewer",
    "student pupil teacher",
    "professor examiner interviewer interviewee caller speaker narrator witness officer doctor",
    "nurse lawyer judge attacker commenter commentator critic expert experts guest visitor member",
    "employee manager boss friend colleague neighbour neighbor he she they his her their your",
    "human",
    "agent operator host someone people others kunde benutzer verkäufer käufer schüler lehrer",
    "cliente usuario usuário vendedor alumno estudiante profesor utilisateur vendeur élève utente",
    "venditore studente klant gebruiker klient użytkownik клиент пользователь продавец студент",
    "müşteri kullanıcı github bot",
)
"""Others who speak."""

_ANSWER = r"(?:answers?|choice|guess|reply|response|result|label|solution|verdict)\b"
_ANOTHERS = re.compile(
    rf"(?:\b(?!(?:it|that|there|here|what|let|who|today|problem|question|one)['’]s)\w+['’]s|\b(?:his|her|their|student|pupil"
    rf"|user|customer|reporter|teacher))\s+(?:\w+\s+){{0,2}}?{_ANSWER}"
    r"|\b(?:naive|naïve|obvious|usual|common|typical|textbook|expected|reference|sample|previous|old|former"
    r"|closest|popular|initial|tempting|trick|example|alternative|forced|gold|target|draft|suggested|current|existing"
    rf"|intuitive|hypothetical|rejected|discarded|second)\s+(?:\w+\s+)?{_ANSWER}"
    r"|\b(?!(?:It|This|That|There|What|Which|Text|Here|So)\b)(?-i:[A-Z]\w+)\s+(?:says|said|claims|claimed|thinks|thought"
    r"|believes|believed|answered|replied|wrote|guessed|insists|insisted|argues|argued)\b",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"[.,!?]?[\"'”’»],?\s+(?:[\w’']+\s+){0,3}?(?:said|says|replied|replies|answered|cried|wrote|writes|asked|shouted"
    r"|whispered|claimed|claims|sagte|antwortete|dit|répondit|dijo|respondió|disse|rispose|сказал\w*|ответил\w*)\b",
    re.IGNORECASE,
)
_QUOTE = re.compile(r"^[ \t]*>", re.MULTILINE)
_OWN = re.compile(r"^[ \t]*(?![ \t>]).*\w", re.MULTILINE)
_LINE = 300  # characters in front of an answer that are looked at for the mark of a quotation


def is_anothers(text: str, start: int, at: int) -> bool:
    """Whether the words that lead to what stands at `at` say that another one said it.

    `start` is where the words may begin.
    """
    return _ANOTHERS.search(lead_clause(text, start, at)) is not None


def is_cited(text: str, end: int) -> bool:
    """Whether words such as `said the seller` follow the quotation that ends behind `end`."""
    return _SAID.match(text, end) is not None


def is_quoted(text: str, at: int) -> bool:
    """Whether a place is in a block quotation, and other words stand outside of it."""
    line = text[max(0, at - _LINE) : at].rpartition("\n")[2]
    return _QUOTE.match(line) is not None and _OWN.search(text) is not None
