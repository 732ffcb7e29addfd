"""What notebooks show: HTML that is safe, bounded, and says what there is."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pdl
from pdl.compare import compare_prompts, compare_schemas
from pdl.markup import escaped
from pdl.tools import ToolCall, ToolResult

TAGS = frozenset(
    "div style p b span pre ul li code details summary sup img"  # noqa: SIM905
    " svg g path rect text title".split()
)
OF_PICTURES = frozenset({"path", "rect", "img"})
ATTRIBUTES = frozenset(
    "class title tabindex alt src role aria-label width height viewbox d x y rx"  # noqa: SIM905
    " textlength lengthadjust".split()
)
HOSTILE = (
    "</pre></style><script>alert(1)</script><img src=x onerror=alert(1)>\"' onmouseover='x' $x$"
    " \x00\u202e\ud800&lt;"
)


class Reader(HTMLParser):
    """The text of HTML of which each tag and each attribute is known, and each tag is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[list[str], str]] = []
        self.images: list[dict[str, str | None]] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert {name for name, _ in attrs} <= ATTRIBUTES
        if tag == "img":
            self.images.append(dict(attrs))
            assert str(dict(attrs)["src"]).startswith("data:image/")
        elif tag not in OF_PICTURES:
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in OF_PICTURES:
            assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(([tag for tag, _ in self.open], data))

    def blocks(self) -> str:
        """The text of all blocks, without the numbers of marks."""
        return "".join(text for tags, text in self.texts if "pre" in tags and "sup" not in tags)

    @property
    def words(self) -> str:
        return "".join(text for tags, text in self.texts if "style" not in tags)


def html_of(shown: Any) -> str:
    html: str = shown._repr_html_()
    html.encode()
    return html


def read(shown: Any) -> Reader:
    return Reader(html_of(shown))


INVOICE = pdl.Schema.parse("{ name: str, total: float<0,>, tags: [str]<1,5> }")


def test_errors_are_marked_at_their_places() -> None:
    html = html_of(pdl.check(INVOICE, 'So: {"name": 5, "total": -1, "tags": ["a"]}. Done'))
    assert Reader(html).words.startswith("\n✗ wrong-schema: `$.name`", 1)
    marked = r'<span class="pdl-answer pdl-error" title="([^"]+)">([^<]+)</span><sup>(\d)</sup>'
    assert re.findall(marked, html) == [
        ("$.name: has the wrong type: expected a string, found an integer", "5", "1"),
        ("$.total: must be at least 0, not -1", "-1", "2"),
    ]
    assert '<sup>2</sup> <span class="pdl-error">error</span>' in html
    assert "Field `total` of your output must be at least 0" in html


def test_repairs_are_marked_and_the_value_is_shown() -> None:
    html = html_of(pdl.check(INVOICE, '{\'name\': \'a\', "total": 1, "tags": ["x",]}'))
    assert "✓ valid" in html
    assert "trailing-comma: removed ," in html
    assert '<span class="pdl-answer pdl-repair" title="trailing-comma: removed ,">,</span>' in html
    assert '"tags": [\n    "x"\n  ]' in Reader(html).blocks()


def test_a_repair_without_width_has_its_number() -> None:
    html = html_of(pdl.check(INVOICE, '{"name": "a", "total": 1, "tags": ["x"] "'.rstrip(' "')))
    assert "<sup>1</sup>" in html


def test_a_reply_that_is_the_value_is_shown_once() -> None:
    html = html_of(pdl.check(INVOICE, '{"name": "once", "total": 1, "tags": ["x"]}'))
    assert html.count("once") == 1


def test_the_check_has_its_reply() -> None:
    reply = "The answer is 42."
    check = pdl.check(pdl.Schema.parse("int"), reply)
    assert check.reply == reply
    assert check.span is not None
    assert check.reply[slice(*check.span)] == "42"
    assert pdl.check(None, reply).reply == reply
    assert pdl.check(int, "none", validate=bool).reply == "none"
    assert reply not in repr(check)
    with pytest.raises(pdl.OutputError) as caught:
        pdl.extract(INVOICE, reply)
    assert caught.value.check.reply == reply


@given(st.text(max_size=60) | st.text('{}[]",:abc 1\n', max_size=60))
@example(HOSTILE)
@example('{"name": "<b>", "total": -1, "tags": ["</pre>",]}')
@pytest.mark.law
def test_a_check_of_any_reply(reply: str) -> None:
    """It shows the reply, whatever that is, and nothing of it is markup."""
    for schema in (INVOICE, pdl.Schema.parse("str"), None):
        check = pdl.check(schema, reply)
        found = read(check)
        if not check.is_whole:
            assert visible(reply) in found.blocks()


def visible(text: str) -> str:
    """A text as a browser shows it that was escaped."""
    shown = [data for tags, data in Reader(f"<pre>{escaped(text)}</pre>").texts if tags == ["pre"]]
    return "".join(shown)


TEXT = st.text(max_size=30) | st.just(HOSTILE)


@given(TEXT, TEXT, TEXT)
@pytest.mark.law
def test_a_prompt_of_any_texts(system: str, user: str, key: str) -> None:
    call = ToolCall(key, {key: user})
    media = pdl.Media("", url=f"https://example.org/{user}")
    messages = (
        pdl.Message("system", system),
        pdl.Message("user", [user, media]),
        pdl.Message("assistant", [call]),
        pdl.Message("user", [ToolResult(call, user)]),
    )
    schema = pdl.Schema.from_json_schema(
        {"properties": {key: {"description": user, "pattern": "^</pre>$"}}, "enum": [{key: 1}]}
    )
    rendered = pdl.Rendered(messages, schema, config={key: user}, reasoning=(system,))
    assert visible(system) in read(rendered).blocks()
    read(schema)


@given(TEXT, TEXT)
@pytest.mark.law
def test_a_comparison_of_any_schemas(name: str, word: str) -> None:
    old, new = (
        pdl.Schema.from_json_schema({"properties": {name: {"enum": words}}})
        for words in ([word], [word, "x"])
    )
    read(compare_schemas(old, new))


@pytest.mark.parametrize(
    "text",
    [
        'root ::= "<script>alert(1)</script>" [^<>&"\'] x-1\nx-1 ::= "</svg>"? # <img>',
        "root ::= <[7]> | <|im_end|>",
        'root ::= ("a" | "b"){2,3} .',
    ],
)
def test_a_grammar(text: str) -> None:
    grammar = pdl.gbnf.parse(text)
    found = read(grammar)
    assert str(grammar).strip() in found.blocks()
    assert "railroad diagrams" in found.words
    assert html_of(grammar).count("<svg") == len(grammar.rules)


def test_a_grammar_with_a_name_that_no_parser_reads() -> None:
    nodes = pdl.gbnf.parse('root ::= "a"').rules[0]
    grammar = pdl.gbnf.Grammar((replace(nodes, name=HOSTILE),), HOSTILE)
    read(grammar)


def test_values_that_rules_of_a_program_refuse() -> None:
    def no(_: object) -> list[pdl.Violation]:
        return [pdl.Violation(HOSTILE, HOSTILE)]

    found = read(pdl.check(INVOICE, '{"name": "a", "total": 1, "tags": ["x"]}', validate=no))
    assert visible(HOSTILE)[:40] in found.words


PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("media", "images"),
    [
        (pdl.Media("png", PNG), 1),
        (pdl.Media("svg", b"<svg onload='alert(1)'/>"), 1),
        (pdl.Media("png", PNG * 100_000), 0),
        (pdl.Media("pdf", b"%PDF-1.7"), 0),
        (pdl.Media("png", url="https://example.org/a.png"), 0),
    ],
    ids=["png", "svg", "too large", "pdf", "address"],
)
def test_images_are_shown_if_they_are_in_the_prompt(media: pdl.Media, images: int) -> None:
    found = read(pdl.Rendered((pdl.Message("user", ["look: ", media]),)))
    assert len(found.images) == images
    words = f"[{media.kind}, {media.url or f'{len(media.data):,} bytes'}]"
    assert words in found.words


def test_all_images_together_are_bounded() -> None:
    image = pdl.Media("png", PNG + b"0" * 390_000)
    assert len(read(pdl.Rendered((pdl.Message("user", [image] * 20),))).images) == 3


def big_grammar() -> Any:
    rules = "\n".join(f'r{at} ::= "a" | r{at + 1}' for at in range(2_000))
    long = " | ".join(f'"w{at}"' for at in range(9_000))
    return pdl.gbnf.parse(f'root ::= r0 | long\n{rules}\nr2000 ::= "z"\nlong ::= {long}')


MEGABYTES = "x" * 1_000_000


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: pdl.check(
                INVOICE, f'{MEGABYTES}{{"name": "a", "total": 1, "tags": ["x"],}}{MEGABYTES}'
            ),
            "999,500 characters before left out",
        ),
        (
            lambda: pdl.check(pdl.Schema.parse("[int]"), "[" + ",".join(['"a"'] * 10_000) + "]"),
            "… and at least 970 more",
        ),
        (lambda: pdl.check(pdl.Schema.parse("[str]"), f'["{MEGABYTES}"]'), "more characters)"),
        (
            lambda: pdl.Rendered(
                (pdl.Message("user", MEGABYTES), pdl.Message("user", "y" * 9)) * 999
            ),
            "1,958 messages more",
        ),
        (lambda: pdl.Rendered((pdl.Message("user", [MEGABYTES] * 50),)), "20 more parts"),
        (lambda: pdl.Schema.from_json_schema({"enum": [MEGABYTES]}), "more characters)"),
        (big_grammar, "rules not drawn"),
        (
            lambda: compare_schemas(
                *(
                    pdl.Schema.parse("{" + ",".join(f"a{at}: {t}" for at in range(60)) + "}")
                    for t in ("int", "str")
                )
            ),
            "… and 10 more",
        ),
    ],
    ids=["reply", "errors", "value", "turns", "parts", "schema", "grammar", "changes"],
)
def test_it_is_bounded_and_says_so(make: Any, said: str) -> None:
    value = make()
    start = time.process_time()
    html = html_of(value)
    assert time.process_time() - start < 3
    assert said in Reader(html).words
    assert len(html) < 300_000


def test_an_answer_has_its_attempts() -> None:
    replies = iter(["No idea.", '{"name": "a", "total": 1, "tags": ["x"]}'])
    rendered = pdl.Rendered((pdl.Message("user", "?"),), INVOICE)
    words = read(pdl.ask(rendered, lambda _: next(replies))).words
    assert "2 attempts" in words
    assert "attempt failed: absent: the reply does not contain a JSON object" in words
    assert "✓ valid" in words


def test_an_answer_that_is_a_default() -> None:
    rendered = pdl.Rendered((pdl.Message("user", "?"),), INVOICE)
    words = read(pdl.ask(rendered, lambda _: "No.", retries=0, default=None)).words
    assert words.strip().startswith("default")


def test_a_comparison_of_prompts() -> None:
    old, new = (
        pdl.loads(f"<|user|>\n{text}\n<|schema|>\n{{ a: {kind} }}")
        for text, kind in (("Hi", "int"), ("<b>Hello</b>", "str"))
    )
    words = read(compare_prompts(old, new)).words
    assert words.strip().startswith("breaks programs")
    assert "2 changes" in words


def test_the_style_is_of_nothing_else_on_the_page() -> None:
    found = read(pdl.gbnf.parse('root ::= "a"'))
    style = "".join(text for tags, text in found.texts if "style" in tags)
    selectors = [
        one.strip() for rule in style.split("}")[:-1] for one in rule.split("{")[0].split(",")
    ]
    assert all(one.startswith(".pdl-show") for one in selectors)
    assert "url(" not in style
    assert "@import" not in style


def test_it_is_loaded_when_it_is_needed() -> None:
    code = (
        "import pdl, sys\n"
        "check = pdl.check(pdl.Schema.parse('int'), 'no')\n"
        "pdl.gbnf.parse('root ::= \"a\"')\n"
        "pdl.Rendered((pdl.Message('user', 'Hi'),))\n"
        "assert 'pdl.markup' not in sys.modules\n"
        "check._repr_html_()\n"
        "assert 'pdl.markup' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  (our own text)
