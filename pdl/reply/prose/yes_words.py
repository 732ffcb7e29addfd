"""Yes and no in many languages, and the words around them that make them less than an answer."""

from __future__ import annotations

import re

YES = (
    *("yes", "yeah", "yep", "yup", "yea", "aye", "affirmative"),
    *("ja", "jawohl", "oui", "sí", "si", "sì", "sim", "tak", "да", "так", "evet", "ano", "igen"),
    *("kyllä", "ναι", "כן", "نعم", "हाँ", "हां", "có", "ใช่"),
    *("是", "是的", "对", "对的", "對", "はい", "네", "예"),
)
NO = (
    *("no", "nope", "nah", "nay", "nein", "non", "não", "nee", "nie", "нет", "ні", "hayır"),
    *("nej", "nei", "ne", "nem", "ei", "όχι", "לא", "لا", "नहीं", "không", "tidak", "ไม่", "ไม่ใช่"),
    *("不是", "不", "否", "不对", "不對", "いいえ", "아니요", "아니오", "아뇨"),
)
_ALL = "|".join(sorted(YES + NO, key=len, reverse=True))
_SIGNS = "\u0900-\u0903\u093a-\u094f\u0e31-\u0e4e"  # vowel signs, which belong to the letter before
_END = rf"(?!_*[^\W_]|[{_SIGNS}]|['’]\w|-\w)"
_SO = r"(?=입니다|이에요|예요|です)"

WORD = re.compile(
    rf"(?<![^\W_は为為은는])(?<!['’-])(?!no\.?[ \t]?\d)(?P<word>{_ALL})"
    rf"(?>(?:[ \t,]+(?P=word)(?=[*_\"]*[ \t]*(?:[.,;:!?\n。！]|$)))*)(?:{_END}|{_SO})",
    re.IGNORECASE,
)
"""The word of an answer, said once or more; `No. 5` is a number."""

NUMBERED = re.compile(r"no\.[ \t]?\d", re.IGNORECASE)
"""A number, or a no and a sentence behind it: `No. 5 people came.`"""

WHOLE = (
    (
        True,
        re.compile(
            r"(?:absolutely|definitely|certainly|of\s+course|indeed|correct|exactly|without\s+(?:a\s+)?doubt"
            r"|that['’]?\s?i?s\s+(?:correct|right|true)|natürlich|selbstverständlich|bien\s+sûr|absolument"
            r"|claro(?:\s+que\s+sí)?|por\s+supuesto|com\s+certeza|certo|certamente|natuurlijk|oczywiście|конечно"
            r"|tabii(?:\s+ki)?|självklart|samozřejmě|звичайно|もちろん(?:です)?|当然|물론(?:입니다)?)[.!。！]*",
            re.IGNORECASE,
        ),
    ),
    (
        False,
        re.compile(
            r"(?:(?:absolutely|certainly|definitely|of\s+course|surely)\s+not|not\s+at\s+all|no\s+way|by\s+no\s+means"
            r"|natürlich\s+nicht|auf\s+keinen\s+fall|bien\s+sûr\s+que\s+non|pas\s+du\s+tout|claro\s+que\s+no"
            r"|de\s+ninguna\s+manera|claro\s+que\s+não|certo\s+che\s+no|natuurlijk\s+niet|oczywiście\s+nie"
            r"|конечно,?\s+нет|tabii\s+ki\s+hayır|självklart\s+inte|samozřejmě\s+ne|звичайно,?\s+ні)[.!。！]*",
            re.IGNORECASE,
        ),
    ),
)
"""What is an answer if it is all of the reply."""

DENIAL = re.compile(
    r"(?P<word>(?:absolutely|certainly|definitely|of\s+course|surely)\s+not|not\s+at\s+all|no\s+way)"
    r"[*_`\"'”)]*\s*(?:$|[.!,\n])",
    re.IGNORECASE,
)
"""A no that does not begin with one."""

CLAUSE = re.compile(
    r"\s+(?:it|this|that|they|he|she|there|you|we|i|the)\b(?!\s+(?:idea|doubt))", re.IGNORECASE
)
"""What goes on from a leading yes without a comma: `Yes it is`."""

APART_BEFORE = re.compile(
    r"(?:[.,;:!?\n—–/(\[。、，！？-]|\b(?:and|but|or|wait|actually|sorry|rather|mean|also|then|think|guess|say"
    r"|aber|doch|und|oder|mais|et|ou|pero|y|o|mas|e|ma|i|ale|но|и|или|men|och|eller|a|nebo|але|або|و|لكن"
    r"|लेकिन|और))[ \t*_`\"'“(]*+(?:\d{1,3}[.)][ \t]*)?[*_]*$",
    re.IGNORECASE,
)
APART_BEHIND = re.compile(
    r"[*_`\"'”)]*[ \t]*(?:$|[.,;:!?\n)\]—–/。、，！]|[^\W\d_]+[ \t]*$)", re.IGNORECASE
)
BUT = re.compile(
    r"\b(?:but|though|aber|mais|pero|mas|ma|maar|ale|но|ama|men|але)[ \t]+$", re.IGNORECASE
)
LINKED = re.compile(
    r"\b(?:is|was|says|ist|lautet|est|es|é|è)"
    r"(?:[ \t]+(?:therefore|thus|hence|so|then|still|really|actually|clearly|also|an?|daher"
    r"|also|donc|pues|entonces|quindi|dus|więc))*[ \t]*[:*_\"'“]*$",
    re.IGNORECASE,
)
ENDED = re.compile(r"[*_`\"'”)]*[ \t]*(?:$|[.!\n])")
"""What stands around a second answer: apart, behind `but`, or as `5 is no.`"""

HEDGE = re.compile(
    r"\b(?:only\s+(?:if|when)|unless|maybe|perhaps|possibly|depends|in\s+(?:some|certain|other)\s+cases|sometimes"
    r"|hard\s+to\s+say|not\s+(?:exactly|entirely|quite|really|necessarily|fully|always)|partly|partially"
    r"|either\s+way|impossible\s+to|vielleicht|nur\s+(?:wenn|manchmal|teilweise)|teilweise|kommt\s+darauf\s+an"
    r"|peut-être|parfois|en\s+partie|ça\s+dépend|sauf|quizás?|tal\s+vez|a\s+veces|en\s+parte|depende|salvo"
    r"|talvez|às\s+vezes|em\s+parte|forse|a\s+volte|in\s+parte|dipende|misschien|soms|deels|gedeeltelijk"
    r"|może|czasami|częściowo|zależy|возможно|иногда|частично|зависит|belki|bazen|kısmen|bağlı"
    r"|kanske|ibland|delvis|beror|možná|někdy|částečně|záleží|можливо|іноді|частково|залежить)\b"
    r"|ただし|場合による|かもしれ|たぶん|部分的|但是|不过|有时|也许|视情况|取决于|하지만|다만|아마|때로|경우에\s*따라"
    r"|ربما|أحيانا|جزئيا|لكن|शायद|कभी-कभी|लेकिन|निर्भर",
    re.IGNORECASE,
)
"""What makes an answer depend on something, wherever it is said."""

HEDGED = re.compile(
    r"\b(?:mostly|largely|mainly|somewhat|probably|likely|in\s+(?:most|many)\s+cases|to\s+some\s+(?:extent|degree)"
    r"|for\s+the\s+most\s+part|kind\s+of|sort\s+of|more\s+or\s+less|technically|caveats?|exceptions?|reservations"
    r"|in\s+(?:theory|principle|a\s+sense|a\s+way)|aber\s+nur|mais\s+seulement|pero\s+solo|mas\s+só|ma\s+solo|maar\s+alleen)\b|\bbut\W*$"
    r"|[,;(–—]\s*(?:if|when|assuming|provided|wenn|falls|sofern|si|s['’]il|se|als|indien|jeśli|если|eğer|om|pokud"
    r"|jestli|якщо)\b|如果|若|もし|만약",
    re.IGNORECASE,
)
"""What does so in the sentence of the answer."""

CONTRAST = re.compile(
    r"(?:^|[.,;:!?\n—–-])[ \t]*(?:(?P<but>however|but|although|though|yet|nevertheless|nonetheless)"
    r"|jedoch|allerdings|cependant|toutefois|sin\s+embargo|porém|no\s+entanto|tuttavia|echter|jednak|однако|ancak"
    r"|fakat|avšak|однак)\b(?P<clause>[^.!?\n]*)",
    re.IGNORECASE,
)
NEGATED = re.compile(
    r"\b(?:not|no|never|cannot|nothing|none|caveats?|exceptions?|limitations?|un\w+)\b|n['’]t\b",
    re.IGNORECASE,
)
ASSERTED = re.compile(
    r"\b(?:it|this|that|they|he|she)\s+(?:is|does|do|did|was|were|are|has|have|had|can|could|may|might)\b",
    re.IGNORECASE,
)
"""What turns an answer round behind `however`: a denial for a yes, a statement for a no."""

OFFER = re.compile(
    r"[\s,.!]+(?:of\s+course[\s,.!]+)?(?:(?:if|when|provided)|i\s+(?:can|could|will|would)\s+(?:certainly\s+|gladly\s+)?"
    r"(?:help|assist|do|answer|analy[sz]e|tell|provide|look|check|be\s+(?:happy|glad))"
    r"|i['’]ll|i\s+(?:understand|see\s+the)|i['’]?\s*a?m\s+(?:happy|glad|here|ready)|let\s+me|happy\s+to|sir|master"
    r"|thanks|thank\s+you|please|problem|worries)\b",
    re.IGNORECASE,
)
"""What shows that a yes or a no was no answer, but a kindness."""

_IS = r"\b(?:it|that|this|they|he|she)\s+(?:is|are|does|do|did|was|were|has|have|can|will)"
CONTRARY = {
    True: re.compile(rf"{_IS}(?:\s+not|n['’]t)\s*(?:[.!,;\n]|$)", re.IGNORECASE),
    False: re.compile(
        rf"{_IS}\s*(?:[.!,;\n]|$)|\b(?:it|that|this)(?:['’]s|\s+is)\s+(?:true|correct|right)\b",
        re.IGNORECASE,
    ),
}
"""A short sentence that says the opposite of the answer."""

AGAINST = {True: frozenset("❌✖✗👎🚫🔴⛔☐"), False: frozenset("✅✔👍🟢✓☐")}
"""Signs that say the opposite of the answer."""
