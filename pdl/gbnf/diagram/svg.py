"""Pictures as SVG, on their own or within a page. No scripts; links lead to the rules' pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.diagram.boxes import HALF, PAD, placed
from pdl.gbnf.diagram.words import anchor, safe, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.diagram.boxes import Box, Said

MARGIN = 8
_LIGHT = {
    "page": "#fff", "ink": "#1f2328", "soft": "#59636e", "line": "#8c959f",
    "text": "#dafbe1", "text_edge": "#2da44e", "class": "#fff8c5", "class_edge": "#bf8700",
    "rule": "#ddf4ff", "rule_edge": "#0969da", "token": "#fbefff", "token_edge": "#8250df",
}  # fmt: skip
_DARK = {
    "page": "#0d1117", "ink": "#e6edf3", "soft": "#9198a1", "line": "#6e7681",
    "text": "#12261e", "text_edge": "#3fb950", "class": "#272115", "class_edge": "#d29922",
    "rule": "#121d2f", "rule_edge": "#4493f8", "token": "#231a33", "token_edge": "#ab7df8",
}  # fmt: skip
_PAINT = """\
.rail .page{{fill:{page}}}
.rail path{{stroke:{line}}}
.rail text{{fill:{ink}}}
.rail .label text,.rail text.note{{fill:{soft}}}
.rail .text rect{{fill:{text};stroke:{text_edge}}}
.rail .class rect{{fill:{class};stroke:{class_edge}}}
.rail .rule rect{{fill:{rule};stroke:{rule_edge}}}
.rail .token rect{{fill:{token};stroke:{token_edge}}}
"""
_SHAPES = """\
:root{color-scheme:light dark}
.rail path{fill:none;stroke-width:1.6}
.rail rect{stroke-width:1.2}
.rail text{font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
.rail text.name{font-weight:bold}
.rail a:hover rect,.rail a:focus rect{stroke-width:2.4}
"""


def themed(rules: str) -> str:
    """Rules of CSS with the names of colours in braces, for light and for dark.

    Without variables, which many viewers of SVG files do not know: all would be black.
    """
    dark = f"@media (prefers-color-scheme:dark){{\n{rules.format_map(_DARK)}}}\n"
    return rules.format_map(_LIGHT) + dark


STYLE = _SHAPES + themed(_PAINT)


def fragment(box: Box, x: int, y: int) -> Iterator[str]:
    """The elements of a picture whose line begins at a place."""
    for left, line, one in placed(box, x, y):
        if one.lines:
            d = "".join(f"M{left + part.x} {line + part.y}{part.d}" for part in one.lines)
            yield f'<path d="{d}"/>'
        if one.said:
            yield _said(one.said, one, left, line)


def _said(said: Said, box: Box, x: int, y: int) -> str:
    if said.kind == "label":
        return f'<g class="label">{text(said.text, x, y)}</g>'
    radius = 4 if said.kind == "rule" else HALF
    frame = (
        f'<rect x="{x}" y="{y - HALF}" width="{box.width}" height="{2 * HALF}" rx="{radius}"/>'
        f"{text(said.text, x + PAD, y + 5)}"
    )
    inner = f'<g class="{said.kind}"><title>{safe(said.title)}</title>{frame}</g>'
    return f'<a href="#{anchor(said.rule)}">{inner}</a>' if said.rule else inner


def text(said: str, x: int, y: int, kind: str = "") -> str:
    """A text, as wide as it was taken for, whatever the font."""
    named = f' class="{kind}"' if kind else ""
    fitted = f' textLength="{width(said)}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x}" y="{y}"{named}{fitted}>{safe(said)}</text>'


def inline(box: Box, name: str) -> str:
    """A picture for a page that has the styles."""
    full, high = box.width + 2 * MARGIN, box.up + box.down + 2 * MARGIN
    title = f"title-{anchor(name)}"
    parts = "\n".join(fragment(box, MARGIN, MARGIN + box.up))
    return (
        f'<svg class="rail" role="group" aria-labelledby="{title}" width="{full}" height="{high}"'
        f' viewBox="0 0 {full} {high}">\n'
        f'<title id="{title}">Railroad diagram of the rule {safe(name)}</title>\n{parts}\n</svg>'
    )


def document(pictures: Iterable[tuple[str, tuple[str, ...], Box]], title: str) -> str:
    """One picture of all rules below each other: their names, their comments and their pictures."""
    parts: list[str] = []
    full, y = 0, MARGIN
    for name, comments, box in pictures:
        parts.append(f'<g id="{anchor(name)}"><title>{safe(f"the rule {name}")}</title>')
        for kind, said in (*(("note", one) for one in comments if one), ("name", name)):
            y += 20
            full = max(full, width(said))
            parts.append(text(said, MARGIN, y, kind))
        y += 12 + box.up
        parts += fragment(box, MARGIN, y)
        parts.append("</g>")
        full = max(full, box.width)
        y += box.down + 20
    full += 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rail" role="group" aria-labelledby="title"'
        f' width="{full}" height="{y}" viewBox="0 0 {full} {y}">\n'
        f'<title id="title">{safe(title)}</title>\n<style>\n{STYLE}</style>\n'
        f'<rect class="page" width="{full}" height="{y}"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )
