"""Masks against those of llguidance, token by token, which reads grammars by another method.

Over vocabularies that have each byte as a token, both say exactly what may come next, so their
masks are equal: texts, tokens cut off amid a character, those that are there twice, special ones,
those without bytes, those that end a text. In one thing llguidance is not exact: where a mask takes
it more than so many steps it gives up, and has none. So it is given more steps here.

Two differences cannot come up here. Without a token for each byte, llguidance begins what it cannot
end, as `Masker` never does; and grammars that name tokens are not given to it.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import schemata
from large_vocabulary import large
from shares import share

import pdl
from pdl import gbnf
from pdl.errors import PdlError
from pdl.masks import Masker, Vocabulary
from pdl.masks.backends import LlguidanceMasker

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from pdl.gbnf import Grammar
    from pdl.masks.protocol import TokenState

llguidance: Any = pytest.importorskip("llguidance")

WRITTEN = {
    "counted letters": r'root ::= "\"" [^"\\\x00-\x1F]{2,6} "\""',
    "counted escapes": r"""
root ::= "\"" char{0,3} "\"" ("," "\"" char{3} "\"")?
char ::= [^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})
""",
    "counts in counts": r'root ::= ("<" ([a-c] "b"?){1,3} ">"){0,4} "!"',
    "counts side by side": r'root ::= [a-z]{0,3} [a-m]{2,4} [0-9]{0,2} ("." [0-9]{2})?',
    "many rounds": r'root ::= " "{0,40} "\n"? [ \t]{0,20} "x"{3,}',
    "numbers": r"""
root ::= "[" number ("," " "? number)* "]"
number ::= "-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]+)? ([eE] [-+]? [0-9]{1,3})?
""",
    "numbers of at least so many digits": r'root ::= [1-4] [0-9] [0-9]* ("]" | "," root)',
    "numbers in bounds": r'root ::= "{\"n\": " ("-"? [1-9] | [1-9] [0-9] | "1" [01] [0-9]) "}"',
    "enums": r"""
root ::= "{\"kind\":" " "{0,2} kind (", " kind)* "}"
kind ::= "\"a\"" | "\"ab\"" | "\"abc\"" | "\"b\\n\"" | "null" | "true" | "12" | "120"
""",
    "arrays": r"""
root ::= array
array ::= "[" ws (item ("," ws item){0,3})? "]" ws
item ::= [0-9]{1,4} | "\"" [a-z]* "\"" | array
ws ::= [ \n]{0,4}
""",
    "objects in objects": r"""
root ::= "{" "\"a\":" ws inner ("," ws "\"b\":" ws (inner | "null"))? "}"
inner ::= "{" ws ("\"x\":" ws [0-9]+ ("," ws "\"y\":" ws text)? | "\"xy\":" ws text) ws "}"
text ::= "\"" [^"\\]* "\""
ws ::= " "? | "\n" " "{0,6}
""",
    "json": r"""
root ::= value
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)* ws)? "}"
array ::= "[" ws (value ("," ws value)* ws)? "]"
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)?
ws ::= " "{0,20} | "\n" [ \t]{0,20}
""",
    "alternatives with one beginning": r"""
root ::= ("a" "b" | "ab" "c" | "abc"+ | [a-c] "c"? "x") ("," root)?
""",
    "two ways to read": r'root ::= ([a-z] | "ab" | [a-m] [n-z])* ("1" | [0-9] "2")',
    "words between marks": r"""
root ::= (word | "<b>" root "</b>" | [.,;!?] " ")*
word ::= [^<.,;!?]+
""",
    "text up to a mark": r'root ::= ([^<] | "<" [^/])* "</"',
    "characters of two bytes": r'root ::= [ä-ü]{1,3} "é" | [à-å]+ "!" | [α-ω] root',
    "characters of all lengths": r'root ::= ([^\x00-\x7F] | "a"){1,4} | "日" [本-水]? "😀"*',
    "characters at the edges": r'root ::= ([\x7F-\x80] | [\u07FF-\u0801] | [\uD7FF-\uE000])+ "."',
    "characters beyond": r'root ::= [\uFFFE-\U00010001]{2} [\U0010FFFE-\U0010FFFF]? | [^a] "b"',
    "any character": r'root ::= .{3} "\n" | . "\n" .*',
    "brackets": r"""
root ::= ("(" root ")" | "[" root "]" | "{" root* "}")?
""",
    "recursion amid a rule": r'root ::= "a" root "b" | "ab" | "a" [0-9]',
    "rules that match nothing": r"""
root ::= "a" never | "b" never? "c" | ("a" | "[" never) "d" | "b" endless
never ::= []
endless ::= "x" endless
""",
    "nothing but the end": r'root ::= ""',
    "ends at many places": r'root ::= ("a" ("b" "c"?)?)? [0-9]*',
}
REPEATED = {
    "endless": r'root ::= ("\"," | [ab] [a-d] [a-d]*) ("]" | "-" root)',
    "at least two": r'root ::= ("key" | "a" [a-d]{2,}) "]" "-"*',
    "at most four": r'root ::= ("key" | "a" [a-d]{1,4}) "]" root?',
    "all but some": r'root ::= ("key" | "a" [^-\]] [^-\]]* "-"?) ("]" | "-]") root?',
    "by recursion": r"""
root ::= "key" | [a-d] word "]" root?
word ::= [a-d] word? | "-" word
""",
    "of a rule": r"""
root ::= ("key" | "a" char* "]") root?
char ::= [a-d] | "-" [a-d]
""",
    "of a rule, counted": r"""
root ::= ("key" | "a" char{1,5} "]" | "b" char{2} char* "]") root?
char ::= [a-d] | "-" [a-d]
""",
}
BYTES = 256  # the first tokens of all vocabularies
STEPS = 30
MANY = 8_000  # states
LETTERS = [*'abxyzcéA0129-+:,.{}[]<&"\\ \nue', "😀", "日本"]
PIECES = [
    *("a", "b", "ab", "abc", "c", "x", "é", "ä", "日", "本", "😀", "α"),
    *("0", "1", "9", "10", "12", "99", "120", "-", ".", "e", "E+"),
    *('"', '":', '",', ",", ", ", "[", "]", "{", "}", "<", "</", "<b>"),
    *("\\", "\\n", "u00e9", "null", "true", "b ", "!", " ", "\n"),
]


@lru_cache(maxsize=8)
def small(number: int) -> Vocabulary:
    """Each byte, and pieces of JSON and of words, some cut off amid a character, some there twice.

    Every other one is made of single characters, and the numbers of their tokens differ.
    """
    rng = Random(number)  # noqa: S311 - tests draw
    pieces = PIECES if number % 2 else LETTERS
    found = [bytes([byte]) for byte in range(BYTES)]
    for size in (2, 2, 3, 4, 8, 16):
        found += [rng.choice(pieces).encode() * size for _ in range(6)]
    for _ in range(rng.choice((100, 300, 500))):
        data = "".join(rng.choice(pieces) for _ in range(rng.choice((1, 2, 2, 3, 4, 6)))).encode()
        data = data[rng.random() < 0.1 : len(data) - (rng.random() < 0.1)]
        found.append(data or b"q")
    found += [b"", b"<|tool|>", b"<eos>", b"<|end|>"]
    return Vocabulary(found, special=[len(found) - 3], eos=[len(found) - 2, len(found) - 1])


def vocabulary(name: str, number: int) -> Vocabulary:
    """One of eight small vocabularies, or the large one."""
    return small(number % 8) if name == "small" else large()


def few(rng: Random) -> Vocabulary:
    """Each byte and few tokens more, so that some of them may have no others that are like them."""
    sizes = (2, 3, 3, 4, 4, 5, 6, 8, 8, 12, 16)
    found = [bytes([byte]) for byte in range(BYTES)]
    found += ["".join(rng.choice("aaab-]") for _ in range(size)).encode() for size in sizes]
    found += [b"a" + b"-" * 12, b"<eos>"]
    return Vocabulary(found, eos=len(found) - 1)


class PatientMatcher:
    """llguidance's matcher, which takes more steps before it gives up."""

    grammar_from_lark = llguidance.LLMatcher.grammar_from_lark
    _made = llguidance.LLMatcher

    def __new__(cls, *arguments: Any, **named: Any) -> Any:
        limits = llguidance.LLParserLimits(
            step_max_items=10**8, max_items_in_row=10**6, step_lexer_fuel=10**9
        )
        return cls._made(*arguments, limits=limits, **named)


@pytest.fixture(autouse=True, scope="module")
def _patient() -> Iterator[None]:
    """Let llguidance be patient."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llguidance, "LLMatcher", PatientMatcher)
        yield


@pytest.mark.parametrize("name", ["small", "large"])
@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_grammars_written_by_hand(text: str, name: str) -> None:
    grammar = gbnf.parse(text)
    rng = Random(f"{name} {text}")  # noqa: S311 - tests draw
    assert sum(walked(grammar, vocabulary(name, number), rng) for number in range(3)) >= 3


@pytest.mark.parametrize("text", REPEATED.values(), ids=REPEATED)
def test_vocabularies_of_few_tokens(text: str) -> None:
    """A token may leave a repetition behind more rounds than any token has that stays in it."""
    grammar = gbnf.parse(text)
    rng = Random(text)  # noqa: S311 - tests draw
    assert sum(walked(grammar, few(rng), rng) for _ in range(share(40))) >= share(40)


@pytest.mark.parametrize(("name", "least"), [("small", share(1_500)), ("large", share(700))])
def test_random_schemas(name: str, least: int) -> None:
    states = 0
    for number in count():
        rng = Random(f"{name} {number}")  # noqa: S311 - tests draw
        grammar = compiled(rng)
        if grammar is not None:
            states += walked(grammar, vocabulary(name, number), rng)
        if states >= least:
            break


@pytest.mark.slow
def test_many_random_schemas() -> None:
    """None of the states is left out."""
    states = 0
    for number in count():
        rng = Random(f"many {number}")  # noqa: S311 - tests draw
        grammar = compiled(rng)
        if grammar is not None:
            states += walked(grammar, vocabulary("small" if number % 4 else "large", number), rng)
        if states >= MANY:
            break


def compiled(rng: Random) -> Grammar | None:
    """The grammar of a random schema; None if no value satisfies it."""
    try:
        return gbnf.compile(pdl.Schema.from_json_schema(schemata.document(rng))).grammar
    except PdlError:
        return None


def walked(grammar: Grammar, held: Vocabulary, rng: Random) -> int:
    """Compare masks along a text that is cut into tokens, or along tokens drawn from the masks.

    Returns the number of states at which they were compared.
    """
    walk = Walk(grammar, held)
    text = grammar.generate(rng, size=60).encode() if rng.random() < 0.6 else None
    for states in count(1):
        walk.compare()
        token = drawn(walk.here.allowed(), held, rng) if text is None else cut(text, held, rng)
        if token is None or states == STEPS:
            return states
        text = text and text[len(held.tokens[token]) :]
        walk.go(token)
    raise AssertionError


class Walk:
    """The same place in the same text, of two engines."""

    def __init__(self, grammar: Grammar, held: Vocabulary) -> None:
        self.grammar, self.held = grammar, held
        self.here: TokenState = Masker(grammar, held).start()
        self.there = LlguidanceMasker(grammar, held).start()
        self.said: list[bytes] = []

    def go(self, token: int) -> None:
        """Take a token."""
        self.said.append(self.held.tokens[token])
        self.here, self.there = self.here.accept(token), self.there.accept(token)

    def compare(self) -> None:
        """Both masks are equal, and so is whether the text may end."""
        is_equal = (self.here.bitmask() == self.there.bitmask()).all()
        if not is_equal or self.here.is_complete != self.there.is_complete:
            pytest.fail("\n".join(self.differences()))

    def differences(self) -> Iterator[str]:
        """What only one of the masks has, and what the grammar's matcher says of it."""
        yield f"behind {self.said} of\n{self.grammar}"
        plain = self.grammar.start().accept(b"".join(self.said))
        own, other = (set(state.allowed().tolist()) for state in (self.here, self.there))
        for token in sorted(own ^ other)[:10]:
            engine = "pdl" if token in own else "llguidance"
            data = self.held.tokens[token]
            text = None if token in self.held.special else data
            taken = "refuses" if plain.accept_token(token, text).is_dead else "takes"
            yield f"only {engine} allows token {token}, {data!r}, which the matcher {taken}"
        ends = [state.is_complete for state in (self.here, self.there, plain)]
        yield "the text may end, say pdl, llguidance, the matcher: {}, {}, {}".format(*ends)


def drawn(allowed: NDArray[np.int32], held: Vocabulary, rng: Random) -> int | None:
    """One of the tokens that may come and do not end the text; about every other one is a byte."""
    texts = [token for token in allowed.tolist() if token not in held.eos]
    bytes_ = [token for token in texts if token < BYTES]
    return rng.choice(rng.choice((texts, bytes_)) or texts) if texts else None


def cut(text: bytes, held: Vocabulary, rng: Random) -> int | None:
    """A token with which a text begins; None if nothing is left of it."""
    known = numbers(held)
    found = [known[text[:size]] for size in range(1, len(text) + 1) if text[:size] in known]
    return rng.choice(found) if found else None


@lru_cache(maxsize=2)
def numbers(held: Vocabulary) -> dict[bytes, int]:
    """The tokens that are text by their bytes, the last one of several."""
    return {data: token for token, data in enumerate(held.tokens) if token not in held.special}
