"""The command `pdl`, in a module whose name no other distribution has.

IBM's PDL (`prompt-declaration-language`) is imported as `pdl` too, and also has a command `pdl`.
Installed into one environment, each overwrites files of the other, and uninstalling one removes
files of the other. What is left then is this module, so that it can say what happened.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any, NoReturn

_OTHER = "prompt-declaration-language"
_THEIRS = f"{_OTHER} (IBM's PDL)"
_FAILED = 2  # as pdl.cli.exits has it, which may be gone
_AGAIN = "install pdl-prompts again with `pip install --force-reinstall --no-deps`"
_MIXED = f"make an environment for each, or run `pip uninstall {_OTHER}` and {_AGAIN}"


def main() -> NoReturn:
    """Run the command `pdl`, or exit with 2 after saying why its package cannot be found."""
    try:
        command = _own_package().cli.main
        _warn_of_the_other()
        command()
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("pdl."):
            raise
        _leave(_missing())
    raise AssertionError("the command leaves by itself")


def _own_package() -> Any:
    """The package `pdl` with its command line, if it is the one of pdl-prompts."""
    spec = importlib.util.find_spec("pdl")
    if spec is None or spec.origin is None:  # a folder without __init__.py is none of ours
        _leave(_missing())
    try:
        package = importlib.import_module("pdl")
    except ImportError:  # of what it needs
        package = None
    if "_HOMES" not in vars(package or object):
        other = f", of {_THEIRS}" if _installed() is not None else ""
        message = f"`import pdl` finds {spec.origin}{other}, which is not that of pdl-prompts"
        _leave((message, _MIXED if other else "rename it, or take it off the path"))
    importlib.import_module("pdl.cli")
    return package


def _missing() -> tuple[str, str]:
    message = (
        "files of pdl-prompts are missing: uninstalling another distribution that is imported as"
        f" `pdl`, such as {_THEIRS}, removes them"
    )
    return message, _AGAIN


def _warn_of_the_other() -> None:
    """Say that both are installed, where pdl-prompts came last and so works for the time being."""
    package = sys.modules["pdl"].__file__ or ""
    if not Path(package).with_name("pdl.py").exists():  # theirs; a quick look, before a slow one
        return
    other = _installed()
    if other is not None and any(str(file) == "pdl/__init__.py" for file in other.files or ()):
        message = f"{_THEIRS} is installed in the same folder: uninstalling either breaks the other"
        _say(f"warning: {message}", _MIXED)


def _installed() -> Any:
    """The other distribution, if it is installed."""
    metadata = importlib.import_module("importlib.metadata")
    try:
        return metadata.distribution(_OTHER)
    except metadata.PackageNotFoundError:
        return None


def _leave(told: tuple[str, str]) -> NoReturn:
    _say(f"error: {told[0]}", told[1])
    sys.exit(_FAILED)


def _say(message: str, hint: str) -> None:
    print(f"{message}\n  hint: {hint}", file=sys.stderr)  # noqa: T201  (pdl.cli may be gone)
