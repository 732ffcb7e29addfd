"""What holds of the files of the page, and what its only foreign code is made from."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pdl.play.page import html_of

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "pdl" / "play" / "static"
OWN = [path for path in STATIC.rglob("*.js") if path.name != "vendor.js"]


def test_vendor_is_made_of_the_locked_packages() -> None:
    """The header of vendor.js names packages of package-lock.json, in these versions."""
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))
    locked = {
        path.removeprefix("node_modules/"): (one["version"], one["license"])
        for path, one in lock["packages"].items()
        if path
    }
    header = (STATIC / "vendor.js").read_text(encoding="utf-8").partition("*/")[0]
    named = re.findall(r"^ \* (@?[\w./-]+) (\d[\w.-]*) \((.+)\)$", header, re.MULTILINE)
    assert {name: (version, licence) for name, version, licence in named}.items() <= locked.items()
    wanted = json.loads((ROOT / "web" / "package.json").read_text(encoding="utf-8"))
    made_of = {name for name, _, _ in named}
    assert set(wanted["devDependencies"]) - made_of == {"esbuild"}, "which only builds"


def test_own_modules_are_small() -> None:
    """A module is one idea, as everywhere in pdl."""
    long = {path.name: count for path in OWN if (count := _lines(path)) > 400}
    assert not long


def test_page_has_no_inline_code() -> None:
    """The policy of the server allows neither scripts nor styles in the HTML."""
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|//", page)


@pytest.mark.parametrize("more", [[], ["worker_backend.js"]])
def test_the_page_names_the_modules_that_it_starts_with(more: list[str]) -> None:
    """All but those that are loaded later: the worker with its imports, and the other back end."""
    named = re.findall(r'<link rel="modulepreload" href="(.+)">', html_of(STATIC, *more))
    assert len(named) == len(set(named))
    left = {"worker.js", "pyodide_files.js", "worker_backend.js"} - {*more}
    own = {path.relative_to(STATIC).as_posix() for path in OWN}
    assert {*named} == {*own, "vendor.js"} - left


def test_html_is_never_written_as_text() -> None:
    """Modules make elements; what others wrote is only ever text."""
    writes = re.compile(r"\.(?:inner|outer)HTML|insertAdjacentHTML|document\.write|eval\(")
    found = [path.name for path in OWN if writes.search(path.read_text(encoding="utf-8"))]
    assert not found


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")
