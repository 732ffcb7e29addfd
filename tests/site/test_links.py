"""The check of the built site's links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from website.links import check_links

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS = "https://a.example/docs/"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for folder in ("b", "play"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "index.html").write_text('<h1 id="x y">B</h1>')
    return tmp_path


@pytest.mark.parametrize(
    "link",
    ["b/", "b/#x%20y", "/docs/b/", f"{ADDRESS}b/index.html", "#here", ".", "play/#s=q1Y", ""],
)
def test_it_leads_somewhere(site: Path, link: str) -> None:
    (site / "index.html").write_text(f'<a id="here" href="{link}">b</a>')
    links = check_links(site, ADDRESS)
    assert (links.pages, links.internal, links.broken, links.external) == (3, 1, (), ())


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("c/", "no such page"),
        ("b/#z", "no such anchor"),
        ("#z", "no such anchor"),
        ("b", "no such page"),
    ],
)
def test_it_leads_nowhere(site: Path, link: str, why: str) -> None:
    (site / "index.html").write_text(f'<p><img src="{link}">')
    assert check_links(site, ADDRESS).broken == (f"index.html: {link}: {why}",)


def test_others_are_listed_once(site: Path) -> None:
    others = "https://a.example/", "https://b.example/c#d", "mailto:a@a.example", "data:,x"
    (site / "index.html").write_text("".join(f'<a href="{one}">' for one in others) * 2)
    assert check_links(site, ADDRESS).external == ("https://a.example/", "https://b.example/c")
