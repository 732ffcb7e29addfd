"""What a reply says that takes an answer back: that it cannot answer, or that it was wrong."""

from __future__ import annotations

from pdl.reply.prose.delayed import Delayed

_CANNOT = (
    r"\b(?:can\s?not|can['’]?t|unable\s+to|will\s+not|won['’]?t|could\s+not|couldn['’]?t)\s+(?:really\s+|possibly\s+)?"
    r"(?:answer|help|assist|tell|say|determine|provide|comply|decide|know|do\s+(?:that|this)|give|be\s+sure|judge"
    r"|confirm|verify|fulfil\w*|process|read|see|access)\b"
    r"|\b(?:do\s+not|don['’]?t|did\s+not|didn['’]?t)\s+(?:really\s+|actually\s+)?(?:know|understand|have\s+(?:enough|access))\b"
)
_DECLINES = Delayed(
    _CANNOT + r"|\bnot\s+(?:sure|certain|able\s+to)\b|\b(?:no|any)\s+(?:idea|way\s+to)\b"
    r"|\b(?:unsure|uncertain)\b|\b(?:i|we)\s+(?:must\s+|have\s+to\s+)?(?:refuse|decline|apologi[sz]e)\b|\bas\s+an\s+ai\b|\bsorry\b"
    r"|\b(?:a|rough|wild|random|best)\s+guess\b|\bguessing\b|\bhard\s+to\s+(?:say|tell)\b"
    r"|\bweiß\s+(?:\w+\s+){0,2}nicht\b|\bnicht\s+sicher\b|\bne\s+sais\s+pas\b|\bpas\s+sûr|\bno\s+(?:lo\s+)?sé\b"
    r"|\bno\s+estoy\s+segur|\bnão\s+(?:sei|tenho\s+certeza)|\bnon\s+(?:lo\s+)?so\b|\bnon\s+sono\s+sicur"
    r"|\bweet\s+(?:ik\s+)?(?:het\s+)?niet\b|\bniet\s+zeker\b|\bnie\s+wiem\b|\bnie\s+jestem\s+pew|не\s+знаю|не\s+уверен"
    r"|\bbilmiyorum\b|\bemin\s+değil|\bvet\s+inte\b|\binte\s+säker|\bnevím\b|не\s+впевнен"
    r"|알\s?수\s?없|모르|확실하지|分かりません|わかりません|不明|不知道|不确定|無法|无法|لا\s+أعرف|لا\s+أعلم|नहीं\s+पता",
)
_CLEARLY = Delayed(
    _CANNOT
    + r"|\b(?:i|we)\s+(?:must\s+|have\s+to\s+)?(?:refuse|decline)\b|\bweiß\s+(?:\w+\s+){0,2}nicht\b"
    r"|\b(?:kann|können)\s+(?:\w+\s+){0,4}nicht\s+(?:\w+\s+)?(?:beantworten|antworten|sagen|angeben|feststellen)\b"
    r"|\bne\s+(?:peux|sais)\s+pas\b|\bno\s+(?:lo\s+)?(?:sé|puedo)\b|\bnão\s+(?:sei|posso|consigo)\b"
    r"|\bnon\s+(?:lo\s+)?(?:so|posso)\b|\bkan\s+(?:\w+\s+){0,3}niet\s+(?:beantwoorden|zeggen)\b|\bweet\s+(?:het\s+)?niet\b"
    r"|\bnie\s+(?:wiem|mogę)\b|не\s+(?:знаю|могу)|\bbilmiyorum\b|\b(?:vet|kan)\s+inte\b|\bnevím\b"
    r"|알\s?수\s?없|답할\s?수\s?없|分かりません|わかりません|答えられません|不知道|(?:無法|无法|不能)(?:回答|確定|确定)",
)
"""The narrower of the two: beside data, a `sorry` is no more than a kindness."""

_RETRACTS = Delayed(
    r"\b(?:wait(?!\s+(?:time|for|until|list))|scratch\s+that|strike\s+that|on\s+(?:reflection|second\s+thoughts?)|correction|never\s?mind"
    r"|my\s+mistake|my\s+bad|oops|hmm+|take\s+(?:that|it)\s+back|i\s+was\s+wrong|i\s+misspoke"
    r"|let\s+me\s+(?:re\w+|correct|think|check)|or\s+(?:rather|maybe|perhaps)|come\s+to\s+think"
    r"|moment\s+mal|korrektur|besser\s+gesagt|attendez|plutôt|mejor\s+dicho|espera|corrección|quer\s+dizer|correção"
    r"|aspetta|anzi|correzione|wacht|correctie|chwila|poprawka|подождите|точнее|поправка|bekle|düzeltme|vänta|rättelse)\b"
    r"|(?:^|[.,;:!?\n—–-])[ \t]*"
    r"(?:actually|eigentlich|en\s+fait|en\s+realidad|na\s+verdade|in\s+realtà)\b"
    r"|等等[，,]|等一下|訂正|更正|いや、|待って|아니,|잠깐|정정",
)
_WRONG = Delayed(
    r"\b(?:that|this|it)(?:['’]s|\s+(?:is|was|would\s+be))\s+(?:(?!not\b)\w+\s+)?"
    r"(?:wrong|incorrect|false|untrue|mistaken|an\s+error)\b",
)


def declines(text: str) -> bool:
    """Whether a text says that there is no answer, not only that one is uncertain."""
    return _CLEARLY.search(text) is not None


def taken_back(text: str, at: int, start: int = 0, *, denies: bool = False) -> bool:
    """Whether a reply declines to answer, from `start` on, or retracts, from `at` on, what it said.

    `No, that is wrong.` retracts nothing: an answer that `denies` goes with such words.
    """
    if _DECLINES.search(text, start) or _RETRACTS.search(text, at):
        return True
    return not denies and _WRONG.search(text, at) is not None
