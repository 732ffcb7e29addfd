"""The diagram of a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pdl.gbnf.diagram.layout import picture
from pdl.gbnf.diagram.page import page
from pdl.gbnf.diagram.svg import document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.nodes import Rule


def draw(
    rules: Mapping[str, Rule],
    root: str,
    comments: tuple[str, ...],
    form: Literal["svg", "html"],
    title: str,
) -> str:
    """A picture of each rule: one below the other in an SVG file, or in an HTML page.

    `comments` are those behind the last rule. Raises ValueError for another form.
    """
    if form not in {"svg", "html"}:
        raise ValueError(f"format must be 'svg' or 'html', not {form!r}")
    pictures = {name: picture(rule, rules) for name, rule in rules.items()}
    if form == "html":
        return page(rules, root, comments, pictures, title)
    return document(((name, rules[name].comments, box) for name, box in pictures.items()), title)
