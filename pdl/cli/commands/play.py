"""`pdl play`: the playground, a page in the browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.help import Command
from pdl.cli.options import FILE, eos_option, model_option, server_option
from pdl.cli.terminal import Terminal
from pdl.errors import count, missing_package

if TYPE_CHECKING:
    from types import ModuleType

_PACKAGES = frozenset(
    ("starlette", "uvicorn", "websockets", "anyio", "pygls", "lsprotocol", "attrs", "cattrs")
)


@click.command(
    "play",
    cls=Command,
    exit_codes={
        0: "The page is written, with --static.",
        2: "A package is not installed, the port is in use, or an option or a file is invalid.",
    },
    examples=(
        ("try something out", "pdl play"),
        ("work on the prompts of a folder", "pdl play prompts/"),
        ("run a prompt with a local model", "pdl play mail.pdl --model ollama:qwen3"),
        ("see which tokens may come next", "pdl play mail.pdl --tokenizer tokenizer.json"),
        ("make a page that needs no server", "pdl play --static site/ --pyodide pyodide/"),
    ),
    short_help="Work on prompts in a page of the browser.",
)
@click.argument("path", type=FILE, required=False, metavar="[FILE|FOLDER]")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Port of the page. Default: any that is free.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the page, only print its address.")
@model_option(
    "--model",
    "models",
    repeatable=True,
    words="A model that the page can ask, as for `pdl run`, besides the `model` in the config turn"
    " of an opened prompt. Repeatable.",
)
@server_option()
@click.option(
    "--tokenizer",
    "tokenizers",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="A tokenizer.json, GGUF file or SentencePiece model, to see which tokens can come next in"
    " a reply. Needs numpy. Repeatable.",
)
@eos_option(
    "An end-of-sequence token of the tokenizers, by its text or ID, if their files do not name one."
    " Repeatable."
)
@click.option(
    "--static",
    type=FILE,
    metavar="DIR",
    help="Do not serve the page, but write it into DIR, for any server of files: it runs pdl in the"
    " browser, by Pyodide, and asks no models.",
)
@click.option(
    "--pyodide",
    metavar="DIR|URL",
    help="Where the files of Pyodide are, with --static: a directory that is copied, or an https"
    " address. Default: node_modules/pyodide.",
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    static: str | None,
    pyodide: str | None,
    **options: Any,
) -> None:
    """Work on prompts in a page of the browser, which this command serves until Ctrl-C.

    While you type, the page shows what a prompt, its data and a reply become: turns, requests of
    providers, schema, grammar, and how the reply is checked. Only this computer can reach it, and
    only with the address that is printed. Without FILE or FOLDER, nothing is saved.
    """
    if static is None:
        if pyodide is not None:
            raise click.UsageError("--pyodide requires --static")
        _serve(**options)
        return
    default = click.core.ParameterSource.DEFAULT
    given = [name for name in options if ctx.get_parameter_source(name) is not default]
    if given:
        told = {"path": "FILE", "models": "--model", "tokenizers": "--tokenizer"}
        name = told.get(given[0], f"--{given[0].replace('_', '-')}")
        raise click.UsageError(f"--static and {name} cannot be used together")
    from pdl.play.static_site import write_static  # noqa: PLC0415 - few write the page

    files = write_static(Path(static), pyodide)
    Terminal.stderr().write(f"wrote {count(len(files), 'file')} into {static}")


def _serve(*, path: str | None, port: int, no_browser: bool, **options: Any) -> None:
    """Serve the page until Ctrl-C."""
    if options["eos"] and not options["tokenizers"]:
        raise click.UsageError("--eos requires --tokenizer")
    serving = _serving()
    desk, listening = serving.opened(path, port, **options)
    address: str = desk.access.address
    Terminal.stdout().write(address)
    Terminal.stderr().write("Ctrl-C ends it.")
    if not no_browser and _has_display():
        webbrowser.open(address)
    serving.serve(desk, listening)


def _serving() -> ModuleType:
    try:
        from pdl.play import serving  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name not in _PACKAGES:
            raise
        raise missing_package("the playground needs", name, "play") from error
    return serving


def _has_display() -> bool:
    """Whether a browser can show itself here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
