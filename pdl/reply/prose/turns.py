"""Words that begin a second thought about an answer: `Wait`, `Actually, 2`, `I meant 2`.

Some say it alone. Others are also a courtesy (`Sorry for the delay`), so that what follows decides:
a value, or nothing at all.
"""

from __future__ import annotations

from functools import lru_cache

from pdl.reply.prose.delayed import Delayed
from pdl.reply.prose.vocabulary import WORD, Vocabulary

_REDO = (
    r"(?:re-?(?:do|count|check|calculate|compute|consider|read|think|examine|visit|evaluate"
    r"|verify|try|start|state)\b"
    r"|double[- ]?check|correct\b|fix\b|amend|revise|try\s+(?:\w+\s+)?again|start\s+over"
    r"|(?:check|count|look|think|see)(?:\s+\w+)?\s+again"
    r"|(?:check|count|verify)\s+(?:that|this|it|once\s+more)\b)"
)
_STRONG = Delayed(
    r"\W*(?:[^\W\d_]{1,5}[、，]\s*)?(?:(?:oh|ah|sorry|hmm+|so|and|but|no|well|ok(?:ay)?"
    r"|um+)\W+){0,2}(?:"
    r"(?:oops|whoops|oups|ups|hoppla|hmm+|erratum|errata)\b"
    r"|wait\b(?!\s+(?:times?|for|until|till|lists?|and|a|an|at|in|on|here|there|state|states"
    r"|\d+\s*(?:s|ms|min)))"
    r"|(?:hold|hang)\s+on\b(?!\s+to)|whoa\b|i\s+was\s+(?:off|too\s+\w+)\b"
    r"|(?:this|that|it)\s+(?:is|was)\s+too\s+(?:low|high|small|large|big|few|many|short|long)\b"
    r"|(?:scratch|strike)\s+(?:that|this|it)\b|never\s?mind\b(?!\s+(?:the"
    r"|about|if|how|this\s+\w|that\s+\w))"
    r"|i\s+meant?\b(?!\s+(?:no|to|well|what|it)\b)|typo\s*[:：—–-]|correction\s*,"
    r"|come\s+to\s+think\s+of"
    r"|(?:make|read)\s+(?:that|it)\s+(?:a\s+)?[\"'“`\d]"
    rf"|(?:let\s+me|let['’]?s|i\s+(?:need|have|ought|want)\s+to|i\s+(?:must|should|will)|i['’]ll"
    rf"|i['’]d\s+better)\s+(?:just\s+|please\s+)?{_REDO}"
    r"|(?:this|that|it|these|which|something)\s+(?:can\s?not|can['’]?t|could\s+not"
    r"|couldn['’]t)\s+be\s+(?:right|correct|true)"
    r"|(?:this|that|it|something|the\s+\w+)\s+(?:does\s+not|doesn['’]t)\s+(?:\w+\s+)?(?:look"
    r"|seem|sound|add|feel)\b"
    r"|(?:this|that|it|something)(?:['’]s|\s+(?:is|was|seems|looks|sounds))\s+(?:a\s+bit\s+"
    r"|rather\s+)?(?:off|odd|fishy|not\s+(?:quite|entirely|exactly)\s+\w+)\b"
    r"|i\s+(?:just\s+|think\s+i\s+)?(?:overlooked|missed|forgot(?!\s+to)|misse[dt]|mixed|swapped"
    r"|confused|miscounted|miscalculated|misremembered)"
    r"\b(?!\s+(?:nothing|none|no\b))"
    r"|ich\s+(?:meinte|habe\s+(?:\w+\s+){0,3}(?:vergessen|übersehen|verwechselt))\b"
    r"|je\s+voulais\s+dire\b|j['’]ai\s+oublié\b|quise\s+decir\b"
    r"|quis\s+dizer\b|volevo\s+dire\b|ik\s+bedoel(?:de)?\b|miało\s+być\b"
    r"|имел[аио]?сь?\s+в\s+виду|я\s+име[лю]а?\s+в\s+виду|demek\s+istedi"
    r"|jag\s+menade\b|待って|ちょっと待|等一下|잠깐)"
)
_WEAK = Delayed(
    r"\W*(?:(?:oh|ah|ach|and|but|so|well|no|et|mais|aber|pero|ma|но|а)\W+)?(?:"
    r"p\.?s\b\.?|strictly\s+speaking|(?:it\s+)?turns\s+out|to\s+be\s+(?:precise|exact|correct"
    r"|accurate|clear)"
    r"|looking\s+at\s+(?:it|this|that|the\s+\w+)\s+again|thinking\s+about\s+(?:it|that)"
    r"|actually|edit|update|sorry|(?:my\s+)?apologies|i\s+apologi[sz]e|pardon(?:\s+me)?"
    r"|excuse\s+me|nope|no(?=\s*(?:[,.:;!—–-]|wait))"
    r"|(?:or\s+)?rather|better|in\s+(?:fact|reality|truth|actuality)|correctly|more\s+(?:exactly"
    r"|precisely|accurately)"
    r"|(?:on|upon|after|with)\s+(?:a\s+)?(?:closer|further|second|another|re-?\w+|more\s+careful"
    r"|careful)(?:\s+(?:inspection|look|review|reading|thoughts?|reflection|check\w*|count\w*"
    r"|the\s+\w+))?"
    r"|(?:up)?on\s+(?:reflection|review|inspection)|looking\s+(?:again|closer|more\s+closely)"
    r"|i\s+(?:just\s+|now\s+)?(?:noticed?|reali[sz]ed?|spotted)"
    r"|(?:einen\s+)?moment(?:\s+mal)?|warte|halt|stopp?|eigentlich|tatsächlich"
    r"|in\s+(?:wirklichkeit|wahrheit)|nein(?=\s*[,.:;!])|genauer|vielmehr|besser\s+gesagt"
    r"|entschuldigung|tut\s+mir\s+leid"
    r"|en\s+(?:fait|réalité|vérité)|attend[sz]|attendez|désolée?|plutôt|non(?=\s*[,.:;!])"
    r"|en\s+realidad|de\s+hecho|espera|espere|perd[oó]n|mejor\s+dicho|lo\s+siento"
    r"|na\s+(?:verdade|realidade)|desculpe?|aliás|ou\s+melhor|in\s+(?:realtà|effetti)|aspetta"
    r"|scusa(?:te)?|anzi|eigenlijk|wacht|excuses|nee(?=\s*[,.:;!])|beter\s+gezegd"
    r"|właściwie|w\s+rzeczywistości|chwila|przepraszam|a\s+raczej|nie(?=\s*[,.:;!])"
    r"|на\s+самом\s+деле|вообще-то|точнее|вернее|подожди(?:те)?|стоп|прости(?:те)?|извини(?:те)?"
    r"|нет(?=\s*[,.:;!])"
    r"|aslında|gerçekte|bekle(?:yin)?|pardon|özür\s+dilerim|daha\s+doğrusu|egentligen|faktiskt"
    r"|vänta|förlåt|ursäkta|ve\s+skutečnosti|vlastně|počk(?:at|ej)|omluv\w*"
    r"|насправді|точніше|зачекай(?:те)?|вибач(?:те)?|valójában|bocsánat|itse\s+asiassa|de\s+fapt"
    r"|στην\s+πραγματικότητα)\b"
    r"|\W*(?:其实|實際上|实际上|事实上|事實上|等等|等下|不对|不對|抱歉|对不起|應該是|应该是|准确地?说|準確|実は|実際には|実際は|正確には|正しくは|いや|いいえ"
    r"|すみません|失礼"
    r"|사실|실은|실제로|아니[,\s]|정확히는|죄송|في\s+الواقع|في\s+الحقيقة|انتظر|عفو|آسف|दरअसल|वास्तव\s+में|रुकि"
    r"|माफ|thực\s+ra|sebenarnya|ที่จริง)"
)
_VALUE = Delayed(
    r"\d|(?<!\w)[\"'“`«‘「]\S|\w\s*=\s*\S|^\W*[\w.\[\]]{1,30}\s*[:：]\s*\S"
    r"|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred"
    r"|true|false|null"
    r"|zwei|drei|vier|fünf|sechs|deux|trois|quatre|cinq|dos|tres|cuatro|cinco|dois|duas|três"
    r"|quatro|due|tre|quattro|cinque|twee|drie|vijf"
    r"|dwa|dwie|trzy|cztery|два|две|три|четыре|пять|iki|üç|dört|två|fyra|dva|dvě|tři|should"
    r"|ought|must\s+be)\b|[一二三四五六七八九十两둘셋]"
)
_ASKS = ("?", "？")
_ELSEWHERE = Delayed(r"\bin\s+(?:the|your)\s+\w+|\b(?:if|when|unless)\b")
_COMPARES = Delayed(r"\W*(?:rather|better)\b")
_LONE = 1  # words that may follow a weak word that stands alone


_STARTERS = Vocabulary(
    "oh ah ach sorry hmm- so and but no well ok okay um et mais aber pero ma oops whoops oups ops",
    "ups hoppla erratum errata wait hold hang whoa i scratch strike never nevermind typo the",
    "correction come make read let lets let's i'm i'll i'd that's it's this that it these which",
    "something ich je j j'ai quise quis volevo ik jag demek p ps strictly turns to looking",
    "thinking actually edit update my apologies pardon excuse nope or rather better in more on",
    "correctly upon after with einen moment warte halt stop stopp eigentlich nein genauer",
    "vielmehr besser entschuldigung tut en attends attend attendz attendez non de espera espere",
    "perdon mejor lo na desculpe desculp ou aspetta scusa scusate anzi eigenlijk wacht excuses",
    "nee beter w chwila przepraszam a nie bekle bekleyin daha egentligen faktiskt ve itse",
    "sebenarnya",
)
"""The words that such sentences begin with, if they are in Latin letters of ASCII."""


@lru_cache(maxsize=256)  # what stands behind answers is mostly the same few courtesies
def turns(sentence: str) -> bool:
    """Whether a sentence behind an answer begins a second thought about it."""
    first = WORD.search(sentence.lower())
    if first is None or sentence.rstrip().endswith(_ASKS):
        return False
    word = first[0].replace("’", "'")
    if word.isascii() and word not in _STARTERS:
        return False
    if _STRONG.match(sentence):
        return True
    found = _WEAK.match(sentence)
    if not found:
        return False
    rest = sentence[found.end() :]
    if len(rest.split()) <= _LONE and not _COMPARES.match(sentence):
        return True
    return _VALUE.search(rest) is not None and not _ELSEWHERE.search(rest)
