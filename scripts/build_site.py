"""Build the site of the documentation.

python scripts/build_site.py DIR [--play DIR | --pyodide DIR] [--sources DIR] [--links FILE]

It writes the site to DIR, which must not exist or be a site that it made. `--play` is the page that
`pdl play --static` wrote; `--pyodide` writes it here, with the files of Pyodide in that directory.
Without either, no example has a link to the playground or a button that runs it. The builder
(Zensical) and griffe are in scripts/site_requirements.txt; pdl must be installed, so that Pygments
finds its lexers.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from website import commands, examples, interface
from website.links import check_links, settle_links
from website.sources import ADDRESS, PLAYGROUND, ROOT, adapted

from pdl.play.static_site import write_static

MADE = "search.json"
"""A file that each site has."""


def main() -> int:
    """Build the site, and check its links; returns the exit code."""
    given = _arguments()
    if given.site.exists() and not (given.site / MADE).exists():
        print(f"{given.site} is not a site that this made", file=sys.stderr)
        return 2
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as made:
        folder = given.sources or Path(made)
        write_sources(folder, play=bool(given.play or given.pyodide))
        _build(folder, given.site)
    settle_links(given.site)
    if given.play:
        shutil.copytree(given.play, given.site / PLAYGROUND, dirs_exist_ok=True)
    elif given.pyodide:
        write_static(given.site / PLAYGROUND, given.pyodide)
    else:
        print(
            "no links to the playground, and no buttons that run examples:"
            " they need --play or --pyodide"
        )
    seconds = time.perf_counter() - began
    links = check_links(given.site, ADDRESS)
    if given.links:
        given.links.write_text("".join(f"{one}\n" for one in links.external), encoding="utf-8")
    for one in links.broken:
        print(one, file=sys.stderr)
    print(
        f"{links.pages} pages in {seconds:.1f} s; {links.internal} links within the site,"
        f" {len(links.broken)} broken; {len(links.external)} addresses outside of it, not fetched"
    )
    return 1 if links.broken else 0


def write_sources(folder: Path, *, play: bool) -> None:
    """Write the configuration of the builder and all pages, made and adapted, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")  # which ends with the navigation
    settings += f"  - Playground: {ADDRESS}{PLAYGROUND}\n" if play else ""
    (folder / "mkdocs.yml").write_text(settings, encoding="utf-8")
    docs = folder / "docs"
    own = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
    pages = {**own, "cli.md": commands.page(), **interface.Interface.of(ROOT).pages()}
    pages["changelog.md"] = (ROOT / "CHANGELOG.md").read_text("utf-8")
    shutil.copytree(ROOT / "docs" / "assets", docs / "assets", dirs_exist_ok=True)
    for name, text in pages.items():
        page = examples.Page(name, text, play=play and name in own)
        path = docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(adapted(name, text, page.after, pages), encoding="utf-8")
        page.write_steps(docs)


def _build(folder: Path, site: Path) -> None:
    builder = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    subprocess.run(builder, cwd=folder, check=True)  # noqa: S603  (our own text)
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(folder / "site", site)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("site", type=Path, metavar="DIR")
    play = parser.add_mutually_exclusive_group()
    play.add_argument("--play", type=Path, metavar="DIR", help="the static playground")
    play.add_argument("--pyodide", metavar="DIR", help="write the static playground, with this")
    parser.add_argument("--sources", type=Path, metavar="DIR", help="keep what the builder reads")
    parser.add_argument("--links", type=Path, metavar="FILE", help="list the external addresses")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
