"""Whatever a template does, it ends within its limits, with an error at its place."""

from __future__ import annotations

import time

import pytest

import pdl
from pdl.limits import Limits

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


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS.keys())
def test_it_ends(text: str) -> None:
    tree: list[object] = []
    tree.append(tree)
    began = time.monotonic()
    with pytest.raises((pdl.LimitError, pdl.TemplateError)) as raised:
        pdl.loads(f"<|user|>\n{text}\n").render(tree=tree)
    assert raised.value.problem.location is not None
    # No measurement: an hour of looping is told from the limit of 1.5 s, on the slowest machine.
    assert time.monotonic() - began < 60


def test_the_limits_can_be_changed() -> None:
    prompt = pdl.loads("<|user|>\n{{ 'a' * 100 }}\n", limits=Limits(output_chars=50))
    with pytest.raises(pdl.LimitError):
        prompt.render()
    with pytest.raises(pdl.LimitError, match="longer than 5 characters"):
        pdl.loads("<|user|>\nHi", limits=Limits(source_chars=5))


def test_ordinary_work_is_not_refused() -> None:
    text = "{{ '-' * 80 }}{{ 2 ** 64 }}{{ '%05d' % 7 }}{{ '{:>8}'.format('x') }}{{ 'a'|center(9) }}"
    assert pdl.loads(f"<|user|>\n{text}").render().messages[0].text.startswith("----")
