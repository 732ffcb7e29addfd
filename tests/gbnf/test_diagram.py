"""Railroad diagrams: what they show, where it stands, and that nothing gets out of its place."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import combinations
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from grammars import GRAMMARS, WITH_TOKENS, grammars
from hypothesis import given, settings
from hypothesis import strategies as st
from shares import share
from snapshots import CASES, Snapshot

from pdl import gbnf
from pdl.gbnf.nodes import Literal, Rule, RuleRef, Sequence
from pdl.gbnf.railroad import Box, Line, picture, placed
from pdl.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from pathlib import Path

DIAGRAMS = sorted((CASES / "gbnf" / "diagram").glob("*.gbnf"))
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<script>alert(1)</script>", '" onload="alert(1)', "' onclick='x", "]]>", "<!--", "-->", "&lt;",
    "</svg><svg>", "\x00\x1b\ud800￾", "javascript:alert(1)", "</style>", "a b",
)  # fmt: skip
ELEMENTS = {"svg", "g", "a", "rect", "path", "text", "title", "style"}
ATTRIBUTES = {
    "class", "d", "x", "y", "width", "height", "rx", "href", "id", "role", "aria-labelledby",
    "viewBox", "textLength", "lengthAdjust",
}  # fmt: skip
_STEP = re.compile(r"([hvalm])([-0-9 ]*)")


@pytest.mark.parametrize("path", DIAGRAMS, ids=lambda path: path.stem)
def test_pictures(path: Path, snapshot: Snapshot) -> None:
    """The expected files are pictures and pages: look at them."""
    grammar = gbnf.parse(path.read_text(encoding="utf-8"), name=path.name)
    snapshot.check(path.with_suffix(".svg"), grammar.diagram())
    snapshot.check(path.with_suffix(".html"), grammar.diagram("html"))


def ends(line: Line) -> tuple[int, int, int, int]:
    """The box around a line: left, top, right, bottom."""
    x, y = line.x, line.y
    xs, ys = [x], [y]
    for command, said in _STEP.findall(line.d):
        numbers = [int(number) for number in re.findall(r"-?\d+", said)]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=False))
        if command == "h":
            pairs = [(numbers[0], 0)]
        elif command == "v":
            pairs = [(0, numbers[0])]
        elif command == "a":
            pairs = [(numbers[5], numbers[6])]
        for dx, dy in pairs:
            x, y = x + dx, y + dy
            xs.append(x)
            ys.append(y)
    return min(xs), min(ys), max(xs), max(ys)


def held(box: Box) -> None:
    """Nothing of a picture gets out of it, and no two texts lie on each other."""
    said: list[tuple[int, int, int, int]] = []
    for x, y, one in placed(box):
        assert x >= 0
        assert x + one.width <= box.width
        assert -box.up <= y - one.up
        assert y + one.down <= box.down
        for line in one.lines:
            left, top, right, bottom = ends(line)
            assert left >= 0
            assert right <= one.width
            assert top >= -one.up
            assert bottom <= one.down
        if one.said:
            said.append((x, y - one.up, x + one.width, y + one.down))
    for first, second in combinations(said[:80], 2):
        apart = first[2] <= second[0] or second[2] <= first[0]
        assert apart or first[3] <= second[1] or second[3] <= first[1], (first, second)


@given(GRAMMARS | grammars(WITH_TOKENS))
def test_all_is_in_its_place(grammar: gbnf.Grammar) -> None:
    for rule in grammar.rules:
        held(picture(rule, grammar.rule))


@pytest.mark.parametrize("path", DIAGRAMS, ids=lambda path: path.stem)
def test_all_is_in_its_place_in_the_cases(path: Path) -> None:
    grammar = gbnf.parse(path.read_text(encoding="utf-8"))
    for rule in grammar.rules:
        held(picture(rule, grammar.rule))


class Page(HTMLParser):
    """What a page holds; refuses elements that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag != "meta":
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


def linked(found: list[tuple[str, dict[str, str | None]]]) -> None:
    """Ids are there once, and each link leads to one of them."""
    ids = [attributes["id"] for _, attributes in found if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in found:
        if tag == "a":
            assert (attributes["href"] or "").removeprefix("#") in ids


@settings(max_examples=share(50))
@given(GRAMMARS)
def test_each_rule_is_linked(grammar: gbnf.Grammar) -> None:
    page = Page(grammar.diagram("html"))
    linked(page.found)
    assert {f"rule-{name}" for name in grammar.rule} <= {
        str(one.get("id")) for _, one in page.found
    }
    svg = ET.fromstring(grammar.diagram())  # noqa: S314 - our own text
    linked([(one.tag.removeprefix(SVG), dict(one.attrib)) for one in svg.iter()])


def hand_made(text: str) -> gbnf.Grammar:
    """A grammar whose name, comments, literals and names of rules no parser has seen."""
    body = Sequence((Literal(tuple(map(ord, text))), RuleRef(text), RuleRef(f"{text}?")))
    rules = (Rule("root", (body,), (text,)), Rule(text, (body,), (text, "")))
    return gbnf.Grammar(rules, text, (text,))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_becomes_markup(text: str) -> None:
    grammar = hand_made(text)
    svg = ET.fromstring(grammar.diagram().encode())  # noqa: S314 - our own text
    for one in svg.iter():
        assert one.tag.removeprefix(SVG) in ELEMENTS
        assert set(one.attrib) <= ATTRIBUTES
    page = Page(grammar.diagram("html"))
    plain = Page(hand_made("x").diagram("html"))
    assert [tag for tag, _ in page.found] == [tag for tag, _ in plain.found]
    assert [list(one) for _, one in page.found] == [list(one) for _, one in plain.found]
    linked(page.found)


@given(st.text(), st.text())
def test_ids_are_different_for_different_names(one: str, other: str) -> None:
    grammar = gbnf.Grammar((Rule(one, (Sequence(),)), Rule(other, (Sequence(),))), one)
    linked(Page(grammar.diagram("html")).found)


def test_a_page_needs_nothing_else() -> None:
    page = gbnf.parse('root ::= "a" b\nb ::= "c"\n', name="my.gbnf").diagram("html")
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "prefers-color-scheme:dark" in page
    assert "<title>my.gbnf</title>" in page


def test_pictures_need_no_variables_of_css() -> None:
    """Many viewers of SVG files have none: all would be black."""
    grammar = gbnf.parse('root ::= "a"\n')
    for drawn in (grammar.diagram(), grammar.diagram("html")):
        assert "var(" not in drawn
        assert drawn.index(".rail .page{fill:#fff}") < drawn.index("prefers-color-scheme:dark")


def test_comments_and_unused_rules_are_shown() -> None:
    page = gbnf.parse('# of <x>\nroot ::= "a"\nrest ::= "b"\n# the end\n').diagram("html")
    assert '<p class="note">of &lt;x&gt;</p>' in page
    assert '<p class="note">the end</p>' in page
    assert page.count("not reached") == 1


@pytest.mark.parametrize(
    ("suffix", "label"),
    [
        ("{3}", "3 times"), ("{2,5}", "2 to 5 times"), ("{0,5}", "up to 5 times"),
        ("{1,5}", "up to 5 times"), ("{4,}", "4 or more times"), ("{4,3000}", "4 or more times"),
    ],
)  # fmt: skip
def test_a_loop_says_how_often(suffix: str, label: str) -> None:
    """As llama.cpp takes it: more than 2000 times is any number of times."""
    assert f">{label}<" in gbnf.parse(f'root ::= "a"{suffix}\n').diagram()


@pytest.mark.parametrize("suffix", ["", "?", "*", "+", "{1}", "{0}"])
def test_other_loops_say_nothing(suffix: str) -> None:
    assert "times" not in gbnf.parse(f'root ::= "x" "a"{suffix}\n').diagram()


def test_long_sequences_go_on_below() -> None:
    grammar = gbnf.parse(f"root ::= {'word ' * 200}\nword ::= [a-z]\n")
    drawn = picture(grammar.rule["root"], grammar.rule)
    assert drawn.width < 1000
    held(drawn)


def test_a_long_text_is_shortened_and_told_in_its_title() -> None:
    text = "abc" * 100
    svg = gbnf.parse(f'root ::= "{text}"\n').diagram()
    assert f"<title>the text &quot;{text}&quot;</title>" in svg
    assert svg.count(text) == 1


def test_groups_may_nest_as_deep_as_grammars_do() -> None:
    depth = DEFAULT_LIMITS.grammar_depth
    text = "(" * depth + '"a" "b"' + ' | "c" root)?' * depth
    grammar = gbnf.parse(f"root ::= {text}\n")
    assert grammar.diagram().count(">root<") == depth + 1
    assert grammar.diagram("html").count(">root<") > depth


def test_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="'svg' or 'html', not 'png'"):
        gbnf.parse('root ::= "a"\n').diagram("png")  # type: ignore[arg-type]
