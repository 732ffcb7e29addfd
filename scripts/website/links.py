"""The links of the built site: those within it must lead somewhere; the others are listed."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from website.sources import ADDRESS, PLAYGROUND, REPOSITORY, ROOT

if TYPE_CHECKING:
    from pathlib import Path

_LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "iframe": "src"}


@dataclass
class Page(HTMLParser):
    """What a page of HTML links to, and the anchors that it has."""

    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the link and the anchor of an element."""
        values = dict(attrs)
        self.anchors |= {value for name in ("id", "name") if (value := values.get(name))}
        target = values.get(_LINKS.get(tag, ""))
        if target is not None:
            self.links.append(target)


@dataclass(frozen=True)
class Links:
    """The links of a site."""

    pages: int
    internal: int
    external: tuple[str, ...]
    """Addresses outside of the site, each once."""
    broken: tuple[str, ...]
    """Those that lead nowhere, as `PAGE: LINK: why`."""


def settle_links(site: Path) -> None:
    """Make the links of a built site right for any address that it is published at.

    The builder changes relative addresses in HTML, so those of the playground come with the
    address of the site; on the first page, it leaves those of the page itself empty. The page of
    errors is shown at any address, so the builder's links there begin with the path of the site.
    """
    for path in sorted(site.rglob("*.html")):
        top = "../" * (len(path.relative_to(site).parts) - 1)
        if path == site / "404.html":
            top = urlsplit(ADDRESS).path
        text = path.read_text(encoding="utf-8")
        text = text.replace(f'href="{ADDRESS}{PLAYGROUND}', f'href="{top}{PLAYGROUND}')
        path.write_text(text.replace('href=""', 'href="./"'), encoding="utf-8")


def check_links(site: Path, address: str) -> Links:
    """Return what the pages below a directory link to; `address` is where the site will be."""
    read = {path.relative_to(site).as_posix(): _read(path) for path in sorted(site.rglob("*.html"))}
    outside: set[str] = set()
    broken, internal = [], 0
    for name, page in read.items():
        for link in page.links:
            target, anchor = urldefrag(urljoin(address + name, link))
            why = ""
            if not link:
                why = "empty"
            elif target.startswith(address):
                internal += 1
                why = _broken(site, read, unquote(target.removeprefix(address)), unquote(anchor))
            elif target.startswith(("http://", "https://")):
                outside.add(target)
                why = _astray(link, target)
            broken += [f"{name}: {link}: {why}"] if why else []
    return Links(len(read), internal, tuple(sorted(outside)), tuple(broken))


def _astray(link: str, target: str) -> str:
    """Why a link out of the site is wrong; empty if it isn't known to be."""
    if not urlsplit(link).netloc:
        return "leaves the site"
    for kind in ("blob", "tree"):
        place = target.removeprefix(f"{REPOSITORY}/{kind}/main/")
        if place != target and not (ROOT / unquote(place)).exists():
            return "no such file"
    return ""


def _broken(site: Path, read: dict[str, Page], path: str, anchor: str) -> str:
    """Why a link within the site leads nowhere; empty if it leads somewhere."""
    place = posixpath.join(path, "index.html") if path == "" or path.endswith("/") else path
    if not (site / place).is_file():
        return "no such page"
    if place.startswith(PLAYGROUND):  # its fragments are states
        return ""
    return "" if not anchor or anchor in read[place].anchors else "no such anchor"


def _read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page
