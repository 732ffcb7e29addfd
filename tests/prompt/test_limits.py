"""Whatever a template does, it ends within its limits, with an error at its place."""

from __future__ import annotations

import itertools
import sys
import time
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import pytest

import pdl
from pdl.compare import compare_prompts
from pdl.limits import Limits
from pdl.prompt.lint import lint_file

if TYPE_CHECKING:
    from pathlib import Path

ENDLESS = {
    "loops": "{% for i in range(1000000) %}{% for j in range(1000000) %}{% endfor %}{% endfor %}",
    "macros": "{% macro m(n) %}{% if n < 99 %}{{ m(n+1) }}{{ m(n+1) }}{% endif %}{% endmacro %}"
    "{{ m(0) }}",
    "recursive loop": "{% for x in tree recursive %}{{ loop(x) }}{% endfor %}",
    "self include": "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}"
    "{{ a() }}",
    "big number": "{{ (2 ** 99999) ** 99999 }}",
    "product of texts": "{{ 'ab' * 999999999 }}",
    "product of lists": "{{ [0] * 999999999 }}",
    "width": "{{ '%999999999d' % 1 }}",
    "width from data": "{{ '%*d' % (999999999, 1) }}",
    "format width": "{{ '{:>999999999}'.format(1) }}",
    "format width field": "{{ '{:>{w}}'.format(1, w=999999999) }}",
    "format filter": "{{ '%999999999d'|format(1) }}",
    "center": "{{ 'a'|center(999999999) }}",
    "indent": "{{ 'a\n'|indent(999999999, true) }}",
    "method": "{{ 'a'.zfill(999999999) }}",
    "bytes": "{{ (1).to_bytes(999999999, 'big') }}",
    "batch": "{{ [1]|batch(999999999, 0)|list }}",
    "slice": "{{ [1]|slice(999999999)|list }}",
    "replace": "{{ ('a' * 99999)|replace('', 'b' * 99999) }}",
    "replace method": "{{ ('a' * 99999).replace('a', 'b' * 99999) }}",
    "join": "{{ ['a' * 99999] * 9999 * 99 |join }}",
    "translate": "{{ ('a' * 99999).translate({97: 'b' * 99999}) }}",
    "doubling": "{% set n = namespace(t='ab') %}{% for i in range(99) %}{% set n.t = n.t + n.t %}"
    "{% endfor %}",
    "captured": "{% set n = namespace(t='ab') %}{% for i in range(99) %}"
    "{% set n.t %}{{ n.t }}{{ n.t }}{% endset %}{% endfor %}",
    "round": "{{ 1.5|round(999999999, 'floor') }}",
}


NESTED = (
    "{% set a = namespace(v=[1], t=(1,)) %}{% set b = namespace(v=[1]) %}"
    "{% for i in range(40) %}{% set a.v = [a.v, a.v] %}{% set b.v = [b.v, b.v] %}"
    "{% set a.t = (a.t, a.t) %}{% endfor %}"
)
"""Lists of a trillion items in a few kilobytes, which no two operations may walk."""
FILTERS_THAT_WALK = (
    "tojson string pprint upper lower title capitalize trim urlencode escape forceescape join"
    " xmlattr center indent wordcount striptags slugify sort max sum groupby(0) unique|list"
    " group_by(attribute='0') truncate(9) format replace('a','b') json_encode as_str"
)
ENDLESS |= {
    f"nested, {name}": NESTED + f"{{{{ a.v|{name} }}}}" for name in FILTERS_THAT_WALK.split()
}
EXPRESSIONS_THAT_WALK = [
    *("a.v", "a.v ~ ''", "'%s' % a.v", "'{}'.format(a.v)", "''.join([a.v])", "dict(x=a.v)|string"),
    *("a.v == b.v", "a.v != b.v", "a.v < b.v", "a.v in [b.v]", "1 < a.v < b.v", "a.v is eq b.v"),
    *("[a.v].index(b.v)", "[a.v].count(b.v)", "[a.v] is containing(b.v)", "[a.v, b.v]|sort"),
    *("[a.v, b.v]|max", "[a.v]|select('eq', b.v)|list", "[a.v]|map('string')|list", "[a.v]|join"),
    *("[{'k': a.v}, {'k': b.v}]|sort(attribute='k')", "[{'k': a.v}]|group_by(attribute='k')"),
    *("[{'k': a.v}]|filter(attribute='k', value=b.v)", "{'k': a.v, 'l': b.v}|dictsort(by='value')"),
    *("{a.t: 1}", "{}[a.t]", "{}.get(a.t)", "{}|get(key=a.t, default=1)", "a.t in {}"),
    *("[a.t]|unique|list", "dict([(a.t, 1)])", "{}.fromkeys([a.t])", "{'k': a.v}|pprint"),
]
KEYS_THAT_ARE_WRITTEN = [
    *("{}[a.v]", "[1][a.v]", "'x'[a.v]", "{'a': 1}[a.v]", "{}[(a.v, 1)]", "a[a.v]", "{}[a]"),
    *("nope[a.v]", "nope[a.v:]", "nope[1:a.v]", "{}[a.v] is defined", "{}[a.v]|default(1)"),
    *("[1]|map(attribute=a.v)|list", "[1]|sort(attribute=a.v)", "throw(a.v)", "throw(a)"),
    *("a", "[a]", "a ~ 1", "a|string", "namespace(x=a)"),
]
EXPRESSIONS_THAT_WALK += KEYS_THAT_ARE_WRITTEN
ENDLESS |= {f"nested, {one}": f"{NESTED}{{{{ {one} }}}}" for one in EXPRESSIONS_THAT_WALK}
ENDLESS["nested, autoescape"] = NESTED + "{% autoescape true %}{{ a.v }}{% endautoescape %}"
WALKS_OF_DATA = [
    *("gen|tojson", "gen|sort", "gen|unique|list", "-1 in gen", "-1 not in gen", "-1 is in gen"),
    *("gen|reverse", "gen|max", "gen|sum", "gen|join", "gen|list", "gen|batch(3)|list", "gen"),
    *("gen|slice(3)|list", "gen|map('string')|list", "''.join(gen)", "dict(gen)", "gen ~ 1"),
    *("cycler(*gen)", "{'k': gen}|tojson", "gen|select('eq', -1)|list", "gen|concat(with=1)"),
    *("numbers|tojson", "aliases|tojson", "aliases|string", "aliases", "tree|tojson", "tree"),
    *("tree == tree_too", "graph|string", "record|string", "record == record_too"),
]
ENDLESS |= {f"data, {one}": f"{{{{ {one} }}}}" for one in WALKS_OF_DATA}
ENDLESS["data, a loop's length"] = "{% for x in gen %}{{ loop.length }}{% endfor %}"
LONG = "{% set b = 'a' * 60000000 %}"
ENDLESS |= {
    f"long, {one}": f"{LONG}{{{{ {one} }}}}"
    for one in (
        *("b|title", "b.title()", "b|addslashes", "b|slugify", "b|urlencode", "b|wordcount"),
        *("b.split('a')", "b|split(pat='a')", "b|list", "b|spaceless", "b|striptags", "b|urlize"),
    )
}
ENDLESS |= {
    "sum of lists": "{{ ([[1] * 10000] * 1000)|sum(start=[])|length }}",
    "punycode": "{{ ('ü' * 300000).encode('punycode') }}",
    "idna": "{{ (('ü' * 40 ~ '.') * 9000).encode('idna') }}",
    "a date's format": "{{ 0|date(format='%c' * 5000000) }}",
    "a date's own format": "{{ day.strftime('%c' * 5000000) }}",
    "assigned in a loop": "{% for i in range(9999) %}{% set x = 'a' * 60000000 %}{% endfor %}",
    "many long texts": "".join(f"{{% set x{i} = 'c' * 63999999 %}}" for i in range(80)),
    "many centered": "".join(f"{{% set x{i} = 'c'|center(63999999) %}}" for i in range(80)),
    "a list of long texts": "{% set n = namespace(l=[]) %}{% set t = 'a' * 60000000 %}"
    "{% for i in range(99) %}{% set n.l = n.l + [t.upper()] %}{% endfor %}",
    "a list that grows": "{% set n = namespace(l=[1]) %}{% for i in range(40) %}"
    "{% set n.l = n.l + n.l %}{% endfor %}",
    "a list that is joined to itself": "{% set n = namespace(l=[1]) %}{% for i in range(40) %}"
    "{% set n.l = n.l|concat(with=n.l) %}{% endfor %}",
    "a text as width": "{{ ('a\n' * 60000)|indent('x' * 10000) }}",
    "a width of escaped text": "{{ ('a'|escape).center(999999999) }}",
    "a pattern": "{{ 'aaa' is matching('a{60000}' * 1000) }}",
    "a pattern in a pattern": "{{ 'aaa' is matching('(((a{100}){100}){100}){100}') }}",
}


def bombs() -> dict[str, object]:
    """Values that are small, and endless to walk."""
    aliases: object = ["x"] * 9
    tree: list[object] = []
    tree.append(tree)
    tree_too: list[object] = []
    tree_too.append(tree_too)
    graph: list[list[object]] = [[] for _ in range(15)]
    for node in graph:
        node.extend(graph)
    record, record_too = Record(1), Record(1)
    for _ in range(40):
        aliases = [aliases] * 9
        record, record_too = Record([record, record]), Record([record_too, record_too])
    return {
        "aliases": aliases,
        "tree": tree,
        "tree_too": tree_too,
        "graph": graph,
        "gen": itertools.count(),
        "numbers": range(10**12),
        "day": date(2026, 1, 1),
        "record": record,
        "record_too": record_too,
    }


@dataclass
class Record:
    value: object


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS.keys())
def test_it_ends(text: str) -> None:
    began = time.process_time()
    with pytest.raises((pdl.LimitError, pdl.TemplateError)) as raised:
        pdl.loads(f"<|user|>\n{text}\n").render(bombs())
    assert raised.value.problem.location is not None
    # No measurement: an hour of looping is told from the limit of 1.5 s, on the slowest machine.
    assert time.process_time() - began < 60


def test_the_limits_can_be_changed() -> None:
    prompt = pdl.loads("<|user|>\n{{ 'a' * 100 }}\n", limits=Limits(output_chars=50))
    with pytest.raises(pdl.LimitError):
        prompt.render()
    with pytest.raises(pdl.LimitError, match="longer than 5 characters"):
        pdl.loads("<|user|>\nHi", limits=Limits(source_chars=5))


def test_a_low_limit_is_one_of_each_text_and_not_of_all_together() -> None:
    text = "{% for i in range(500) %}{% set x = '%05d' % i ~ 'a'|center(9) %}{% endfor %}done"
    prompt = pdl.loads(f"<|user|>\n{text}", limits=Limits(output_chars=60))
    assert prompt.render().messages[0].text == "done"


def test_ordinary_work_is_not_refused() -> None:
    text = "{{ '-' * 80 }}{{ 2 ** 64 }}{{ '%05d' % 7 }}{{ '{:>8}'.format('x') }}{{ 'a'|center(9) }}"
    assert pdl.loads(f"<|user|>\n{text}").render().messages[0].text.startswith("----")


def test_nothing_large_is_computed_while_a_template_is_parsed() -> None:
    """Jinja computes constants when it compiles, and keeps them."""
    prompt = pdl.loads("<|user|>\n{{ 'c'|center(63999999)|length }}{{ 'c'|center(9)|length }}")
    assert prompt.template is not None
    assert prompt.render().messages[0].text == "639999999"


def test_what_is_ordinary_is_measured_and_let_through() -> None:
    rows = [{"id": i, "tags": ["a", f"b{i}"], "sub": {"x": None}} for i in range(5_000)]
    parent: dict[str, object] = {"name": "p"}
    children = [{"name": name, "parent": parent} for name in "ba"]
    parent["children"] = children
    shared = ["same"] * 3
    text = (
        "{{ rows|tojson|length > 1 }} {{ rows == rows }} {{ rows[0] in rows }}"
        " {{ children|sort(attribute='name')|map(attribute='name')|join }}"
        " {{ [shared, shared, shared] }} {{ (1, 2) in {(1, 2): 3} }} {{ [1, 2, 3] == [1, 2, 3] }}"
        " {{ 'a-b' is matching('[a-z]{1,60}-(?:[a-z]{1,4}){1,20}') }}"
        " {{ [[1], [2]]|sum(start=[]) }} {{ ['x', 'y']|join(', ') }}"
        " {{ [{'k': 'z'}]|join(attribute='k') }} {{ none ~ 1 }}"
    )
    found = pdl.loads(f"<|user|>\n{text}").render(rows=rows, children=children, shared=shared)
    assert found.messages[0].text == (
        "True True True ab [['same', 'same', 'same'], ['same', 'same', 'same'], "
        "['same', 'same', 'same']] True True True [1, 2] x, y z None1"
    )


@pytest.mark.parametrize(
    "text", ["{{ [v] }}", "{{ {'k': [v]} }}", "{{ [v]|string }}", "{{ '' ~ [v] }}", "{{ [f] }}"]
)
def test_no_address_in_memory_is_printed(text: str) -> None:
    """Neither that of an object nor that of one in a list, which Python prints as `<… at 0x…>`."""
    with pytest.raises(pdl.TemplateError, match="cannot be printed"):
        pdl.loads(f"<|user|>\n{text}").render(v=object(), f=len)


@pytest.mark.parametrize("name", ["aliases", "tree", "graph", "record"])
def test_an_input_that_is_endless_is_refused_at_its_declaration(name: str) -> None:
    """As nine lines of YAML make it with aliases; the checks of inputs would walk it as well."""
    prompt = pdl.loads("<|input|>\n{ text: str, x: [any] }\n<|user|>\n{{ text }}")
    began = time.process_time()
    with pytest.raises(pdl.LimitError, match="input `x` is too large") as raised:
        prompt.render(text="a", x=bombs()[name])
    assert raised.value.problem.location is not None
    assert time.process_time() - began < 60


def test_all_embedded_files_together_are_bounded(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(92))
    text = "<|user|>\n<|media(a.png)|>{% for i in range(n) %}\n<|media(a.png)|>{% endfor %}\n"
    prompt = pdl.loads(text, base=tmp_path, limits=Limits(media_total_bytes=250))
    assert len(prompt.render(n=1).messages[0].parts) == 2
    with pytest.raises(pdl.LimitError, match="more than 250 bytes together") as raised:
        prompt.render(n=2)
    assert raised.value.problem.location is not None
    lenient = prompt.render(n=9, strict=False).messages[0].parts
    assert sum(isinstance(part, pdl.Media) for part in lenient) == 2


def test_a_value_does_not_end_the_program() -> None:
    class Leaves:
        def __str__(self) -> str:
            return str(sys.exit(3))

    with pytest.raises(pdl.TemplateError, match="SystemExit: 3"):
        pdl.loads("<|user|>\n{{ v }}").render(v=Leaves())


def test_the_bomb_in_a_key_is_a_limit() -> None:
    with pytest.raises(pdl.LimitError, match="written out"):
        pdl.loads(f"<|user|>\n{NESTED}{{{{ {{}}[a.v] }}}}").render()


def test_a_long_key_is_named_by_its_beginning() -> None:
    with pytest.raises(pdl.TemplateError, match=r"`a{200}…` is undefined") as raised:
        pdl.loads("<|user|>\n{{ {}['a' * 60000000] }}").render()
    assert len(str(raised.value)) < 1000


DIGITS, HEX = "9" * 5000, "0x" + "f" * 5000


@pytest.mark.parametrize("number", [DIGITS, HEX], ids=["decimal", "hexadecimal"])
@pytest.mark.parametrize(
    "text", ["{{ N }}", "{% if x > N %}{% endif %}", "{{ [1][N] }}", "{% set a = [N] %}"]
)
def test_a_number_of_too_many_digits_is_refused_at_its_line(text: str, number: str) -> None:
    with pytest.raises(pdl.TemplateError, match="too many digits") as raised:
        pdl.loads(f"<|user|>\n{DIGITS} {{{{ 1 }}}}\n{text.replace('N', number)}").render(x=1)
    location = raised.value.problem.location
    assert location is not None
    assert location.line == 3


@pytest.mark.parametrize(
    "text", ["10 ** 5000", "[10**5000]", "{}[10**5000]", "('f' * 5000)|int(0, 16)"]
)
def test_a_computed_number_of_too_many_digits_is_refused(text: str) -> None:
    with pytest.raises(pdl.LimitError, match="too many digits") as raised:
        pdl.loads(f"<|user|>\n{{{{ {text} }}}}").render()
    assert raised.value.problem.location is not None


def test_a_constant_of_too_many_digits_is_refused() -> None:
    with pytest.raises(pdl.LimitError, match="too many digits") as raised:
        pdl.loads(f"<|user|>\n{{% set a = '{'f' * 5000}'|int(0, 16) %}}")
    assert raised.value.problem.location is not None


@pytest.mark.parametrize(
    "text", ["v", "v|tojson", "v|tojson(indent=1)", "v|string", "v ~ ''", "{}[v]", "throw(v)"]
)
def test_a_value_that_nests_too_deeply_is_told_from_a_loop(text: str) -> None:
    value: object = 1
    for _ in range(20_000):  # Python 3.13 prints 9,000
        value = [value]
    with pytest.raises(pdl.LimitError, match="a value nests too deeply"):
        pdl.loads(f"<|user|>\n{{{{ {text} }}}}").render(v=value)
    with pytest.raises(pdl.LimitError, match="calls itself too often"):
        pdl.loads("<|user|>\n{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}").render()


def test_a_file_over_the_limit_has_the_code_of_its_size(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    prompt = pdl.loads("<|user|>\n<|media(x.png)|>", base=tmp_path, limits=Limits(media_bytes=7))
    with pytest.raises(pdl.MediaError) as raised:
        prompt.render()
    assert [problem.code for problem in raised.value.problems] == ["media/size"]


@pytest.mark.parametrize(
    ("text", "raisable"),
    [
        ("{{ 'ab' * 99 }}", True),
        ("{{ x }}{{ x }}", True),
        ("{{ [x, x] }}", True),
        ("{{ range(2000000) | list }}", False),
        ("{{ 2 ** 200000 }}", False),
    ],
)
def test_only_limits_that_can_be_raised_are_advised(text: str, *, raisable: bool) -> None:
    prompt = pdl.loads(f"<|user|>\n{text}", limits=Limits(output_chars=100))
    with pytest.raises(pdl.LimitError) as raised:
        prompt.render(x="a" * 90)
    assert ("pdl.Limits" in str(raised.value)) == raisable


@pytest.mark.parametrize(
    ("count", "depth", "code"),
    [(1000, 4, "limit/template"), (2, 60, "limit/template"), (1, 3000, "limit/template-depth")],
)
def test_files_that_include_each_other_too_often_are_told_and_not_expanded(
    tmp_path: Path, count: int, depth: int, code: str
) -> None:
    for at in range(depth):
        included = f"{{% include '{at + 1}.pdl' %}}" * count
        (tmp_path / f"{at}.pdl").write_text(included if at else f"<|user|>\n{included}")
    (tmp_path / f"{depth}.pdl").write_text("x")
    started = time.process_time()
    findings = lint_file(tmp_path / "0.pdl")
    assert [(one.problem.code, one.severity) for one in findings] == [(code, "error")]
    with pytest.raises(pdl.LimitError) as raised:
        compare_prompts(pdl.loads("<|user|>\nhi"), pdl.load(tmp_path / "0.pdl"))
    assert [one.code for one in raised.value.problems] == [code]
    assert time.process_time() - started < 30


def test_a_file_that_is_included_often_is_expanded(tmp_path: Path) -> None:
    (tmp_path / "a.pdl").write_text("<|user|>\n" + "{% include 'b.pdl' %}" * 500)
    (tmp_path / "b.pdl").write_text("{% if x %}{% include 'c.pdl' %}{% endif %}" * 10)
    (tmp_path / "c.pdl").write_text("x")
    assert lint_file(tmp_path / "a.pdl") == ()
    assert compare_prompts(pdl.loads("<|user|>\nhi"), pdl.load(tmp_path / "a.pdl")).changes
