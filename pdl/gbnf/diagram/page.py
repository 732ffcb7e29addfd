"""A page with a table of all rules and a section for each: comments, picture, text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.diagram.svg import STYLE, inline, themed
from pdl.gbnf.diagram.words import anchor, safe, shortened
from pdl.gbnf.walk import reachable, references
from pdl.gbnf.write import rule_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.gbnf.diagram.boxes import Box
    from pdl.gbnf.nodes import Rule

_USERS = 8  # rules that are listed as those which use one
_SHOWN = 160  # characters of a rule in the table
_LAYOUT = """\
body{margin:0 auto;max-width:64rem;padding:1rem;font:16px/1.5 system-ui,sans-serif}
code,pre{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.9em}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;table-layout:fixed}
th,td{border-bottom:1px solid;padding:.3rem .6rem;text-align:left;vertical-align:top;
overflow-wrap:anywhere}
th:nth-child(1),th:nth-child(3){width:22%}
section{margin:2.5rem 0;scroll-margin-top:1rem}
figure{margin:0;overflow-x:auto}
.note{margin:.2rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
"""
_PAINT = """\
body{{background:{page};color:{ink}}}
a,section:target h2{{color:{rule_edge}}}
pre,p.note{{color:{soft}}}
th,td{{border-color:{line}}}
"""
_STYLE = _LAYOUT + themed(_PAINT)


def page(
    rules: Mapping[str, Rule],
    root: str,
    comments: Iterable[str],
    pictures: Mapping[str, Box],
    title: str,
) -> str:
    """The page, as HTML that needs nothing else."""
    reached = set(reachable(rules, root))
    users = _users(rules)
    table = "\n".join(
        _line(rule, users.get(name, []), name in reached) for name, rule in rules.items()
    )
    sections = "\n".join(_section(rule, pictures[name]) for name, rule in rules.items())
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{safe(title)}</title>
<style>
{STYLE}{_STYLE}</style>
</head>
<body>
<h1>{safe(title)}</h1>
<p>A text must match the rule {_link(root) if root in rules else safe(root)}.</p>
<nav aria-label="Rules">
<table>
<thead><tr><th scope="col">Rule</th><th scope="col">Definition</th>
<th scope="col">Used by</th></tr></thead>
<tbody>
{table}
</tbody>
</table>
</nav>
<main>
{sections}
{_notes(comments)}</main>
</body>
</html>
"""


def _users(rules: Mapping[str, Rule]) -> dict[str, list[str]]:
    """For each rule the names of those that refer to it."""
    found: dict[str, dict[str, None]] = {}
    for rule in rules.values():
        for ref in references(rule.options):
            found.setdefault(ref.name, {})[rule.name] = None
    return {name: list(users) for name, users in found.items()}


def _link(name: str) -> str:
    return f'<a href="#{anchor(name)}">{safe(name)}</a>'


def _line(rule: Rule, users: list[str], reached: bool) -> str:  # noqa: FBT001 - a column
    body = rule_text(rule).removeprefix(f"{rule.name} ::= ")
    by = ", ".join(map(_link, users[:_USERS]))
    by += f" and {len(users) - _USERS} others" if len(users) > _USERS else ""
    if not reached:
        by += f"{'; ' if by else ''}<em>not reached</em>"
    shown = safe(shortened(body, _SHOWN))
    return f"<tr><td>{_link(rule.name)}</td><td><code>{shown}</code></td><td>{by}</td></tr>"


def _section(rule: Rule, picture: Box) -> str:
    return (
        f'<section id="{anchor(rule.name)}">\n<h2>{safe(rule.name)}</h2>\n{_notes(rule.comments)}'
        f"<figure>\n{inline(picture, rule.name)}\n</figure>\n"
        f"<pre><code>{safe(rule_text(rule))}</code></pre>\n</section>"
    )


def _notes(comments: Iterable[str]) -> str:
    return "".join(f'<p class="note">{safe(comment)}</p>\n' for comment in comments if comment)
