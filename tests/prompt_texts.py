"""Texts of prompt files in all notations: odd spacing, statements, comments, mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dsl_texts
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUES: list[dict[str, Any]] = [
    {"x": "v", "m": "openai:m", "r": "user", "xs": ["a", "b"]},
    {"x": "", "m": "", "r": "system", "xs": []},
    {"x": " a\n//b\n", "m": "a\nb: 1", "r": "User", "xs": ["\n", " "]},
    {"x": {"a": 2}, "m": "n", "r": "x", "xs": [{"a": 1}]},
    {"x": 0, "m": "'", "r": "assistant", "xs": "ab"},
]
"""Values for the names that the texts read."""

_blanks = st.sampled_from(["", "", "", " ", "  ", "\t"])
_messages = st.sampled_from(
    [
        *("", "", " ", "\t", "hi", "hi  ", "  hi", "a\u2028b", "\u2028", "// no", "{ a:int }"),
        *("{{x}}", "{{  x  }}!", "a {{x|string|length}} b", "{{-x-}}", "{{ x if x else 1 }}"),
        *('{{ "a , b"|upper }}', "{{[1,2 , 3]|length}}", "{{ m|replace( 'a','b|c' ) }}", "{{x+1}}"),
        *("{{\n x|string\n |trim}}", "{{schema}}", "&lt;|user|&gt;", "<|media({{x}}.png)|>"),
        *("{# c #}", "{#-c-#}", "{%raw%}{{x}}\n\n<|user|>\n\n{%endraw%}", "{{ x", "}}", "{%", "{#"),
        *("{%set y=x%}{{y}}", '{%include "part"%}', '{% include "turns" %}', "{{ f(x) }}", "{{y}}"),
        *("<|user|> a", "<|user|>{{x}}", "{{x}}<|user|>", "<| media(no.png) |>", "<|usr|>", "<|"),
    ]
)
_roles = st.sampled_from(["user", "user", "User", "assistant", "ASSISTANT", "system", "reasoning"])
_settings = st.sampled_from(
    [
        *("seed: 7", "seed :7", "  model:{{m}}", "stop :  [1, 2]  ", "// note", "  // note", ""),
        *(
            "a: {{ x }} ",
            "top_p:",
            "no",
            "k:  a // b",
            "1a:2",
            "a:: b",
            "{% if x %}c : d{% endif %}",
        ),
    ]
)
_tools = st.sampled_from(
    [
        *("f(a:int)// it", "// above\ng( a : str , b?:[int]=[1] )", "h ( )", "k(\na: T\n)\nT=int"),
        *("l(a: int, // one\n  b: str) // l\n // m\n", "f(", "n(a: int,)  // n\n           // o"),
    ]
)
_spaced = {"{": "{ ", ",": " ,\n", ":": "  : ", "}": "\n}", "|": "\n|", "\n": "\n\n", "<": " <"}


@st.composite
def _schema(draw: st.DrawFn) -> str:
    """A schema, with other spacing and comments in some places; sometimes broken by that."""
    text = draw(dsl_texts.schemas)
    out: list[str] = []
    for character in text:
        if character in _spaced and draw(st.integers(0, 5)) == 0:
            comment = draw(st.sampled_from(["", "", "", " // words\n", "\n //more words \n"]))
            out.append(_spaced[character] + comment)
        else:
            out.append(character)
    return "".join(out)


@st.composite
def _marker(draw: st.DrawFn, role: str) -> str:
    inner = draw(_blanks)
    return f"{draw(_blanks)}<|{inner}{role}{draw(_blanks)}|>{draw(_blanks)}"


@st.composite
def _message(draw: st.DrawFn) -> str:
    lines = draw(st.lists(_messages, min_size=1, max_size=4))
    return "\n".join([draw(_marker(draw(_roles))), *lines])


@st.composite
def _typed(draw: st.DrawFn) -> str:
    """A turn that is not a message."""
    role = draw(st.sampled_from(["schema", "Schema", "config", "tools", "reasoning"]))
    if role == "config":
        lines = draw(st.lists(_settings, min_size=1, max_size=4))
        text = "\n".join(lines)
    elif role == "tools":
        text = "\n".join(draw(st.lists(_tools, min_size=1, max_size=2)))
    else:
        text = draw(
            _schema() | st.sampled_from(["{a:{{x|length}}}", " @part ", "```json\n{ }\n```"])
        )
    gap = "\n" * draw(st.integers(1, 3))
    return f"{draw(_marker(role))}{gap}{draw(_blanks)}{text}"


def _around(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Turns in statements, some of which make a value of them."""
    pairs = st.sampled_from(
        [
            *(("{%if x%}", "{%endif%}"), ("{%- if x -%}", "{%- endif -%}")),
            ("{% if x %}\n", "{% else %}\nz{% endif %}"),
            *(("{%for a in xs%}\n", "\n{% endfor %}"), ("{% with %}", "{% endwith %}\n")),
            *(("{% set y %}", "{% endset %}{{ y }}"), ("{% filter trim %}\n", "\n{% endfilter %}")),
            *(("{% call f() %}", "{% endcall %}"), ("{%block b%}\n", "{%endblock%}")),
            ("{% macro f(a) %}\n", "{% endmacro %}\n{{f(1)|length}}"),
            ("{% block b %}", "{% endblock %}{{self.b()|length}}"),
            *(("{% for a in xs recursive %}", "{{ loop([]) }}{% endfor %}"), ("{% if x %}", "")),
        ]
    )  # fmt: skip
    return st.builds(lambda pair, text: f"{pair[0]}{text}{pair[1]}", pairs, inner)


def _joined(turns: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    gaps = st.sampled_from(["\n", "\n", "\n\n", "\n\n\n\n", "\n \n", "", " "])
    some = st.lists(st.tuples(turns, gaps), min_size=1, max_size=3)
    return some.map(lambda pairs: "".join(text + gap for text, gap in pairs))


_turns = st.recursive(_message() | _typed(), lambda one: _around(_joined(one)), max_leaves=4)
_inputs = st.sampled_from(
    [
        *("{x:any}", '{ x : any , m?:str="d" }', "{\nx: any, // the x\n  r?:str\n}", "{ x: any"),
        *("{ x: T, [str]: any }\nT = any\n\n{%set z=1%}", "[int]", "", "{x:any,[str] :any}"),
        *("{[str]:any}", "\n\n { x:any, // x\n[str]: any // all\n}\n\n", "{[str]:any}"),
    ]
)  # fmt: skip


_lines = st.sampled_from(
    [
        *("", "hi", "hi  ", "  hi", "a\u2028b", "{{x}}", "{{-x-}}", "{# c #}", "&lt;|user|&gt;"),
        *("{{  x|string|length  }} b", "{{[1,2 , 3]|length}}", "{{schema}}", '{%include "part"%}'),
        *("{% if x %}\n\na\n{% else %}b{% endif %}", "{# a\n\nb #}\n\n"),
        *("{%for a in xs -%}\n\n- {{a}}\n{%- endfor %}", "{%raw%}{{x}}\n\n<|user|>\n\n{%endraw%}"),
        "{% set y %}\n\n b{% endset %}{{y|length}}",
    ]
)
_parted = st.sampled_from(
    [
        ("", ""),
        ("", ""),
        ("{%if x%}\n", "\n{%endif%}"),
        ("{%-if xs|length>1%}\n\n\n", "{%endif-%}\n"),
        ("{%for a in xs%}\n", "\n\n\n{%endfor%}\n"),
        ("{% set t %}\n", "{% endset %}\n{{ t }}\n"),
        ("{% macro t() %}\n", "{% endmacro %}\n{{t()}}\n"),
        ("{% block t %}\n\n", "{% endblock %}\n"),
        ("{% with z=1%}\n\n", "\n{%endwith%}"),
    ]
)
_valid = st.sampled_from(
    [
        *("<|Config|>\nseed :7\n//a\n stop:[1]", "<| reasoning |>\n\nhm", "<|config|>\nk:{{x}}"),
        *("<|tools|>\n// it\nf( a:int, b?:T )// f\nT={c:str, // d\n}", "<|tools|>\n\n\ng()"),
        "<|config|>\n{% if x %}\nseed :7\n{% endif %}\na:b",
    ]
)
_answers = st.sampled_from(
    ["{a:{{xs|length}}}", " @a.json ", "yesno ", "{% if x %}int{% else %}str{% endif %}"]
)


@st.composite
def _turn(draw: st.DrawFn, role: str) -> str:
    lines = draw(st.lists(_lines, max_size=3))
    return (
        draw(_marker(role))
        + "\n".join(["", *lines, "end"])
        + draw(st.sampled_from(["\n", "\n\n\n"]))
    )


@st.composite
def _conversation(draw: st.DrawFn) -> str:
    """Turns in an order that can be sent, some of them in statements."""
    out = [draw(_turn("User"))]
    for _ in range(draw(st.integers(0, 2))):
        begin, end = draw(_parted)
        out += (begin, draw(_turn("assistant")), draw(_turn("user")), end)
    extra = [
        f"{one}\n" for one in draw(st.lists(_valid, max_size=2, unique_by=lambda one: one[:8]))
    ]
    if draw(st.booleans()):
        answer = draw(_schema() | _answers)
        extra.append(f"{draw(_marker('schema'))}\n{answer}\n")
    at = draw(st.sampled_from([0, len(out)]))
    return "".join(out[:at] + extra + out[at:])


@st.composite
def prompts(draw: st.DrawFn) -> str:
    """A prompt file, with any line ends; half of them are without mistakes, as far as is known."""
    head = draw(
        st.sampled_from(["", "", "", "{# A prompt. #}\n", "\n\n", "{#c#}\n\n\n", " ", "a\n"])
    )
    declared = ""
    if draw(st.booleans()):
        declared = f"{draw(_marker('input'))}\n{draw(_inputs)}\n"
    text = head + declared + draw(_joined(_turns) | _conversation())
    end = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "mixed"]))
    mark = draw(st.sampled_from(["", "", "", "\ufeff"]))
    if end != "mixed":
        return mark + text.replace("\n", end)
    ends = draw(st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=2, max_size=5))
    return mark + "".join(_mixed(text, ends))


def _mixed(text: str, ends: list[str]) -> Iterator[str]:
    for number, line in enumerate(text.split("\n")):
        yield line if not number else ends[number % len(ends)] + line


PARTS = {
    "a.json": "{}",
    "part": " p\n\n{{ x }} ",
    "turns": "q\n\n<|User|>\n\nz\n\n<|assistant|>\n\n",
}
"""The files that the texts include."""
