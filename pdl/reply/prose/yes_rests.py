"""What may follow a yes or a no, and makes it none: a condition, a kindness, a contradiction.

Each is a list of words of many languages; another language needs its words and nothing else.
"""

from __future__ import annotations

import re

ECHO = re.compile(
    r"[\s*_`#>]*(?:(?:answer|please\s+answer|reply)\s+)?yes\s*(?:or|/)\s*no[*_`\s]*[:：][*_`\s]*(?=\S)",
    re.IGNORECASE,
)
"""The question for a yes or a no, repeated in front of it."""

TURN = re.compile(r"[\s,.!—–-]+(?:doch|sí|sì|si|oui|да|так|evet|yes)\b", re.IGNORECASE)
"""A yes right behind a no."""

ENGLISH = frozenset(
    ["yes", "yeah", "yep", "yup", "yea", "aye", "affirmative", "nope", "nah", "nay"]
)
"""Words of English alone: their sentences are judged by the rules for English."""

CONDITION = re.compile(
    r"\b(?:(?:as|so)\s+long\s+as|subject\s+to|on\s+(?:the\s+)?condition|under\s+(?:certain|some|specific|these|normal|the\s+right)"
    r"\s+\w+|(?:for|in|on|with|at|to)\s+(?:some|certain|specific|limited|most|many|a\s+few|particular)\b|conditional\w*|except\b|excluding\b|apart\s+from|used\s+to|in\s+the\s+past|no\s+longer"
    r"|until\b|provided\b|only\s+(?:on|in|at|for|when|if|with|during|after|before|by|through|as|from|under|to|some|once)\b"
    r"|(?:on|at)\s+(?:weekends?|weekdays?|holidays|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|at\s+times|for\s+now"
    r"|with\s+(?:\w+\s+)?(?:restrictions?|limitations?|conditions?|exceptions?|caveats?|reservations?)"
    # German, Dutch, Swedish
    r"|unter|solange|sofern|vorausgesetzt|außer|ausgenommen|bedingt|eingeschränkt|mit\s+(?:\w+\s+)?(?:einschränkung\w*|vorbehalt\w*"
    r"|ausnahme\w*)|grundsätzlich|prinzipiell|im\s+prinzip|in\s+(?:den\s+meisten|manchen|einigen|gewissen)|eher|vorerst|meistens|bis"
    r"|mits|zolang|tenzij|behalve|onder\s+(?:bepaalde|voorwaarde\w*)|in\s+princip\w*|voorlopig|meestal|så\s+länge|förutsatt|förutom"
    r"|under\s+(?:vissa|förutsättning)|med\s+(?:förbehåll|undantag)|oftast|så\s+lenge|forutsatt|forudsat"
    # French, Spanish, Portuguese, Italian, Romanian
    r"|sous|tant\s+qu\w*|à\s+(?:condition|moins)|pourvu|hormis|excepté|en\s+principe|dans\s+(?:la\s+plupart|certains|certaines)"
    r"|pour\s+(?:certains|certaines|l['’]instant|le\s+moment)|généralement|siempre\s+(?:que|y\s+cuando)|bajo|a\s+condición|en\s+principio"
    r"|con\s+(?:\w+\s+)?(?:matices|reservas?|condiciones|limitaciones|excepciones|restricciones)|por\s+(?:ahora|el\s+momento|enquanto)"
    r"|excepto|exceto|mientras|hasta|en\s+(?:la\s+mayoría|algunos|ciertos)|solo\s+(?:si|en|cuando|para|con)|desde\s+que|contanto"
    r"|em\s+(?:princípio|alguns|certos)|na\s+maioria|sob|com\s+(?:ressalvas|restrições|exceções)|a\s+(?:condizione|patto|meno)"
    r"|purché|finché|tranne|eccetto|in\s+(?:linea\s+di\s+massima|linea\s+teorica|teoria|alcuni|certi)|con\s+(?:riserva|riserve|eccezioni)"
    r"|per\s+ora|în\s+principiu|cu\s+condiția"
    # Polish, Czech, Russian, Ukrainian, Turkish
    r"|pod\s+warunkiem|o\s+ile|dopóki|z\s+(?:wyjątkiem|zastrzeżeni\w+)|co\s+do\s+zasady|w\s+(?:zasadzie|większości)|za\s+podmínky|dokud"
    r"|kromě|v\s+zásadě|s\s+výhrad\w+|при\s+условии|в\s+(?:принципе|большинстве|некоторых)|пока|кроме|за\s+исключением|с\s+оговорк\w+"
    r"|за\s+умови|в\s+принципі|крім|доки|з\s+застереж\w+|koşul\w*|şart\w*|sürece|hariç|genel(?:de|likle)|çoğunlukla|kısmen)\b"
    r"|条件|條件|原则上|原則|只要|只有|只在|除了|除非|前提|通常|一般|大部分|基本的に|場合|限り|に限|一応|たいてい|조건|경우|한해|원칙|대체로|대부분|일부"
    r"|بشرط|مشروط|طالما|باستثناء|بشروط|बशर्ते|शर्त|जब\s+तक|आमतौर|केवल",
    re.IGNORECASE,
)
"""What ties a yes to something, in its sentence."""

BUT = re.compile(
    r"[\s.,;:!、。，！：–—-]*(?:(?:but|although|though|however|except|aber|allerdings|jedoch|mais|cependant|pero|sin\s+embargo|mas|porém"
    r"|ma|però|tuttavia|maar|ale|jednak|lecz|но|однако|ама|але|однак|ama|fakat|ancak|men|de|mutta|αλλά|אבל|ولكن|لكن|لكنه"
    r"|लेकिन|मगर|पर|nhưng|tapi|tetapi|namun|avšak|dar|însă)\b|但|可是|不过|不過|しかし|でも|ただ|だが|けど|하지만|그러나|다만|그런데|แต่)",
    re.IGNORECASE,
)
"""What limits or turns round a yes that it follows at once."""

DENIED = re.compile(
    r"[\s.,;:–—-]+(?:it|that|this|they|he|she)(?:\s+(?:is|are|was|were)\s+not|\s+(?:is|are|was|were)n['’]t|['’](?:s|re)\s+not)\b"
    r"(?!\s+(?:only|just|bad|unreasonable|unlikely))|[\s.,;:]+(?:always|definitely|certainly)\s+no\b",
    re.IGNORECASE,
)
"""What denies right behind a yes what it asserts."""

KINDNESS = re.compile(
    r"[\s.,;:!、。，！：–—-]*(?:i\s+(?:have|just|did)\s+(?:now\s+|just\s+|already\s+)?(?:read|received|seen|got|reviewed|processed|looked"
    r"|noted)|i['’]ve\s+(?:now\s+|just\s+|already\s+)?(?:read|received|seen|got|reviewed|processed|looked|noted)|understood|got\s+it|ready"
    r"|noted|go\s+ahead|let['’]?s\b|let\s+us|i\s+(?:see|hear)\b|(?:that['’]?s|that\s+is|this\s+is|what)?\s*(?:an?\s+)?"
    r"(?:great|good|excellent|interesting|fair|fine)\s+(?:question|point|idea)|i['’]m\s+(?:afraid|listening)|right\s*[.!,]"
    r"|verstanden|ich\s+verstehe|gern\w*|bitte|kein\s+problem|je\s+comprends|compris|avec\s+plaisir|pas\s+de\s+(?:problème|souci)|entiendo"
    r"|entendido|con\s+gusto|entendi|entendo|com\s+prazer|capisco|capito|ho\s+capito|volentieri|begrepen|ik\s+begrijp|graag|rozumiem"
    r"|chętnie|понимаю|понятно|понял\w*|хорошо|давайте|подивимося|розумію|зрозуміло|anlıyorum|anladım|tamam|jag\s+förstår|rozumím"
    r"|好的|明白|没问题|沒問題|我(?:明白|知道|会|會|可以)|承知|了解|分かりました|わかりました|かしこまりました|どうぞ|お手伝い|どういたし"
    r"|알겠|이해|도와|무엇|أفهم|فهمت|حسنا|समझ)",
    re.IGNORECASE,
)
"""What makes a yes mean no more than `I hear you`."""

REQUEST = re.compile(
    r"\bplease\s+(?!(?:let|note|see|feel|refer|check|contact|be)\b)\w+|\b(?:send|share|paste|upload)\s+(?:me|it|the|your)\b"
    r"|\b(?:what|which|how|where)\s+(?:would|do|should|can|may|is|are|text|document|else)\b[^.?\n]*\?|\bready\s+when\b"
    r"|\bbitte\s+(?:\w+\s+)?(?:mir|schick|send|geb|gib|teil|nenn|lad|füg)|\bschick\w*\s+(?:sie\s+)?mir|\benvoyez|\benvoie|\bveuillez"
    r"|\benvíe|\benvía|\bmánd\w+e\b|\bpor\s+favor|\benvie\b|\bmande\b|\binvia(?:mi|te)?\b|\bper\s+favore|\bstuur\b|\balstublieft"
    r"|\bproszę\s+(?:o\b|\w+ć\b)|\bprzyślij|\bпришлите|\bотправьте|\bпожалуйста|\bнадішліть|\bбудь\s+ласка|\blütfen\b|\bskicka\b"
    r"|\bvänligen|\bprosím\b|\bpošlete|请|請(?!求)|ください|下さい|주세요|부탁|أرسل|يرجى|من\s+فضلك|कृपया|भेज"
    r"|[¿？?؟]\s*$",
    re.IGNORECASE,
)
"""What asks the reader for something."""

OFFER = re.compile(
    r"\b(?:would\s+you\s+like|do\s+you\s+(?:want|need|have)|shall\s+i|should\s+i|is\s+there\s+any|any\s+other|does\s+(?:that|this)"
    r"|anything\s+else|can\s+i\s+help|want\s+me)\b[^.?\n]*\?\s*$",
    re.IGNORECASE,
)
"""A question at the end that only offers more."""

UNKNOWN = re.compile(
    r"\b(?:(?:not|no|n['’]t)\s+(?:\w+\s+){0,2}(?:enough|sufficient)|insufficient)\s+(?:\w+\s+)?(?:information|info|details?|data|context)"
    r"|\bno\s+(?:\w+\s+)?information\b|\b(?:does\s+not|doesn['’]t|do\s+not|don['’]t|did\s+not)\s+(?:say|specify|state|tell|clarify|indicate|know)"
    r"(?:\s+so)?\s*(?:$|[.,!;\n]|\b(?:whether|if|either)\b)|\bcannot\s+be\s+(?:determined|known|told)"
    r"|\b(?:document|file|text|image|attachment|nothing)\b[^.\n]{0,24}\b(?:attached|uploaded)\b"
    r"|\bkeine\s+(?:\w+\s+)?(?:angaben?|informationen|daten|auskunft)|\b(?:pas|aucune)\s+(?:d['’])?\s*informations?"
    r"|\b(?:no\s+hay|sin)\s+(?:\w+\s+)?(?:información|datos|suficiente)|\b(?:não\s+há|sem)\s+(?:\w+\s+)?(?:informaç\w+|dados)"
    r"|\b(?:non\s+ci\s+sono|nessuna)\s+(?:\w+\s+)?informazion\w+|\bgeen\s+(?:\w+\s+)?(?:informatie|gegevens)|\bbrak\s+(?:\w+\s+)?(?:informacji|danych)"
    r"|\bnie\s+(?:wiadomo|podano|da\s+się|można)|\bнет\s+(?:\w+\s+)?(?:информации|данных|сведений)|немає\s+(?:інформації|даних)"
    r"|\bbilgi\s+(?:yok|bulunm|veril)|\bingen\s+(?:information|uppgift)|\bžádn\w+\s+informac|没有(?:足够|相关|任何)?的?(?:信息|资料|说明)|信息不足|未提及"
    r"|情報が(?:あり|な|不足)|記載(?:が|は)(?:あり|な)|정보가\s*(?:없|부족)|لا\s+(?:توجد|تتوفر)\s+معلومات|जानकारी\s+नहीं",
    re.IGNORECASE,
)
"""What says that nothing is known: a no in front of it is none."""

NEGATION = re.compile(
    r"\b(?:nicht|kein\w*|nie|niemals|pas|jamais|aucun\w*|no|nunca|jamás|não|non|mai|nessun\w*|niet|geen|nooit|nie|не|нет|ні"
    r"|нельзя|değil|yok|inte|ikke|ej|aldrig|není|nejsou|nem|ei|eivät|δεν|όχι|לא|אין|tidak|bukan|không)\b"
    r"|不|没|沒|非(?!常)|ない|なく|ません|않|아니|아닙|못|없|غير|ليس|لا\s|नहीं|ไม่",
    re.IGNORECASE,
)
"""Denials in other languages than English."""

TRUTH = re.compile(
    r"\b(?:wahr|richtig|korrekt|stimmt|vrai|exact|correcte?|cierto|verdad|correcto|verdadeiro|verdade|correto|vero|corretto|giusto"
    r"|esatto|waar|klopt|juist|prawda|правда|верно|правильно|так|doğru|stämmer|sant|rätt|riktig|pravda|správně|igaz|totta|αλήθεια"
    r"|σωστό|נכון|benar|đúng)\b|そうです|正しい|その通り|是的|正确(?!吗)|맞|صحيح|सही",
    re.IGNORECASE,
)
FALSITY = re.compile(
    r"\b(?:falsch|unwahr|inkorrekt|faux|fausse|incorrecte?|inexacte?|falso|incorrecto|errado|incorreto|sbagliato|scorretto|errato|fout"
    r"|onjuist|onwaar|błęd\w+|nieprawd\w+|fałsz\w*|неверн\w+|неправ\w+|ложь|ошибочн\w+|неправда|yanlış|fel|falskt|nepravd\w*|špatně"
    r"|hamis|väärin|λάθος|שגוי|salah|sai)\b|错|錯|不正确|間違|違い|誤り|틀[렸린]|خطأ|गलत",
    re.IGNORECASE,
)
"""What says that something is so, or is not, in other languages than English."""

GIVEN = re.compile(
    r"[*_`\"']*[ \t]*(?:[:;=,.]|[–—-](?=[ \t])|[(\[])[ \t*_`\"']*"
    r"(?:(?P<against>false|untrue|incorrect|wrong|unlikely|never|not|no|n)"
    r"|(?P<beside>true|correct|right|likely|yes|y)|(?P<share>\d{1,3}(?:\.\d+)?)\s*%"
    r"|(?:confidence|probability)[: ]+(?P<rated>\d{1,3})\s*%"
    r"|low\b|0?\.[0-4]\d*(?!\d))(?![\w'’-])[\s.!)\]*_]*(?P<end>$|[.,;)\n]|confidence|certain|sure|probab)?",
    re.IGNORECASE,
)
"""A measure, or the opposite, right behind: `Yes: 10%`, `Yes (unlikely)`, `No: true`."""

FRONT = re.compile(
    r"\b(?:mostly|mainly|largely|predominantly|generally|usually|typically|normally|often|sometimes|technically|legally|formally|strictly"
    r"|officially|theoretically|in\s+(?:most|many|some|certain|theory|principle|practice)\b|almost|nearly|rather|eher|wohl|meistens"
    r"|plutôt|souvent|généralement|más\s+bien|generalmente|a\s+menudo|mais\s+para|piuttosto|spesso|meestal|eerder|raczej|zwykle"
    r"|скорее|обычно|genellikle|vanligtvis|spíše|скоріше)\b[^.!?\n]*$",
    re.IGNORECASE,
)
"""A hedge in front, in the sentence of the word."""

NOT = frozenset(
    ["nie", "ne", "nem", "ei", "non", "no", "não", "nee", "לא", "لا", "नहीं", "không", "tidak", "ไม่"]
)
"""Words that mean no, and not as well."""
