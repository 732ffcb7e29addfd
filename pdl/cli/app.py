"""The command `pdl` with its groups, and the one place where pdl's errors end."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from pdl.cli.help import LazyGroup
from pdl.cli.terminal import FAILED, INTERRUPTED, Terminal
from pdl.errors import PdlError


class Application(LazyGroup):
    """The group of all commands, which prints the errors of all of them."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. An error of pdl is printed; any other is a bug and keeps its traceback."""
        try:
            return super().invoke(ctx)
        except PdlError as error:
            Terminal.stderr().write_error(error)
            raise click.exceptions.Exit(FAILED) from error
        except KeyboardInterrupt as stop:
            raise click.exceptions.Exit(INTERRUPTED) from stop


@click.command(
    "gbnf",
    cls=LazyGroup,
    lazy={
        "compile": "gbnf_compile",
        "parse": "gbnf_rewrite:parse_command",
        "lint": "lint:grammars_command",
        "match": "gbnf_match",
        "generate": "gbnf_generate",
        "optimize": "gbnf_rewrite:optimize_command",
        "diagram": "gbnf_rewrite:diagram_command",
        "export": "gbnf_rewrite:export_command",
    },
    examples=(
        ("find mistakes, and what makes llama.cpp slow", "pdl gbnf lint person.gbnf"),
        ("see why text does not match", "pdl gbnf match person.gbnf reply.txt"),
        ("see what a model could write", "pdl gbnf generate person.gbnf -n 5"),
        ("draw it", "pdl gbnf diagram person.gbnf -o person.html"),
    ),
    short_help="Compile, check, try out, and rewrite GBNF grammars.",
    epilog="Run `pdl gbnf COMMAND --help` for a command.",
)
def gbnf() -> None:
    """Work with GBNF, the grammars that llama.cpp constrains a model to.

    Grammars are read exactly as llama.cpp reads them. Whatever it refuses, hangs on, or crashes on
    is an error here, with its position and the reason.
    """


@click.command(
    "masks",
    cls=LazyGroup,
    lazy={"trace": "masks_trace", "bench": "masks_bench"},
    examples=(
        (
            "see the allowed tokens at each token of a text",
            "pdl masks trace person.gbnf --vocab tokenizer.json --text '{\"age\": 7}'",
        ),
        ("time the masks of a grammar", "pdl masks bench person.pdl --vocab model.gguf"),
    ),
    short_help="Trace and time the token masks of a grammar.",
    epilog="Run `pdl masks COMMAND --help` for a command.",
)
def masks() -> None:
    """Work with token masks: which tokens a grammar allows next.

    They need the vocabulary of the model: a `tokenizer.json`, a GGUF file, a SentencePiece model,
    or a file that `pdl.masks.save` wrote. They also need numpy: `pip install
    'pdl-prompts[masks]'`.
    """


@click.command(
    cls=Application,
    lazy={
        **{
            name: name
            for name in ("render", "run", "check", "test", "lint", "fmt", "diff", "schema")
        },
        "eval": "eval",
        "types": "types",
        "fingerprint": "fingerprint",
        "gbnf": gbnf,
        "masks": masks,
        "pin": "pin",
        "git-setup": "git_setup",
        "git-textconv": "git_setup:textconv_command",
        "play": "play",
        "lsp": "lsp",
        "completion": "completion",
    },
    examples=(
        ("see what is sent to the model", "pdl render classify.pdl --set text='It crashes'"),
        ("ask a model", "pdl run classify.pdl --set text='It crashes' --model openai:MODEL"),
        ("find the answer in a reply", "pdl check classify.pdl --reply reply.txt"),
        ("run the test cases beside prompts", "pdl test prompts/"),
        ("check all prompts, in an editor or in CI", "pdl lint prompts/"),
        ("format all prompts", "pdl fmt prompts/"),
        ("work on prompts in the browser", "pdl play prompts/"),
        ("see what a change of prompts breaks", "pdl diff prompts/ --against HEAD"),
        ("get the schema for a provider", "pdl schema classify.pdl --to json-schema"),
        ("get the types of prompts for your program", "pdl types prompts/ -o answers.py"),
        ("pin the versions of prompts", "pdl pin prompts/"),
        ("see why text does not match a grammar", "pdl gbnf match json.gbnf reply.txt"),
    ),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96},
    epilog="Run `pdl COMMAND --help` for a command. Output is in color on a terminal, or if"
    " FORCE_COLOR is set, and never if NO_COLOR is set.",
)
@click.version_option(package_name="pdl-prompts", prog_name="pdl", message="%(prog)s %(version)s")
def application() -> None:
    """Prompt files in, validated answers out.

    A `.pdl` file contains a prompt template and the schema of its answer. These commands render
    such files, ask models, check replies against schemas, and find mistakes in prompts. `gbnf` has
    commands for llama.cpp grammars, `masks` for the tokens that grammars allow.
    """


def main() -> NoReturn:
    """Run the command `pdl`; exits with 0, or with one of the codes of `pdl.cli.terminal`."""
    # A command has ended before most garbage is worth collecting.
    gc.set_threshold(100_000, 50, 100)
    code: Any = 0
    if os.environ.get("_PDL_COMPLETE", "").startswith("powershell"):
        import_module("pdl.cli.commands.completion").add_powershell()
    try:
        application.main(prog_name="pdl")
    except SystemExit as leaving:
        code = leaving.code
    _exit(code if isinstance(code, int) else int(code is not None))


def _exit(code: int) -> NoReturn:
    """Exit without taking all modules apart first, which would take a tenth of the whole time."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # the shell closed it (`>&-`), which its writer has reported
                stream.flush()
        except BrokenPipeError:  # its reader has enough
            pass
        except (OSError, ValueError):  # it is closed, or its disk is full
            code = code or 1
    os._exit(code)
