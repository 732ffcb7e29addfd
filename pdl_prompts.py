"""The command `pdl`, in a module whose name no other distribution has.

IBM's PDL (`prompt-declaration-language`) is imported as `pdl` too, and also has a command `pdl`.
Installed into one environment, each overwrites files of the other, and uninstalling one removes
files of the other. This module remains then, so that it can report what happened.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any, NoReturn

_OTHER = "prompt-declaration-language"
_THEIRS = f"{_OTHER} (IBM's PDL)"
_FAILED, _INTERRUPTED = 2, 130  # as in pdl.cli.terminal, which might be missing
_AGAIN = "reinstall pdl-prompts with `pip install --force-reinstall --no-deps`"
_MIXED = f"use a separate environment for each, or run `pip uninstall {_OTHER}` and {_AGAIN}"


def main() -> NoReturn:
    """Run the command `pdl`, or exit with 2 after reporting why its package cannot be found."""
    try:
        command = _own_package().cli.main
        _warn_of_the_other()
        command()
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("pdl."):
            raise
        _leave(_missing())
    except KeyboardInterrupt:  # while modules are imported
        sys.exit(_INTERRUPTED)
    raise AssertionError("the command exits by itself")


def _own_package() -> Any:
    """The package `pdl` with its command line, if it is the one of pdl-prompts."""
    spec = importlib.util.find_spec("pdl")
    if spec is None or spec.origin is None:  # a directory without __init__.py is not ours
        _leave(_missing())
    try:
        package = importlib.import_module("pdl")
    except ImportError:  # of a dependency
        package = None
    if "_HOMES" not in vars(package or object):
        other = f" of {_THEIRS}" if _installed() is not None else ""
        message = f"`import pdl` finds {spec.origin}{other} instead of pdl-prompts"
        _leave((message, _MIXED if other else "rename it, or remove it from the path"))
    importlib.import_module("pdl.cli")
    return package


def _missing() -> tuple[str, str]:
    message = (
        "files of pdl-prompts are missing: uninstalling another distribution that is imported as"
        f" `pdl`, such as {_THEIRS}, removes them"
    )
    return message, _AGAIN


def _warn_of_the_other() -> None:
    """Report that both are installed if pdl-prompts came last, and so works for now."""
    package = sys.modules["pdl"].__file__ or ""
    if not Path(package).with_name("pdl.py").exists():  # theirs; a quick check before a slow one
        return
    other = _installed()
    if other is not None and any(str(file) == "pdl/__init__.py" for file in other.files or ()):
        message = (
            f"{_THEIRS} is installed in the same directory: uninstalling either breaks the other"
        )
        _say(f"warning: {message}", _MIXED)


def _installed() -> Any:
    """The other distribution, or None if it is not installed."""
    metadata = importlib.import_module("importlib.metadata")
    try:
        return metadata.distribution(_OTHER)
    except metadata.PackageNotFoundError:
        return None


def _leave(message_and_hint: tuple[str, str]) -> NoReturn:
    message, hint = message_and_hint
    _say(f"error: {message}", hint)
    sys.exit(_FAILED)


def _say(message: str, hint: str) -> None:
    print(f"{message}\n  hint: {hint}", file=sys.stderr)  # noqa: T201  (pdl.cli might be missing)
