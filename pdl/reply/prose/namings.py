"""What models call an answer, in many languages: final, corrected, an example, a draft.

Each vocabulary is data; another language needs a line here and nothing else.
"""

from __future__ import annotations

import re

from pdl.reply.prose.vocabulary import Vocabulary

ANSWER = Vocabulary(
    "answer answers ans verdict solution conclusion antwort antworten lösung réponse reponse",
    "respuesta solución resposta solução risposta soluzione antwoord oplossing odpowiedź",
    "odpowiedzi ответ ответа решение cevap cevabı yanıt yanıtı svar svaret відповідь відповіді",
    "odpověď odpovědi válasz vastaus răspuns răspunsul απάντηση תשובה התשובה الإجابة الاجابة",
    "إجابة الجواب جواب उत्तर जवाब jawaban",
)
"""Nouns for the answer itself."""

RESULT = Vocabulary(
    "result results output outputs version versions json object objects array arrays list lists",
    "response responses decision decisions choice choices extraction extractions classification",
    "data record records code reply replies label labels number numbers answer- ergebnis-",
    "fassung ausgabe liste objekt versionen résultat- sortie objet resultado- versión salida",
    "lista objeto versão saída risultat- versione uscita oggetto resultaat versie uitvoer lijst",
    "wynik- wersja wersję результат- верси- вариант вывод список hali hâli şekli form forma",
    "sonuç sonucu sürüm sürümü versiyon çıktı resultat- resultatet utdata udgave versjon",
    "výsledek verze výstup версія варіант eredmény változat tulos versio rezultat- versiune-",
    "αποτέλεσμα έκδοση תוצאה גרסה النتيجة النسخة النتائج परिणाम संस्करण hasil versi",
)
"""Nouns for what an answer consists of."""

FINAL = Vocabulary(
    "final updated endgültig- final- finale- abschließend- schlussendlich- définitif définitive",
    "définitifs definitiv- definitief definitieve uiteindelijk uiteindelijke ostateczn- końcow-",
    "окончательн- итогов- финальн- nihai son kesin slutgiltig- slutlig- endelig- konečn-",
    "finální výsledn- остаточн- кінцев- фінальн- végleges lopullinen τελικ- סופי- הסופי-",
    "النهائي- نهائي- अंतिम akhir",
)
"""Adjectives of what counts in the end."""

CORRECT = Vocabulary(
    "correct corrected fixed amended revised korrigiert- berichtigt- überarbeitet- verbessert-",
    "richtig- corregid- correct- revisad- corrigé corrigée corrigés corrigées révisé révisée",
    "bonne corrigid- correto- correta- corrett- rivist- giusta gecorrigeerd- herzien- juist",
    "juiste poprawion- poprawn- skorygowan- исправленн- правильн- верный верная düzeltilmiş",
    "doğru korrigera- rättad- rättat rätt rettet korrekt- opraven- správn- виправлен- corectat-",
    "javított helyes korjattu oikea διορθωμέν- σωστή المصحح- مصحح- الصحيح- संशोधित सही benar",
)
"""Adjectives of what was put right, or is right."""

ALONE = Vocabulary(
    "final corrected fixed amended revised correct correction endgültig korrigiert berichtigt",
    "korrektur berichtigung definitivo corregido corrección corrigé corrigée corrigido correção",
    "corretto correzione gecorrigeerd correctie poprawione poprawka исправлено исправление итог",
    "düzeltildi düzeltilmiş düzeltme rättat rättelse korrigerat rettet opraveno oprava",
    "виправлено підсумок",
)
"""What says so without a noun: `Corrected:`."""

COMPOUND = Vocabulary(
    "endergebnis- endfassung endversion schlussfassung eindantwoord eindresultaat eindversie",
    "slutsvar- slutresultat- slutversion- sluttresultat- lopputulos végeredmény",
)
"""Nouns that say it in one word."""

PHRASE = re.compile(
    r"最終(?:的な)?(?:回答|答え|解答|結果|版|出力|バージョン|決定|案|コード|リスト|json)"
    r"|(?:修正|訂正|改訂)(?:版|後|済み|した|された)|訂正(?=[^\w]*$)"
    r"|最(?:终|後|后)(?:的)?(?:答案|答复|回答|结果|結果|版本|版|输出|决定|代码|列表|结论|json)"
    r"|修[正改订](?:后|版)|更正|改正(?:后|後|版)|正确(?:的)?答案"
    r"|최종\s*(?:답|결과|버전|출력|응답|코드|본|안|목록|json)|수정(?:된|본|판|한)|정정(?:된|본|판)?"
    r"|(?:câu trả lời|đáp án|kết quả) cuối cùng|คำตอบสุดท้าย|सही किया गया",
    re.IGNORECASE,
)
"""The same in scripts without blanks, and where it takes several words."""

EXAMPLE = Vocabulary(
    "example examples format schema template sample samples structure instance input shape",
    "original draft previous given beispiel- muster vorlage entwurf entwürfe ejemplo- plantilla",
    "borrador exemple- modèle brouillon exemplo- rascunho esempi- modello bozza voorbeeld-",
    "sjabloon przykład- szablon szkic- пример- шаблон- черновик- приклад- чернетка örnek-",
    "şablon taslak exempel- eksempel- utkast příklad- šablona koncept példa piszkozat",
    "esimerkki- exemplu- παράδειγμα דוגמה טיוטה مثال مسودة उदाहरण contoh",
)
"""Nouns of what is no answer, but shows what one would look like, or came before it."""

EXAMPLE_PHRASE = re.compile(
    r"例(?!外)|样[例本]|草稿|下書き|ひな形|テンプレート|模板|예시|예제|초안|템플릿|\be\.g|looks?\s+like"
    r"|ví dụ|ตัวอย่าง",
    re.IGNORECASE,
)
"""The same in scripts without blanks, and where it takes several words."""

FORMER = Vocabulary(
    "previous earlier former old older original initial wrong incorrect first outdated",
    "vorherig- frühere- alte- ursprünglich- falsch- précédent- ancien- fausse anterior- antigu-",
    "precedent- vecchi- sbagliat- vorige oude foute poprzedni- stary stara stare błędn-",
    "предыдущ- стар-",
    "предыдущ- стар- неверн- неправильн- önceki eski yanlış tidigare gammal gamla fel tidligere",
    "předchozí starý попередн- хибн-",
)
"""Adjectives of what no longer counts."""

FORMER_PHRASE = re.compile(
    r"\b(?:(?:at\s+)?first\s+(?:i|we|it|thought|thinking|tr(?:y|ied)|guess|idea|attempt|considered|version)"
    r"|at\s+first|initial\w*|original\w*|previous\w*|earlier|former\w*|used\s+to|instead\s+of|rather\s+than"
    r"|zuerst|zunächst|anfangs|früher\w*|vorher\w*|anstatt|statt|d['’]abord|au\s+début|auparavant|au\s+lieu"
    r"|primero|al\s+principio|antes|en\s+vez|primeiro|no\s+início|em\s+vez|dapprima|all['’]inizio|prima"
    r"|invece|eerst|aanvankelijk|najpierw|początkowo|zamiast|сначала|сперва|раньше|вместо|önce|först)\b"
    r"|最初|当初|之前|原来|처음|이전",
    re.IGNORECASE,
)
"""What says that an answer was one for a while."""

DENIAL = Vocabulary(
    "not no never before until instead without than if unless whether would could might isn't",
    "wasn't aren't don't doesn't didn't won't can't cannot isn’t wasn’t don’t doesn’t nicht",
    "kein- noch nie wenn falls pas jamais aucun- si nunca não nem non niente niet geen nooit",
    "żaden jeśli не нет если değil yok eğer inte aldrig ikke ingen ej není ne ні якщо ei jos",
    "μην δεν לא אם ليس ليست لا إذا नहीं अगर không tidak bukan",
)
"""Words that deny what stands behind them, or make it depend on something."""

DENIAL_PHRASE = re.compile(
    r"不是|并非|尚未|ではな|じゃな|まだ|아니|아닌|아닙|아직|不正确|如果|もし"
)
"""The same in scripts without blanks."""

COPULA = Vocabulary(
    "is are was were be equals ist war lautet sind est sont es son é são è sono zijn jest to są",
    "это является är var er je jsou є це on este sunt είναι הוא היא هو هي adalah là olur",
)
"""What links an answer to its name: `the answer is`."""

NAMED = re.compile(
    r"(?:答案|回答|答复|答え|解答|正解|答|정답|답변|답|คำตอบ|đáp án|câu trả lời)"
    r"[ *_]*(?:[:：]|应该是|應該是|就是|是|为|為|は|은|는|là|คือ)?[\s*_「『“\"'‘（(:：]*$",
    re.IGNORECASE,
)
"""What calls that which follows an answer, in scripts without blanks."""

WRONG = Vocabulary(
    "falsch- fehlerhaft- inkorrekt- faux fausse mauvaise erroné- incorrecte incorrecta",
    "incorrecto equivocad- erróne- errad- incorret- sbagliat- errat- scorrett- fout foute",
    "onjuist- verkeerd- błędn- źle nieprawidłow- неверн- неправильн- ошибочн- yanlış hatalı fel",
    "felaktig- špatn- nesprávn- хибн- خاطئ- خطأ गलत",
)
"""Adjectives of a wrong answer, in other languages than English."""

DENIAL_ELSEWHERE = Vocabulary(
    "nicht kein- pas non não niet geen nie не değil inte není ليس ليست नहीं",
)
"""What denies the data right behind it, in other languages than English."""

WRONG_PHRASE = re.compile(
    r"(?<![没沒]有)(?:错误|錯誤|不正确)|不是|不要|并非|間違|誤[っりた]|違[うい]|ではな|틀[렸린]|잘못|아닙|아니"
    r"|\bno\s+(?:es|son|respondas|devuelvas|debe|responda)\b"
)
"""The same in scripts without blanks, and where it takes several words."""

ABRIDGED = Vocabulary(
    "partial incomplete truncated abbreviated abridged shortened unvollständig- gekürzt-",
    "partiel- incomplèt- tronqué- parcial- incomplet- parzial- troncat- gedeeltelijk-",
    "onvolledig- częściow- niepełn- неполн- частичн- сокращ- kısmi eksik ofullständig- částečn-",
    "неповн-",
)
"""Adjectives of what is not all of an answer."""

ABRIDGED_PHRASE = re.compile(
    r"\bfirst\s+(?:\d+|two|three|few)\s+(?:\w+\s+)?(?:out\s+)?of\s+(?:the\s+|all\s+)?\d+"
    r"|部分(?:列表|结果|数据)|一部のリスト|(?:부분|일부)\s*목록",
    re.IGNORECASE,
)
"""The same in scripts without blanks, and where it takes several words."""
