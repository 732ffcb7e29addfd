"""Another distribution that is imported as `pdl` too, in each order of coming and going."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import pdl
import pdl_prompts

ROOT = Path(__file__).parents[2]
OURS = Path(pdl.__file__).parent
ABOUT = "prompt_declaration_language-0.9.3.dist-info"
THEIRS = {
    "pdl/__init__.py": "__version__ = '0.9.3'\n",
    "pdl/pdl.py": "def main() -> int:\n    return 0\n",
    f"{ABOUT}/METADATA": "Metadata-Version: 2.1\nName: prompt-declaration-language\nVersion: 0.9.3",
    f"{ABOUT}/RECORD": "pdl/__init__.py,,\npdl/pdl.py,,\n",
}
"""The files of its wheel that matter here."""

MIXED = (
    "  hint: use a separate environment for each, or run"
    " `pip uninstall prompt-declaration-language` and reinstall pdl-prompts with"
    " `pip install --force-reinstall --no-deps`\n"
)
MISSING = (
    "error: files of pdl-prompts are missing: uninstalling another distribution that is imported as"
    " `pdl`, such as prompt-declaration-language (IBM's PDL), removes them\n"
    "  hint: reinstall pdl-prompts with `pip install --force-reinstall --no-deps`\n"
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A directory of installed packages, with those that pdl needs."""
    for name in ("click", "lark", "regex"):
        (tmp_path / name).symlink_to(Path(str(import_module(name).__file__)).parent)
    (tmp_path / "pdl").mkdir()
    return tmp_path


def install_ours(site: Path) -> None:
    shutil.copy(str(pdl_prompts.__file__), site)
    for inner in OURS.iterdir():
        there = site / "pdl" / inner.name
        there.unlink(missing_ok=True)
        shutil.copy(inner, there) if inner.is_file() else there.symlink_to(inner)


def install_theirs(site: Path) -> None:
    (site / ABOUT).mkdir()
    for name, text in THEIRS.items():
        (site / name).write_text(text, encoding="utf-8")


def uninstall_theirs(site: Path) -> None:
    for name in THEIRS:
        (site / name).unlink()


def run(site: Path, *start: str) -> tuple[int, str, str]:
    """A command of pdl by the packages of the directory and no others (`-S`)."""
    words = [sys.executable, "-S", *start, "schema", "--dsl", "{ n: integer }", "--to", "dsl"]
    done = subprocess.run(  # noqa: S603  (our own command)
        words, capture_output=True, text=True, check=False, cwd=site, env={}
    )
    return done.returncode, done.stdout, done.stderr


BY_NAME = ("-c", "from pdl_prompts import main; main()")


@pytest.mark.parametrize("start", [BY_NAME, ("-m", "pdl")])
def test_each_order(site: Path, start: tuple[str, ...]) -> None:
    install_ours(site)
    assert run(site, *start) == (0, "{ n: int }\n", "")
    install_theirs(site)
    found = f"error: `import pdl` finds {site / 'pdl' / '__init__.py'}"
    told = f"{found} of prompt-declaration-language (IBM's PDL) instead of pdl-prompts\n"
    assert run(site, *start) == (2, "", told + MIXED)
    uninstall_theirs(site)
    assert run(site, *start) == (2, "", MISSING)
    install_ours(site)
    assert run(site, *start) == (0, "{ n: int }\n", "")


def test_ours_over_theirs_works_and_warns(site: Path) -> None:
    install_theirs(site)
    install_ours(site)
    code, out, told = run(site, *BY_NAME)
    assert (code, out) == (0, "{ n: int }\n")
    assert told == (
        "warning: prompt-declaration-language (IBM's PDL) is installed in the same directory:"
        f" uninstalling either breaks the other\n{MIXED}"
    )
    uninstall_theirs(site)
    assert run(site, *BY_NAME) == (2, "", MISSING)


def test_a_file_of_that_name_is_not_the_package(site: Path) -> None:
    """A script called pdl.py comes before the installed package on the path."""
    shutil.copy(str(pdl_prompts.__file__), site)
    (site / "pdl").rmdir()
    (site / "pdl.py").write_text("import nothing_of_that_name\n")
    told = f"error: `import pdl` finds {site / 'pdl.py'} instead of pdl-prompts\n"
    assert run(site, *BY_NAME) == (2, "", f"{told}  hint: rename it, or remove it from the path\n")


@pytest.mark.parametrize("gone", ["cli", "schema"])
def test_a_missing_part_is_told(site: Path, gone: str) -> None:
    install_ours(site)
    (site / "pdl" / gone).unlink()
    assert run(site, *BY_NAME) == (2, "", MISSING)


def test_the_commands_begin_in_a_module_that_nobody_else_has() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"] == dict.fromkeys(["pdl", "pdl-prompts"], "pdl_prompts:main")
