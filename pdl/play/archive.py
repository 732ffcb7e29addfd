"""The archive of Python files from which pdl runs in a browser.

It has pdl and the pure Python of the distributions that pdl needs there, as they are installed
here, with their licenses. Equal files make equal bytes.
"""

from __future__ import annotations

import io
import zipfile
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from pdl.errors import missing_package

if TYPE_CHECKING:
    from collections.abc import Iterator

NEEDED = (
    "attrs",
    "cattrs",
    "jinja2",
    "jsonschema",
    "jsonschema-specifications",
    "lsprotocol",
    "markupsafe",
    "pygls",
    "pyyaml",
    "referencing",
    "typing-extensions",
)
"""The distributions that are copied, besides pdl itself."""

STAND_INS = {"regex": "regex", "rpds": "rpds-py"}
"""The packages with machine code, and their distributions.

What stands in for them comes last on the path of Python, so that the packages are used if Pyodide
has them.
"""

_PDL = "pdl-prompts"
_LEFT_OUT = ("cli", "masks", "play/stand_ins", "play/static", "__main__.py")
"""What of pdl needs a terminal, a server or a tokenizer."""
_SKIPPED = {"tests", "benchmarks", "__pycache__"}
_MACHINE_CODE = {".so", ".pyd", ".dll", ".dylib", ".c", ".pyx", ".pyi"}
_DATED = (1980, 1, 1, 0, 0, 0)
_LEVEL = 9


def archive() -> bytes:
    """Return a zip file to unpack where Python looks for packages.

    `stand_ins` in it is another place to look. Raises ConfigError for a package that is not
    installed here.
    """
    files = dict(_pdl())
    for name in NEEDED:
        files.update(_distributed(_distribution(name)))
    for name in STAND_INS:
        files[f"stand_ins/{name}.py"] = (
            Path(__file__).parent.joinpath("stand_ins", f"{name}.py").read_bytes()
        )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as packed:
        for path, content in sorted(files.items()):
            packed.writestr(zipfile.ZipInfo(path, _DATED), content, zipfile.ZIP_DEFLATED, _LEVEL)
    return out.getvalue()


def _distribution(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        raise missing_package("a page without a server needs", name, "play") from error


def _pdl() -> Iterator[tuple[str, bytes]]:
    """The files of pdl, from where it is imported, and what is told about its distribution."""
    root = Path(__file__).parents[1]
    for file in root.rglob("*"):
        path = file.relative_to(root)
        left_out = any(path.is_relative_to(one) for one in _LEFT_OUT)
        if file.is_file() and not left_out and _is_taken(path):
            yield f"pdl/{path.as_posix()}", file.read_bytes()
    yield from _about(_distribution(_PDL))


def _distributed(found: Distribution) -> Iterator[tuple[str, bytes]]:
    """The files of a distribution that Python reads, and its licenses."""
    for file in found.files or ():
        path = Path(file)
        if ".." not in path.parts and ".dist-info" not in path.parts[0] and _is_taken(path):
            yield path.as_posix(), file.read_binary()
    yield from _about(found)


def _about(found: Distribution) -> Iterator[tuple[str, bytes]]:
    """The metadata and the licenses of a distribution; nothing that says where it is installed."""
    for file in found.files or ():
        path = Path(file)
        if path.parts[0].endswith(".dist-info") and (
            path.name == "METADATA" or "licenses" in path.parts or "LICENSE" in path.name.upper()
        ):
            yield path.as_posix(), file.read_binary()


def _is_taken(path: Path) -> bool:
    return path.suffix not in _MACHINE_CODE | {".pyc"} and _SKIPPED.isdisjoint(path.parts)
