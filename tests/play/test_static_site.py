"""The page without a server: what is written, that it is enough, and that it says nothing else."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import pdl
import pdl.play.archive as archives
import pdl.play.static_site as sites
from pdl.errors import ConfigError, FileError
from pdl.play.static_site import write_static

if TYPE_CHECKING:
    from collections.abc import Mapping

FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
ADDRESS = "https://files.example/pyodide/v1/full/"


@pytest.fixture(scope="module")
def packed() -> bytes:
    return archives.archive()


@pytest.fixture
def quick(packed: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packs once for all tests of a page."""
    monkeypatch.setattr(sites, "archive", lambda: packed)


def pyodide(folder: Path, packages: Mapping[str, str] = {}) -> Path:
    """A directory that has what a release of Pyodide has, and some wheels of its packages."""
    folder.mkdir()
    for name in FILES:
        folder.joinpath(name).write_text(name, "utf-8")
    known = {"regex": "regex-1.whl", "rpds-py": "rpds-1.whl", "numpy": "numpy-1.whl"}
    lock = {"info": {}, "packages": {name: {"file_name": file} for name, file in known.items()}}
    folder.joinpath("pyodide-lock.json").write_text(json.dumps(lock), "utf-8")
    for file, text in packages.items():
        folder.joinpath(file).write_text(text, "utf-8")
    return folder


def settings(folder: Path) -> Any:
    return json.loads(folder.joinpath("settings.json").read_bytes())


def policy(folder: Path) -> str:
    page = folder.joinpath("index.html").read_text("utf-8")
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert found is not None
    assert '<meta name="pdl-static">' in page
    return found[1]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "name", ["index.html", "style.css", "panels/run.js", "pyodide/pyodide.mjs"]
)
def test_no_file_of_others_is_replaced(tmp_path: Path, name: str) -> None:
    site, source = tmp_path / "site", str(pyodide(tmp_path / "from"))
    mine = site / name
    mine.parent.mkdir(parents=True)
    mine.write_text("<p>mine</p>", "utf-8")
    with pytest.raises(FileError, match=r"is not of a page that `pdl play --static` wrote"):
        write_static(site, source)
    assert mine.read_text("utf-8") == "<p>mine</p>"
    assert [file for file in site.rglob("*") if file.is_file()] == [mine]


@pytest.mark.usefixtures("quick")
def test_a_page_is_written_over_one_that_was_not_finished(tmp_path: Path) -> None:
    site, source = tmp_path / "site", str(pyodide(tmp_path / "from"))
    site.mkdir()
    site.joinpath("CNAME").write_text("play.example", "utf-8")  # stays
    site.joinpath("panels").write_text("", "utf-8")  # where a folder is written
    with pytest.raises(FileError, match="cannot be written"):
        write_static(site, source)
    site.joinpath("panels").unlink()
    written = write_static(site, source)
    assert written == sorted(written)
    assert write_static(site, source) == written
    assert site.joinpath("CNAME").read_text("utf-8") == "play.example"


@pytest.mark.usefixtures("quick")
def test_a_page_is_written_with_the_files_of_pyodide(tmp_path: Path) -> None:
    written = write_static(tmp_path / "site", str(pyodide(tmp_path / "from")))
    names = {file.relative_to(tmp_path / "site").as_posix() for file in written}
    assert {"index.html", "main.js", "worker.js", "settings.json", "pdl.zip"} <= names
    assert {one for one in names if one.startswith("pyodide/")} == {
        f"pyodide/{name}" for name in (*FILES, "pyodide-lock.json")
    }
    assert all(file.is_file() for file in written)
    assert settings(tmp_path / "site")["packages"] == []
    assert "https:" not in policy(tmp_path / "site")


@pytest.mark.usefixtures("quick")
def test_wheels_that_are_there_are_copied_and_loaded(tmp_path: Path) -> None:
    place = pyodide(tmp_path / "from", {"regex-1.whl": "r", "numpy-1.whl": "n"})
    write_static(tmp_path / "site", str(place))
    found = sorted(path.name for path in tmp_path.glob("site/pyodide/*.whl"))
    assert found == ["regex-1.whl"]
    assert settings(tmp_path / "site")["packages"] == ["regex"]
    lock = json.loads(tmp_path.joinpath("site/pyodide/pyodide-lock.json").read_bytes())
    assert list(lock["packages"]) == ["regex"]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("address", [ADDRESS, ADDRESS.rstrip("/")])
def test_a_page_loads_pyodide_from_the_address_that_is_given(tmp_path: Path, address: str) -> None:
    write_static(tmp_path, address)
    assert settings(tmp_path)["pyodide"] == ADDRESS
    assert not tmp_path.joinpath("pyodide").exists()
    for directive in policy(tmp_path).split("; "):
        name, *sources = directive.split()
        allowed = name in ("script-src", "connect-src")
        assert ("https://files.example" in sources) == allowed


@pytest.mark.usefixtures("quick")
def test_pyodide_is_found_where_npm_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as caught:
        write_static(tmp_path / "site")
    assert "npm install pyodide@" in caught.value.problem.hint
    tmp_path.joinpath("node_modules").mkdir()
    pyodide(tmp_path / "node_modules/pyodide")
    write_static(tmp_path / "site")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("nowhere", "Pyodide was not found in nowhere: the directory does not exist"),
        (".", "Pyodide was not found in .: pyodide.mjs is missing"),
        ("http://files.example/", "is not an address"),
        ("https://name:key@files.example/", "is not an address"),
        ("https://files.example/?a", "is not an address"),
        ("https://files.example/; script-src *", "is not an address"),
        ("https://files.example/\"'", "is not an address"),
    ],
)
def test_a_place_without_pyodide_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=re.escape(words)) as caught:
        write_static(tmp_path / "site", place)
    assert caught.value.problem.code == "config/pyodide"
    assert not tmp_path.joinpath("site").exists()


@pytest.mark.usefixtures("quick")
def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.touch()
    with pytest.raises(FileError, match="cannot be written"):
        write_static(target, ADDRESS)


@pytest.mark.usefixtures("quick")
def test_the_policy_takes_no_script_from_the_page(tmp_path: Path) -> None:
    write_static(tmp_path, ADDRESS)
    assert "default-src 'none'" in policy(tmp_path)
    assert "unsafe-inline" not in policy(tmp_path)
    assert "'unsafe-eval'" not in policy(tmp_path)


def test_equal_files_make_equal_bytes(packed: bytes) -> None:
    assert archives.archive() == packed


def test_no_file_says_where_it_comes_from(packed: bytes) -> None:
    """Neither the clone nor the environment, nor who made it."""
    places = {str(Path(pdl.__file__).parents[1]), sys.prefix, str(Path.home())} - {"/", "/root"}
    with zipfile.ZipFile(io.BytesIO(packed)) as files:
        for name in files.namelist():
            content = files.read(name)
            assert not any(place.encode() in content for place in places), name
            assert not name.endswith(("RECORD", "direct_url.json", ".so", ".pyd", ".pyc")), name


def test_every_package_comes_with_its_license(packed: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(packed)) as files:
        told = [name for name in files.namelist() if ".dist-info/" in name]
    of_each = {name.partition("-")[0] for name in told if re.search("LICENSE|COPYING", name)}
    assert of_each == {name.replace("-", "_") for name in (*archives.NEEDED, "pdl-prompts")}


def test_the_requirements_of_what_is_packed_are_packed() -> None:
    there = {*archives.NEEDED, *archives.STAND_INS.values()}
    environment = {"python_version": "3.14", "extra": "", "sys_platform": "emscripten"}
    for name in archives.NEEDED:
        for line in distribution(name).requires or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate(environment):
                assert canonicalize_name(needed.name) in there, f"{name} needs {line}"


ALONE = """
import json, sys
root = sys.argv[1]
sys.path[:] = [root, *(one for one in sys.path if "site-packages" not in one), root + "/stand_ins"]
from pdl.play.browser import Browser
page = Browser(root + "/prompts")
prompt = '<|user|>\\nx\\n<|schema|>\\n{ a: str { pattern: "^[A-Z]{3}$" }, b: date, c?: [int] }\\n'
for reply in ("{a: ABC, b: 2024-01-01}", '{"a": "abc", "b": "2024-01-01", "c": [1, "x"]}'):
    given = {"prompt": prompt, "data": "k: [1]", "reply": reply}
    seen = json.loads(page.call("look", json.dumps(given)))
    assert seen["status"] == 200 and not seen["result"]["failed"], seen
    print(seen["result"]["check"]["summary"])
print(*json.loads(page.call("hello", "{}"))["result"]["notes"], sep="\\n")
take = page.language(print)
message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
take(json.dumps(message))
print("jsonschema" in sys.modules, sys.modules["rpds"].__file__ == root + "/stand_ins/rpds.py")
"""


def test_the_archive_is_all_that_pdl_needs(packed: bytes, tmp_path: Path) -> None:
    """In a Python that has nothing else, pdl shows a prompt and speaks with an editor."""
    with zipfile.ZipFile(io.BytesIO(packed)) as files:
        files.extractall(tmp_path)
    done = subprocess.run(  # noqa: S603  (our own interpreter and text)
        [sys.executable, "-I", "-S", "-c", ALONE, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    out = done.stdout.splitlines()
    assert "Python's `re`" in done.stdout
    assert out[-1] == "True True"
    assert '"hoverProvider"' in out[-2]
