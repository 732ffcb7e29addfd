"""The page's HTML, which names the modules that it starts with: a browser loads them at once.

Else it finds them one after the other, as each is imported by one that it has loaded.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_START = "main.js"
_MARK = f'<script type="module" src="{_START}"></script>'
_IMPORT = re.compile(r"""^(?:import|export)\s[^"'();=]*["'](\.{1,2}/[^"']+)["'];""", re.MULTILINE)


def html_of(folder: Path, *more: str) -> str:
    """Return the HTML of the page in a folder, with links to its modules, and to `more` of them.

    Raises OSError for a file that can't be read.
    """
    page = folder.joinpath("index.html").read_text("utf-8")
    links = [
        f'<link rel="modulepreload" href="{one}">' for one in _modules(folder, [_START, *more])
    ]
    return page.replace(_MARK, "\n    ".join((*links, _MARK)), 1)


def _modules(folder: Path, names: list[str]) -> list[str]:
    """Modules, and what they import, however indirectly; the first that are imported come first."""
    for name in names:
        text = folder.joinpath(name).read_text("utf-8")
        near = posixpath.dirname(name)
        found = (posixpath.normpath(posixpath.join(near, one)) for one in _IMPORT.findall(text))
        names += [one for one in dict.fromkeys(found) if one not in names]
    return names
