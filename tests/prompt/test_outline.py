"""Nodes of a syntax tree are those that Jinja finds, in its order."""

from __future__ import annotations

import pytest
from jinja2 import Environment, nodes
from shipped import PROMPTS

from pdl.prompt.outline import descendants

TEXTS = [
    *(path.read_text() for path in PROMPTS),
    "{% for a, b in x.items() if a %}{{ a[1:2] ~ f(b, *c, k=d|e(1)) }}{% else %}{{ [1, {2: g}] }}",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("kinds", [nodes.Node, nodes.Name, (nodes.Filter, nodes.Test)])
def test_each_node_in_order(text: str, kinds: type[nodes.Node]) -> None:
    tree = Environment(autoescape=True).parse(
        text + "{% endfor %}" * text.endswith("{{ [1, {2: g}] }}")
    )
    assert list(map(id, descendants(tree, kinds))) == list(map(id, tree.find_all(kinds)))
