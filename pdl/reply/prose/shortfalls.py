"""Words that say of a list that it is not all of it, without a word such as `omitted`."""

from __future__ import annotations

from functools import lru_cache

from pdl.reply.prose.delayed import Delayed
from pdl.reply.prose.vocabulary import Hints

_COUNT = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a\s+(?:few|couple)|few|some"
    r"|several|many|most|half|both)"
)
_NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|few|couple(?:\s+of)?|several)"
_LISTED = (
    r"(?:list(?:ed)?|show[ns]?|includ(?:e|ed|ing)|giv(?:e|en)|provid(?:e|ed)|extract(?:ed)?"
    r"|display(?:ed)?|cover(?:ed)?|add(?:ed)?|send|print(?:ed)?)"
)
_THINGS = (
    r"(?:items?|entries|rows?|records?|elements?|results?|ones|objects?|lines?|names?|values|data)"
)
_PART = (
    r"(?:part|portion|fraction|subset|excerpt|selection|sample|beginning|start|few|some|half"
    r"|third|quarter|tip\s+of\s+the\s+iceberg)"
)
_PATTERNS = (
    (
        r"\bthere(?:['’]re|\s+(?:are|is|may\s+be|might\s+be))\s+(?!no\b)(?:\w+\s+){0,2}?(?:more"
        r"|others|(?:other|further|additional)\s+(?!details|info|notes|questions)\w+)\b"
    ),
    (
        rf"\b(?:this|that|these|those|it|they|list|above)(?:['’]s|\s+(?:is|are|was|were|shows?"
        rf"|has|contains?))\s+(?:only\s+|just\s+|merely\s+|but\s+)?(?:an?\s+|the\s+)?(?:(?:first"
        rf"|small|tiny|short)\s+)?{_PART}"
        rf"(?:\s+of\s+(?:it|them|all|what|the\s+(?:\w+\s+)?(?:list|{_THINGS}|document|total"
        rf"|answer)|all\s+\w+))?\W*$"
    ),
    (
        rf"\b(?:these|those|above|they|listed)\s+are\s+(?:only\s+|just\s+)?(?:the\s+)?(?:first|last"
        rf"|top)\s+{_NUMBER}\b"
    ),
    (
        r"\b(?:shall|should|can|may|must)\s+i\s+(?:continue|go\s+on|carry\s+on|keep\s+going)\b"
        r"|\b(?:want|like|need)\s+me\s+to\s+(?:continue|go\s+on|carry\s+on|keep\s+going)\b"
        r"|\b(?:say|type|reply|write|answer|prompt|respond)\s+(?:with\s+)?[\"'“‘`]?(?:continue"
        r"|next|more|go\s+on)\b"
    ),
    (
        rf"\b(?:want|like|need|provide|send|list|give|add|include|get|see|show)\s+(?:you\s+"
        rf"|me\s+to\s+\w+\s+)?(?:the\s+|all\s+)?(?:rest|others|remainder|(?:other|remaining"
        rf"|missing|next|further)\s+(?:{_THINGS}|\d+|{_COUNT}|batch|part|page))"
        rf"(?:\s+of\s+(?:them|it|the\s+(?:list|{_THINGS})))?(?:\s+(?:too|as\s+well|now|also"
        rf"|if\b.*|in\s+(?:a|the|my|another)\b.*))?\W*$"
    ),
    (
        r"\b(?:ran|run|running)\s+out\s+of\s+(?:space|room|tokens?|characters)\b|\b(?:space|length"
        r"|token|output|size|character)\s+(?:is\s+)?limit(?:ed|s|ation)?\b"
    ),
    (
        rf"^\W*(?:(?:and|plus|as\s+well\s+as|with)\s+)?(?:about\s+|at\s+least\s+"
        rf"|another\s+)?{_COUNT}\s+(?:more|others|(?:additional|further"
        rf"|other)\s+{_THINGS})\b(?!\s+(?:thing|note|question|detail|info|remark|word))"
    ),
    (
        r"\b(?:the\s+)?(?:remaining|other|more|further|additional)\s+(?:ones|entries|items|rows"
        r"|records|elements|results)\s+(?:exist|are\s+(?:similar|available|possible)|on\s+request"
        r"|follow|can\s+be)\b"
    ),
    (
        r"\b(?:remaining|other)\s+(?:ones|entries|items|rows|records|elements"
        r"|results)\s+on\s+request\b|\b(?:list|array|output|json|result|answer|this|it)\s+(?:is"
        r"|was)\s+(?:\w+ly\s+)?(?:incomplete|partial|cut|truncated|abridged|unfinished)\b"
    ),
    (
        r"\b(?:had|have|needed|decided)\s+to\s+(?:cut|shorten|truncate|limit|abbreviate|trim)\b"
        r"|^\W*(?:the\s+)?next\s+(?:part|page|batch|chunk|message)\b|^\W*among\s+others\W*$"
    ),
    (
        r"^\W*(?:continue|next|more|go\s+on|weiter|la\s+suite|suite|sigo|continuar|continuo|avanti"
        r"|verder|dalej|дальше|далее|devam|继续|続き)\s*[?？]\s*$"
    ),
    (
        rf"\b{_LISTED}\s+{_NUMBER}\s+(?:out\s+)?of\b"
        rf"|^\W*(?:the\s+)?first\s+{_NUMBER}\s+(?:{_THINGS}\s+)?{_LISTED}"
        rf"|^\W*{_NUMBER}\s+(?:out\s+)?of\s+(?:the\s+|all\s+)?{_NUMBER}\b"
    ),
    (
        r"\b(?:nur|bloß|lediglich|seuls?|seulement|solo|sólo|apenas|soltanto|alleen|slechts|tylko"
        r"|только|sadece|bara|endast)\b.{0,30}\b(?:erst\w*|premi\w*|primer\w*|primeir\w*|prim[ioae]"
        r"|eerste|pierwsz\w*|перв\w*|ilk|första)\b"
    ),
    r"показан\w*\s+(?:только\s+)?перв|[仅只](?:列出|显示|包含|给出|包括|展示)?了?前|最初の.{0,8}(?:のみ|だけ)|처음.{0,10}만",
    r"^\W*(?:and\s+so\s+(?:on|forth)|etc\.?)\s+(?:for|with|until|up\s+to)\b",
    (
        r"^\W*more(?:\W*$|\s+(?:to\s+come|follows?|below|(?:items|entries|rows|results)\s+(?:follow"
        r"|to)))"
    ),
    (
        r"^\W*(?:(?:page|part|batch|chunk|section|seite|teil|partie|parte|página|pagina|часть"
        r"|страница)\s*)?(?P<n>\d+)\s*(?:of|/|von|de|di|из)\s*(?!(?P=n)\b)\d+\W*$"
    ),
    (
        r"\b(?:i|we)\s+(?:had\s+to\s+)?(?:stop|stopped|cut\s+(?:it\s+)?off"
        r"|left\s+off)\s+(?:after|at"
        r"|here|there|with)\b"
    ),
    (
        r"\b(?:list|array|output|json|answer|result|this|that|it|above)\s+(?:is|was)(?:\s+not"
        r"|n['’]t)\s+(?:\w+\s+){0,2}?(?:complete|exhaustive|whole|full|all\b|entire|comprehensive"
        r"|everything)"
    ),
    (
        rf"\b(?:only|just)\s+(?:\w+\s+)?(?:the\s+)?(?:first\s+"
        rf"|top\s+)?{_NUMBER}\s+(?:{_THINGS}\s+)?(?:out\s+)?of\b|\b{_LISTED}\s+(?:only\s+"
        rf"|just\s+)?(?:the\s+|my\s+)?(?:first|top)\s+{_NUMBER}\b"
        rf"|\bthe\s+first\s+{_NUMBER}\s+(?:{_THINGS}\s+)?(?:are|were|is)\s+{_LISTED}"
        rf"|\b{_LISTED}\s+(?:only|just)\s+{_NUMBER}\b|\b(?:i|we)\s+(?:only"
        rf"|just)\s+{_LISTED}\s+{_NUMBER}\b"
    ),
    r"\btoo\s+(?:many|much|long)\b[^.\n]{0,30}\bto\s+(?:list|include|show|print|fit|give|write)\b",
    (
        r"\b(?:several|many|some|numerous|\d+)\s+others?\s+(?:are|were|is|exist|appear|could)\b"
        r"|\bthe\s+other\s+\d+\s+(?:are|were|have|look|follow)\b"
    ),
    rf"\b(?:left|leave|leaving)\s+out\s+(?:the\s+)?(?:{_NUMBER}|some|many|most|others?|rest)\b",
    (
        r"\bask\s+(?:me\s+)?for\s+(?:the\s+)?(?:next|rest|others|remaining|more\s+\w+s)\b"
        r"|\bto\s+see\s+(?:more|the\s+rest|the\s+others|all)\b"
    ),
    (
        r"\bnoch\s+(?:weitere|mehr|andere)\b|\b(?:soll|darf|kann)\s+ich\s+(?:\w+\s+)?(?:fortfahren"
        r"|weitermachen)|\bnur\s+(?:ein|der\s+erste)\s+(?:teil|auszug|ausschnitt)"
    ),
    (
        r"\bque\s+je\s+continue\b|\by\s+(?:en\s+)?a\s+d['’]autres\b|\bqu['’]une\s+partie\b"
        r"|\bune\s+partie\s+seulement\b"
    ),
    (
        r"\bque\s+(?:continúe|siga|continue|eu\s+continue)\b|\bhay\s+(?:más|otros|otras)\b"
        r"|\bhá\s+(?:mais|outros|outras)\b|\b(?:solo|sólo|apenas|só)\s+una?\s+parte\b"
        r"|\bche\s+continui\b|\bce\s+ne\s+sono\s+altr"
    ),
    (
        r"\bdoorgaan\s*\?|\ber\s+zijn\s+(?:nog\s+)?(?:meer|andere)\b|\b(?:slechts"
        r"|maar)\s+een\s+deel\b|\bkontynuować\b|\bjest\s+(?:ich\s+)?więcej\b|\btylko\s+część\b"
    ),
    (
        r"\bпродолжить\b|\bесть\s+(?:и\s+)?(?:ещё|еще|другие)\b|\bтолько\s+часть\b|\bdevam\s+ed\w+"
        r"|\bsadece\s+bir\s+(?:kısmı|bölümü)|\bska\s+jag\s+fortsätta\b|\bdet\s+finns\s+fler\b"
        r"|\bmám\s+pokračovat\b"
    ),
    (
        r"还有(?:更多|其他|其它|\d)|(?:需要|要不要|要)我?继续|继续吗|(?:只是|仅是|仅为|只有)(?:其中)?一?部分|続けま|続き(?:が|を)|他にも"
        r"|一部(?:です|のみ|だけ)|계속할까|더\s?있습니다|일부(?:입니다|만)"
    ),
)
_SHORT = Delayed("|".join(_PATTERNS))
_NONE = Delayed(
    r"\b(?:no|none|nothing|never|without)\b|\b(?:there|i)\s+(?:are|is|have)n['’]t\b|没有|沒有|ありません|없"
)
_EXCERPT = Delayed(
    rf"\b(?:the|its|my)\s+(?:first|initial|opening)\s+(?:{_NUMBER}\b|part\b)|\b(?:part|page"
    rf"|batch|chunk|section)\s+\d+\W*(?:of|/)\s*\d+|^\W*(?:part|page|batch|chunk)\s+(?:\d+"
    rf"|one)\W*$"
    rf"|\b(?:only|just)\s+(?:list\s+|show\s+|the\s+first\s+)?(?:{_NUMBER}|some|part)\b|\b(?:for"
    rf"|of)\s+brevity\b|\b(?:length|space|token|size)\s+(?:limits?|constraints?)\b"
    rf"|\bsave\s+space\b"
    rf"|\b(?:excerpt|subset|auszug|ausschnitt|extrait|extracto|estratto|fragmento|trecho|wycinek"
    rf"|фрагмент|отрывок)\b|^\W*(?:here\s+is\s+)?a\s+(?:small\s+)?(?:selection|sample|portion"
    rf"|handful)\b"
    rf"|(?:^|\b(?:are|is)\s+)\W*(?:some|{_NUMBER}|a\s+few|most|many|half|part)\s+of\s+(?:the"
    rf"|them|these|its|my|their|all)\b"
    r"|\b(?:list|array|table|it)\s+(?:begins|starts)\b|\bamong\s+others\W*$|^\W*(?:including"
    r"|for\s+instance|such\s+as)\W*$|\btop\s+\d+\s+(?:out\s+)?of\s+\d+"
    r"|\b(?:most\s+important|main|notable|relevant)\s+ones\W*$|\bdie\s+ersten\s+(?:\d+|zwei|drei"
    r"|paar)\b|\bles\s+(?:\d+|deux|trois)\s+premi|\b(?:los|las)\s+primer[oa]s\s+\w+"
    r"|前\s?[\d两二三]+\s?(?:个|条|项)|最初の\s?\d+"
)


_HINTS = Hints(
    *("first", "initial", "opening", "part", "page", "batch", "chunk", "section", "only", "just"),
    *("brevity", "length", "space", "token", "size", "excerpt", "subset", "auszug", "ausschnitt"),
    *("extrait", "extracto", "estratto", "fragment", "trecho", "wycinek", "selection", "sample"),
    *("portion", "handful", " of ", "begins", "starts", "others", "including", "for instance"),
    *("such as", "top", "ones", "ersten", "premi", "primer"),
)
"""What stands in each such clause, if it is in Latin letters of ASCII."""


def falls_short(sentence: str) -> bool:
    """Whether a sentence behind a list says that there is more: `Shall I continue?`."""
    found = _SHORT.search(sentence)
    return found is not None and not _NONE.search(sentence, 0, found.end())


@lru_cache(maxsize=256)
def is_excerpt(clause: str) -> bool:
    """Whether the words in front of data call them a part: `Here are the first two items:`."""
    low = clause.lower()
    if low.isascii() and not _HINTS.in_text(low):
        return False
    return _EXCERPT.search(clause) is not None
