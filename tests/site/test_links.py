"""The check of the built site's links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from website.links import check_links, settle_links
from website.sources import ADDRESS as PUBLISHED
from website.sources import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS = "https://a.example/docs/"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for folder in ("b", "playground"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "index.html").write_text('<h1 id="x y">B</h1>')
    return tmp_path


@pytest.mark.parametrize(
    "link",
    ["b/", "b/#x%20y", "/docs/b/", f"{ADDRESS}b/index.html", "#here", ".", "playground/#s=q1Y"],
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
        ("", "empty"),
        ("../b/", "leaves the site"),
        ("/b/", "leaves the site"),
        (f"{REPOSITORY}/blob/main/docs/docs/play.md", "no such file"),
    ],
)
def test_it_leads_nowhere(site: Path, link: str, why: str) -> None:
    (site / "index.html").write_text(f'<p><img src="{link}">')
    assert check_links(site, ADDRESS).broken == (f"index.html: {link}: {why}",)


def test_others_are_listed_once(site: Path) -> None:
    others = "https://a.example/", "https://b.example/c#d", "mailto:a@a.example", "data:,x"
    (site / "index.html").write_text("".join(f'<a href="{one}">' for one in others) * 2)
    assert check_links(site, ADDRESS).external == ("https://a.example/", "https://b.example/c")


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("index.html", "playground/#s=a"),
        ("c/index.html", "../playground/#s=a"),
        ("api/c/index.html", "../../playground/#s=a"),
        ("404.html", "/pdl/playground/#s=a"),
    ],
)
def test_the_way_to_the_playground(site: Path, page: str, link: str) -> None:
    path = site / page
    path.parent.mkdir(parents=True, exist_ok=True)
    (site / "index.html").touch()
    path.write_text(f'<a href="{PUBLISHED}playground/#s=a"><a href="">')
    settle_links(site)
    assert path.read_text() == f'<a href="{link}"><a href="./">'
    assert check_links(site, PUBLISHED).broken == ()
