"""The page of the playground as files, for any server of files: Python runs in the browser."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pdl.errors import ConfigError, FileError, Problem
from pdl.play.archive import STAND_INS, archive
from pdl.play.page import html_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl._types import Json

_PAGE = Path(__file__).parent / "static"
_PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
_LOCK = "pyodide-lock.json"
_VERSION = "314.0.7"
_HERE = "node_modules/pyodide"
_MARK = '<meta charset="utf-8">'
_SIGN = '<meta name="pdl-static">'
_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{origin}; worker-src 'self'; "
    "connect-src 'self'{origin}; style-src 'self'; img-src 'self' data: blob:; "
    "media-src data: blob:; frame-src 'self' data: blob:; form-action 'none'; base-uri 'none'"
)


def write_static(directory: Path, pyodide: str | None = None) -> list[Path]:
    """Write the page into a directory, and return its files, in their order.

    `pyodide` is a directory with the files of Pyodide, or an https address that the page loads them
    from; None is `node_modules/pyodide` in the working directory. Equal versions make equal bytes.
    Raises ConfigError for a place without Pyodide and for a package that is not installed,
    FileError for a file that cannot be written, and before anything is written for one that is
    there and is not of such a page.
    """
    place = _place(pyodide)
    files = dict(_page())
    packed = archive()
    digest = hashlib.sha256(packed).hexdigest()[:16]
    settings: dict[str, Json] = {"archive": f"pdl.zip?{digest}"}
    origin = ""
    if isinstance(place, Path):
        found = dict(_pyodide(place))
        files.update({f"pyodide/{name}": content for name, content in found.items()})
        wheels = json.loads(found[_LOCK])["packages"]
        settings.update(pyodide="pyodide/", packages=sorted(set(wheels) & set(STAND_INS.values())))
    else:
        parts = urlsplit(place)
        origin = f"{parts.scheme}://{parts.netloc}"
        settings.update(pyodide=place, packages=sorted(STAND_INS.values()))
    files["pdl.zip"] = packed
    files["settings.json"] = json.dumps(settings, indent=2).encode() + b"\n"
    files["index.html"] = _static(html_of(_PAGE, "worker_backend.js"), origin).encode()
    _check_free(directory, files)
    # The page comes first: where it is, the files beside it are its own.
    names = ["index.html", *sorted(files.keys() - {"index.html"})]
    return sorted(_write(directory / name, files[name]) for name in names)


def policy_of(origin: str = "") -> str:
    """Return the Content-Security-Policy of a page that loads from its place and one origin."""
    return _POLICY.format(origin=f" {origin}" if origin else "")


def _place(pyodide: str | None) -> Path | str:
    """The directory or the address of Pyodide. Raises ConfigError if it is neither."""
    place = _HERE if pyodide is None else pyodide
    if place.startswith(("https:", "http:")):
        if not re.fullmatch(r"https://[\w.-]+(?::[0-9]+)?(?:/[\w.@~+-]+)*/?", place, re.ASCII):
            hint = "write https://host/directory, without credentials or a query"
            raise _refusal(f"{place} is not an address that a page can load Pyodide from", hint)
        return place.rstrip("/") + "/"
    missing = [name for name in (*_PYODIDE, _LOCK) if not Path(place, name).is_file()]
    if missing:
        is_there = Path(place).is_dir()
        why = f"{missing[0]} is missing" if is_there else "the directory does not exist"
        hint = (
            f"run `npm install pyodide@{_VERSION}`, or pass the directory or the https address of "
            "a release as --pyodide"
        )
        raise _refusal(f"Pyodide was not found in {place}: {why}", hint)
    return Path(place)


def _refusal(message: str, hint: str) -> ConfigError:
    return ConfigError(Problem("config/pyodide", message, None, hint))


def _page() -> Iterator[tuple[str, bytes]]:
    """The page's own files."""
    for file in _PAGE.rglob("*"):
        if file.is_file():
            yield file.relative_to(_PAGE).as_posix(), file.read_bytes()


def _pyodide(place: Path) -> Iterator[tuple[str, bytes]]:
    """The files of Pyodide that the page loads, with the wheels of packages that are there."""
    for name in _PYODIDE:
        yield name, place.joinpath(name).read_bytes()
    lock = json.loads(place.joinpath(_LOCK).read_bytes())
    packages: dict[str, Json] = {}
    for name in STAND_INS.values():
        entry = lock["packages"].get(name)
        if entry is not None and place.joinpath(entry["file_name"]).is_file():
            packages[name] = entry
            yield entry["file_name"], place.joinpath(entry["file_name"]).read_bytes()
    yield _LOCK, json.dumps({**lock, "packages": packages}).encode()


def _static(page: str, origin: str) -> str:
    """The page, which finds Python in a worker."""
    policy = policy_of(origin)
    assert _MARK in page
    more = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        _SIGN,
    )
    return page.replace(_MARK, "\n    ".join((_MARK, *more)), 1)


def _check_free(directory: Path, files: Iterable[str]) -> None:
    """Raise FileError if a file of somebody else would be lost."""
    page = directory / "index.html"
    if page.is_file() and _SIGN.encode() in page.read_bytes():
        return
    for file in sorted(directory / name for name in files):
        if os.path.lexists(file):
            hint = "choose another directory, or delete the file"
            message = f"{file}: is not of a page that `pdl play --static` wrote, and stays as it is"
            raise FileError(Problem("file/unwritable", message, None, hint))


def _write(file: Path, content: bytes) -> Path:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(
            Problem("file/unwritable", f"{file}: cannot be written: {reason}")
        ) from error
    return file
