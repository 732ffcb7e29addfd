"""The words with which a reply takes an answer back, in many languages.

Another language needs a line in the tables and nothing else.
"""

from __future__ import annotations

from pdl.reply.prose.delayed import Delayed
from pdl.reply.prose.vocabulary import Hints

_NOUN = r"(?:answer|response|reply|output|json|object|array|list|result|version|attempt|draft)"
_THIS = (
    rf"(?:(?:all\s+(?:of\s+)?)?(?:that|this|it)(?:\s+{_NOUN}|\s+above)?"
    rf"|(?:the|everything|what['’]?s)\s+above(?:\s+{_NOUN})?"
    rf"|(?:the|my)\s+(?:(?:above|previous|last|first|earlier)\s+)?{_NOUN}(?:\s+above)?)"
)
_STOP = (
    r"(?=\s*(?:$|[.,;:!—–-]"
    r"|(?:it|that|this|as|since|because|there|and|i|the|please|entirely|completely)\b))"
)
_SEEN = (
    r"(?:i\s+(?:now\s+)?(?:think|believe|reali[sz]e\w*|see|notice\w*|fear)"
    r"\s+(?:now\s+)?(?:that\s+)?)?"
)
_SOFT = (
    r"(?:(?:please|so|no|nope|nein|non|não|nee|nie|нет|wait|oops|whoops|sorry|(?:my\s+)?apologies|i\s+apologi[sz]e|hmm+"
    r"|ah|oh|actually|hold\s+on|edit|update|moment|halt|stopp?|attendez|espera|aspetta|wacht|chwila)\W+)"
)
_PROVISIONAL = (
    r"(?:(?:was|were|(?:is|are)\s+(?:just|only|merely)|would\s+(?:just\s+|only\s+)?be)\s+(?:just\s+|only\s+)?"
    r"(?:an?|my|the)\s+(?:(?:first|rough|initial|earlier|old|previous)\s+)?"
    r"(?:draft|example|sample|guess|test|joke|placeholder|template|attempt|format|idea|thought|version)"
    r"|war\s+(?:nur\s+)?(?:mein|ein)\s+(?:erster\s+)?(?:entwurf|beispiel|versuch)"
    r"|était\s+(?:mon|un)\s+(?:brouillon|exemple|essai)"
    r"|era\s+(?:solo\s+)?(?:mi|un|meu|um|una|la\s+mia)\s+(?:borrador|ejemplo|rascunho|exemplo|bozza|esempio)"
    r"|was\s+(?:maar\s+)?(?:mijn|een)\s+(?:ontwerp|voorbeeld|kladversie))\b"
)
_WRONG = (
    r"(?:wrong|incorrect|mistaken|erroneous|inaccurate|an?\s+(?:mistake|error)|nonsense|garbage"
    r"|not\s+(?:right|correct|accurate))\b(?!\s+(?:only\s+)?(?:if|when|unless)\b)"
)

TAKES_BACK = Delayed(
    rf"\W*{_SOFT}{{0,3}}{_SEEN}(?:"
    r"(?:ignore|disregard|discard|forget(?:\s+about)?|scrap|scratch|strike|never\s?mind|retract"
    rf"|(?:do\s+not|don['’]?t)\s+use)\s+{_THIS}{_STOP}"
    rf"|(?:i|we)\s+(?:take|took|withdraw|retract)\s+{_THIS}(?:\s+back)?{_STOP}"
    rf"|(?:let\s+me|i\s+(?:must|need\s+to|have\s+to|should))\s+(?:correct|fix|redo)\s+(?:{_THIS}|myself){_STOP}"
    r"|on\s+second\s+thoughts?|on\s+reflection\s*,|(?:no,?\s+wait|wait,?\s+no|actually,?\s+no)(?:\W|$)"
    r"|(?<=actually\W)\s?(?:make\s+(?:it|that)|it(?:['’]s|\s+is)\s+[\"'`]?\d)"
    r"|i\s+(?:was|am|stand)\s+(?:wrong|corrected|mistaken)\b|i\s+got\s+(?:that|it|this)\s+wrong"
    r"|i\s+(?:made|have\s+made|see)\s+an?\s+(?:mistake|error)\b"
    r"|i\s+(?:misread|misspoke|miscounted|miscalculated)\b|my\s+(?:mistake|bad|error)\b"
    rf"|(?:{_THIS}\s+)?{_PROVISIONAL})",
)
"""A sentence that tells to ignore an answer, or confesses a mistake."""

IGNORE = Delayed(r"\W*(?:please\W+)?(?:ignore|disregard|discard|forget)\b")

LABEL = Delayed(
    r"\W*(?:correction|erratum|errata(?:\s+corrige)?|fe\s+de\s+erratas|korrektur"
    r"|berichtigung|corrección|correção|correzione|correctie|poprawka|sprostowanie|поправка"
    r"|исправление|düzeltme|rättelse|oprava|更正|勘误|訂正|정정)"
    r"[ *_]*(?:[:：—–]|\s-\s)[ *_]*(?!\s*(?:no\b|none|nothing|n/a|kein|aucun|ning|nenh|nessun|geen"
    r"|fixed|changed|replaced|added|removed|corrected|-|$))",
)
"""`Correction: b is 5`; one that tells what was corrected is none."""

SHOULD = Delayed(
    r"\b(?:should|ought\s+to)\s+(?:(?:actually|really|instead|rather)\s+(?:be|read)\s+\S|have\s+(?:been|read)\s+\S"
    r"|(?:be|read)\s+(?:[\"'“`][^\"'”`\n]{1,40}[\"'”`]|-?\d[\d.,]*|true\b|false\b|null\b)"
    r"(?:\s*[.!]?\s*$|\s*,?\s*(?:not|instead|rather)\b))",
)
"""What a part of the answer should be."""

CALLED_WRONG = Delayed(
    rf"\W*{_SOFT}{{0,3}}{_SEEN}(?:(?:but|because|since)\s+)?(?P<what>{_THIS}|the\s+(?:value|field|key)\s+[^\s.]{{1,40}}"
    rf"|the\s+(?:value|field|key)\s+(?:of|for)\s+[^\s.]{{1,40}}|[`\"'][\w.-]{{1,40}}[`\"'])"
    rf"(?:(?:['’]s|\s+(?:is|was|are|were|looks|seems))\s+(?:(?!not\b|nothing\b|never\b)\w+\s+){{0,2}}{_WRONG}"
    r"|\s+(?:is|was|are|were)n['’]?t\s+(?:\w+\s+)?(?:right|correct|accurate)\b)"
    rf"|\W*{_SOFT}{{0,3}}(?:wrong(?:\s+{_NOUN})?|incorrect|not\s+(?:right|correct))\s*(?:[.!,;:]|$)",
)
"""A statement that the answer is wrong."""

TAKES_BACK_ELSEWHERE = Delayed(
    r"\b(?:vergiss|vergessen\s+sie|ignorier\w*(?:\s+sie)?|streich\w*)\s+(?:das|dies|es|die\s+(?:obige\s+)?antwort)\b"
    r"|\bich\s+(?:habe|hab)\s+mich\s+(?:geirrt|vertan|verzählt)|\bnehme\s+(?:das|es)\s+zurück|\bdoch\s+nicht\s*[.!:]"
    r"|\b(?:oublie[zr]?|ignore[zr]?)\s+(?:ça|cela|ceci|ce\s+qui\s+précède|la\s+réponse)|\bne\s+tenez\s+pas\s+compte"
    r"|\bje\s+me\s+suis\s+trompé|\bmon\s+erreur|\bautant\s+pour\s+moi"
    r"|\b(?:olvid[ae]|ignor[ae]|descart[ae])\s+(?:eso|esto|lo\s+anterior)|\bme\s+(?:equivoqué|he\s+equivocado)"
    r"|\b(?:esque[cç]a|ignore|descarte)\s+(?:isso|isto|o\s+acima)|\bme\s+enganei|\benganei-me"
    r"|\b(?:dimentica(?:te)?|ignora(?:te)?)\s+(?:questo|quello|quanto\s+sopra)|\bdimenticalo\b|\bmi\s+sono\s+sbagliat"
    r"|\b(?:vergeet|negeer)\s+(?:dat|dit|het)\b|\bik\s+(?:heb\s+me|vergiste\s+me)\b"
    r"|\b(?:zignoruj|zapomnij\s+o)\s+(?:to|tym|powyższ)|\bpomylił[ae]m"
    r"|\b(?:забудь(?:те)?|игнорируй(?:те)?)\s+(?:это|об\s+этом|выше)|\bя\s+ошиб(?:ся|лась)"
    r"|\bbunu\s+(?:unut|yok\s+say|dikkate\s+alma)|\byanıldım|\b(?:glöm|bortse\s+från)\s+(?:det|detta)"
    r"|(?:忽略|无视|忘掉|作废)(?:以上|上面|上述|这个|它)|(?:以上|上面|上述)(?:的)?(?:答案|内容|结果)?作废|我(?:搞|弄|说|算)错了"
    r"|(?:上記|これ|それ|上の\w{0,4}|今の)(?:は|を)(?:無視|忘れ|取り消)|間違えまし|撤回し"
    r"|(?:위|이것|그것|방금)[^.\n]{0,8}(?:무시|잊어|취소)",
)
"""The same as `TAKES_BACK` in other languages, anywhere in a sentence."""

CALLED_WRONG_ELSEWHERE = Delayed(
    rf"\W*{_SOFT}{{0,3}}(?:"
    r"(?:das|dies|es)\s+(?:(?:stimmt|passt)\s+(?:so\s+|leider\s+|doch\s+)*nicht|(?:ist|war)\s+(?:leider\s+|doch\s+|so\s+)*"
    r"(?:falsch|nicht\s+(?:richtig|korrekt)|ein\s+fehler|mein\s+(?:fehler|entwurf)))|falsch\s*[.!]"
    r"|(?:c['’](?:est|était)|cela\s+est|ceci\s+est)\s+(?:faux|incorrect|une\s+erreur|mon\s+brouillon)"
    r"|ce\s+n['’]est\s+pas\s+(?:juste|correct|exact)"
    r"|(?:eso|esto)\s+(?:(?:es|era|está|estaba)\s+(?:mal|incorrecto|equivocado|un\s+error)|no\s+(?:es|está)\s+(?:correcto|bien))"
    r"|(?:isso|isto)\s+(?:(?:é|está|era|estava)\s+(?:errado|incorreto|um\s+erro)|não\s+(?:é|está)\s+(?:correto|certo))"
    r"|(?:(?:questo|quello)\s+)?(?:è|era)\s+(?:sbagliato|un\s+errore)|(?:questo\s+)?non\s+è\s+(?:corretto|giusto)"
    r"|(?:dat|dit|het)\s+(?:klopt\s+niet|(?:is|was)\s+(?:fout|verkeerd|onjuist|niet\s+(?:juist|correct|goed)))"
    r"|to\s+(?:jest\s+|było\s+)?(?:źle|błąd|błędn[ea])\b|to\s+nie\s+jest\s+(?:poprawne|prawidłowe)"
    r"|это\s+(?:было\s+)?(?:неверно|неправильно|ошибка|не\s+(?:так|верно|правильно))\b"
    r"|bu\s+yanlış|bu\s+doğru\s+değil|(?:det|detta)\s+(?:(?:är|var)\s+fel\b|stämmer\s+inte)"
    r"|(?:不对|错了|[^。\n]{0,4}(?:这个?|上面|以上)(?:的)?(?:答案|结果|内容)?是?(?:错|不对|不正确|有误))"
    r"|(?:いや、\s*)?(?:違います|違う|間違いです|(?:上記|これ|それ|今の)は(?:間違|誤り))"
    r"|(?:아니,?\s*)?(?:위|이것은?|그것은?|방금)?[^.\n]{0,6}(?:틀렸(?!다면)|잘못\s?(?:됐|되었)(?!다면)))",
)
"""The same as `CALLED_WRONG` in other languages."""

LIKELY = Delayed(
    r"\W*(?:wait|oops|hmm+|sorry|apologies|my\s+(?:mistake|bad)|correction|scratch\s+that|actually|no,|hold\s+on"
    r"|on\s+(?:second\s+thoughts?|reflection)|i\s+(?:made|have\s+made)\s+an?\s+(?:mistake|error)|moment|stopp?|nein,"
    r"|entschuldigung|korrektur|pardon|attendez|non,|perd[oó]n|espera|desculpe|scusa|aspetta|wacht|chwila)\b"
    r"[^{}\[\]]{0,200}?(?:\b(?:mistake|wrong|incorrect|error|scratch|should\s+(?:be|have|read)|not\s+right|instead"
    r"|falsch|fehler|faux|erreur|equivoc\w*|error|errado|erro|sbagli\w*|errore|fout|błąd|błędn\w*)\b)",
)
"""A word that makes a retraction likely, and one of a mistake behind it."""

CONDITION = Delayed(
    r"\b(?:if|whether|in\s+case|unless|should\s+(?:you|it|that|this|any\w*)|let\s+me\s+know|may|might|could|wenn|falls"
    r"|ob|sofern|si|s['’]il|se|caso|als|indien|jeśli|gdyby|если|eğer|om|pokud|jestli|якщо|feel\s+free|you\s+can)\b"
    r"|如果|若|もし|만약",
)
"""What makes a sentence say only what would be if."""

MENDED = Delayed(
    r"\b(?:(?:has|have)\s+(?:now\s+)?been|(?:is|are)\s+now|now|i['’]ve|i\s+have)\s+(?:fixed|corrected|updated|right)"
    r"|\bthis\s+(?:one|version)\s+is|\bin\s+(?:the|your)\s+(?:text|input|source|original|document|question)\b",
)
"""What says that a mistake is no longer there, or was another's."""

HINTS = Hints(
    *("ignor", "disregard", "discard", "forget", "scrap", "scratch", "strike", "mind", "retract"),
    *("not use", "t use", " back", "withdraw", "correct", "fix", "redo", "second thought"),
    *(
        "reflection,",
        "wait",
        "actually",
        "wrong",
        "mistake",
        "misread",
        "misspoke",
        "misc",
        "my bad",
    ),
    *("was my", "was a", "was the", "was just", "was only", "were a", "were my", "were the"),
    *("were just", "were only", "is just", "is only", "is merely", "are just", "are only"),
    *("are merely", "would be", "would just", "would only", "errone", "errat", "erro", "err"),
    *("inaccurate", "nonsense", "garbage", "not right", "t right", "should", "ought", "instead"),
    *("korrektur", "berichtig", "correz", "poprawka", "sprost", "oprava", "vergiss", "vergessen"),
    *("streich", "geirrt", "vertan", "verz", "nehme", "doch nicht", "falsch", "stimmt", "passt"),
    *("fehler", "entwurf", "beispiel", "versuch", "nicht richtig", "nicht korrekt", "oubli"),
    *("tenez", "tromp", "autant pour", "faux", "est pas", "olvid", "descart", "equivo", "est mal"),
    *("brouillon", "exemple", "essai", "borrador", "ejemplo", "rascunho", "exemplo", "bozza"),
    *("esempio", "ontwerp", "voorbeeld", "kladversie", "no est", "es mal", "era mal", "esquec"),
    *("enganei", "dimentic", "sbagli", "giusto", "certo", "vergeet", "negeer", "vergis", "klopt"),
    *("fout", "verkeerd", "onjuist", "is niet", "was niet", "zignoruj", "zapomnij", "pomyli"),
    *("poprawne", "bunu", "bortse"),
)
"""What stands in each sentence that takes an answer back, if it is in Latin letters of ASCII."""

HINTS_BEYOND = Hints(
    *("t use", "está", "correção", "esqueça", "źle", "błąd", "błędn", "prawidłowe", "trompé"),
    *("yanıldım", "yanlış", "doğru", "düzeltme", "glöm", "är fel", "stämmer", "rättelse"),
    *("забудь", "игнорир", "ошиб", "неверно", "неправильно", "не так", "не верно", "не правильно"),
    *("поправка", "исправление", "忽略", "无视", "忘掉", "作废", "错", "不对", "不正确", "有误"),
    *(
        "更正",
        "勘误",
        "訂正",
        "無視",
        "忘れ",
        "取り消",
        "間違",
        "撤回",
        "違",
        "誤り",
        "무시",
        "잊어",
    ),
    *("취소", "틀렸", "잘못", "정정", "var fel", "corrección"),
)
"""The same in other letters."""
