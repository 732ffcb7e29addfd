"""`pdl run`: the value that a model answers to a prompt."""

from __future__ import annotations

import importlib
import sys
import time
import warnings
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.answers import AttemptLog, answer_json, answer_text, summary
from pdl.cli.batch import asked_options
from pdl.cli.files import display_name
from pdl.cli.help import Command
from pdl.cli.options import (
    COERCION_TERMS,
    FILE,
    bundle,
    coerce_option,
    combine,
    format_option,
    free_option,
    model_option,
    out_option,
    prompt_options,
    retries_option,
    server_option,
    timeout_option,
    tokens_option,
)
from pdl.cli.output import failure_json
from pdl.cli.prices import read_prices
from pdl.cli.terminal import INVALID, TOOL_CALLS, UNREACHABLE, Terminal
from pdl.decoding import JsonError, strict_json
from pdl.interrupts import interrupts_deferred
from pdl.models import transcript
from pdl.models.answer import AskError
from pdl.models.connecting import MODEL_VARIABLE, connect, model_named_by
from pdl.models.defaults import default_fault
from pdl.models.options import NO_DEFAULT, CacheWarning
from pdl.models.runner import ask
from pdl.models.secret import NO_SECRET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.cli.batch import BatchInput
    from pdl.cli.inputs import PromptInput
    from pdl.cli.output import Output
    from pdl.models import Answer, Model
    from pdl.prompt import Rendered
    from pdl.schema import Schema


def _parse_default(_ctx: click.Context, _param: click.Parameter, text: str | None) -> Json:
    if text is None:
        return NO_DEFAULT
    try:
        return strict_json(text)
    except JsonError as error:
        raise click.BadParameter(f"`{text[:40]}` {error}") from error


def _pace(
    concurrency: int | None, rate: float | None, max_cost: float | None
) -> dict[str, float | None]:
    return {"concurrency": concurrency, "rate": rate, "max_cost": max_cost}


_batch_options = combine(
    asked_options,
    bundle(
        "pace",
        _pace,
        click.option(
            "--concurrency",
            type=click.IntRange(1),
            metavar="N",
            help="With --batch: calls to one provider at the same time. Default: 8.",
        ),
        click.option(
            "--rate",
            type=click.FloatRange(0, min_open=True),
            metavar="N",
            help="With --batch: calls to one provider in a minute.",
        ),
        click.option(
            "--max-cost",
            type=click.FloatRange(0),
            metavar="X",
            help="With --batch: start no call once all results in --out cost this much, by"
            " --prices.",
        ),
    ),
)
"""Options of many rows."""

_ask_options = combine(
    click.option("--seed", type=int, metavar="N", help="Sampling seed, if the provider has one."),
    retries_option(
        "Maximum retries. An invalid answer is retried with feedback; a transport error is retried"
        " unchanged."
    ),
    timeout_option("Time limit for all attempts together."),
    tokens_option("Token limit of one reply, overriding `max_tokens` of the config turn."),
    click.option(
        "--stream",
        is_flag=True,
        help="Stream the reply, and stop it once it is certainly invalid. A terminal shows it.",
    ),
    free_option("Do not constrain the model to the schema: only check the reply."),
    coerce_option,
    click.option(
        "--default",
        callback=_parse_default,
        metavar="JSON",
        help="Value to print, with exit code 0, if there is no valid answer.",
    ),
    click.option(
        "--cache",
        type=FILE,
        metavar="FILE",
        help="Store valid replies in this database, and reuse them.",
    ),
    click.option(
        "--prices",
        "budget",
        type=FILE,
        callback=read_prices,
        metavar="FILE",
        help="JSON file with the prices of models per million tokens, to report the cost:"
        ' {"openai:MODEL": {"input": 1, "output": 8, "cached": 0.1}}.',
    ),
)
"""The options that are passed as keyword arguments of `ask`."""


@click.command(
    "run",
    cls=Command,
    terms=COERCION_TERMS,
    fields={
        "ok": "Whether there is a valid answer.",
        "is_default": "Whether the value is that of --default.",
        "value": "The value, or null.",
        "fingerprint": "Identifies the version of the prompt, whatever its values.",
        "calls": "Tool calls: objects with id, name, arguments.",
        "attempts": "How many there were.",
        "seconds, usage": "Time and tokens.",
        "cost": "The cost by --prices, or null.",
        "dropped": "Schema keywords that the provider did not enforce.",
        "ignored": "Settings that were not sent.",
    },
    exit_codes={
        0: "The value is printed.",
        1: "No attempt returned a valid answer.",
        2: "The prompt, its values, an option, or a file is invalid.",
        3: "The model could not be asked, or not about all rows of --batch.",
        4: "The model requested tool calls, which are printed as JSON.",
    },
    examples=(
        ("a provider's model, with OPENAI_API_KEY", "pdl run mail.pdl --model openai:MODEL"),
        ("a local model, constrained by a grammar", "pdl run mail.pdl --model llama:qwen3-4b.gguf"),
        (
            "any OpenAI-compatible server",
            "pdl run mail.pdl --model openai:qwen3 --base-url http://localhost:8000/v1",
        ),
        ("recorded replies, no model", "pdl run mail.pdl --model replay:replies.jsonl"),
        ("keep requests and replies", "pdl run mail.pdl --transcript runs/"),
        ("always print a value", "pdl run mail.pdl --retries 1 --default '{\"tags\": []}'"),
    ),
    short_help="Ask a model and print its validated answer.",
)
@prompt_options
@model_option(
    "--model",
    "model_name",
    words="PROVIDER:MODEL (openai, openai-responses, anthropic, gemini, ollama, llama-server,"
    " vllm), llama:PATH.gguf, or replay:FILE. Default: `model` of the config turn, or the"
    f" environment variable {MODEL_VARIABLE}.",
)
@click.option(
    "--transcript",
    "directory",
    type=FILE,
    metavar="DIR",
    help="Record the run in two new files: a .pdl file to render and run again, and a .json file"
    " with usage, times, and errors.",
)
@server_option()
@_ask_options
@_batch_options
@out_option
@format_option
def command(  # noqa: PLR0913  (each is an option)
    *,
    prompt: PromptInput,
    model_name: str | None,
    directory: str | None,
    base_url: str | None,
    output: Output,
    form: str,
    batch: BatchInput | None,
    pace: dict[str, Any],
    **options: Any,
) -> None:
    """Render a prompt file, ask a model, and print the value of its answer.

    The model is constrained to the schema by what its provider supports: a grammar or a JSON
    Schema. The answer is checked in any case, and an invalid one is retried with feedback. The
    value is printed as by `pdl check`. On a terminal, standard error shows the progress.

    With --batch, asks about each row, and writes the results to the directory --out: a JSON object
    on a line for each row. A row's values are its object `context`, or without one its keys that
    are variables of the prompt; they override --context and --set. Each answer is on the disk as
    soon as it is there: the same command asks only about rows without a result, also after it was
    killed, and its costs count.

    Keys come from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY; for your own
    server (--base-url), PDL_API_KEY.
    """
    # Keep httpx from importing its own command line, which takes nearly half of its import.
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # None: not importable
    if batch is not None:
        options = _for_rows(options, directory)
        run = importlib.import_module("pdl.cli.batch.prompting").ask_batch
        code = run(batch, prompt, model_name, output.file, pace, base_url=base_url, **options)
        raise click.exceptions.Exit(code)
    if any(pace.values()):
        name = next(name for name, value in pace.items() if value)
        raise click.UsageError(f"--{name.replace('_', '-')} requires --batch FILE")
    _ask_one(prompt, model_name, directory, base_url, output, form, options)


def _ask_one(  # noqa: PLR0913, PLR0917  (what the command has)
    prompt: PromptInput,
    model_name: str | None,
    directory: str | None,
    base_url: str | None,
    output: Output,
    form: str,
    options: dict[str, Any],
) -> None:
    """Ask about one prompt, and write the answer, or why there is none. Raises Exit."""
    loaded = prompt.load()
    rendered = prompt.render(loaded)
    if directory is not None:
        transcript.prepare(directory)
    _check_default(rendered, options["default"])
    model = (
        connect(model_name, base_url=base_url)
        if model_name
        else model_named_by(rendered, base_url=base_url)
    )
    terminal, has_prices = Terminal.stderr(), options["budget"] is not None
    log = AttemptLog(terminal, model.name, options["retries"], shows=terminal.is_tty)
    if options["stream"] and terminal.is_tty:
        options["on_delta"] = log.on_delta
    try:
        with warnings_on(terminal):
            name = display_name(prompt.file)
            answer = _answer(rendered, model, options, log, name=name, directory=directory)
    except AskError as error:
        _report_failure(error, terminal, output, form)
        if terminal.is_tty:
            terminal.write(summary(error, has_prices=has_prices))
        raise click.exceptions.Exit(UNREACHABLE if error.is_fault else INVALID) from error
    for one in answer.ignored:
        terminal.write(terminal.safe(f"note: not sent: {one.key}: {one.why}"))
    if terminal.is_tty or answer.is_default:
        terminal.write(summary(answer, has_prices=has_prices))
    _report(answer, rendered.schema, terminal, output, form)


def _for_rows(options: dict[str, Any], directory: str | None) -> dict[str, Any]:
    """The options of each row. Raises UsageError for one that rows don't have."""
    unfit = {
        "--transcript": directory is not None,
        "--stream": options.pop("stream"),
        "--default": options.pop("default") is not NO_DEFAULT,
    }
    for name, is_given in unfit.items():
        if is_given:
            raise click.UsageError(f"{name} can't be used with --batch")
    return options


def _report_failure(error: AskError, terminal: Terminal, output: Output, form: str) -> None:
    """Write why there is no answer."""
    if form == "json":
        output.write_report(failure_json(error, fingerprint=error.fingerprint or None))
    else:
        terminal.write_error(error)


def _report(
    answer: Answer, schema: Schema | None, terminal: Terminal, output: Output, form: str
) -> None:
    """Write the answer. Raises Exit for tool calls, after a remark to the terminal."""
    output.write(answer_json(answer) if form == "json" else answer_text(schema, answer))
    if answer.calls:
        names = ", ".join(dict.fromkeys(f"`{call.name}`" for call in answer.calls))
        message = f"the model requested tool calls: {names}; `pdl run` only prints them"
        terminal.write(terminal.safe(message))
        raise click.exceptions.Exit(TOOL_CALLS)


def _check_default(rendered: Rendered, default: Json) -> None:
    """Raise UsageError for a default that no answer can be."""
    if default is NO_DEFAULT or rendered.schema is None:
        return
    fault = default_fault(rendered.schema, default)
    if fault:
        raise click.UsageError(f"--default does not match the schema: {fault}")


@contextmanager
def warnings_on(terminal: Terminal) -> Iterator[None]:
    """Show warnings on one line each."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", CacheWarning)
        warnings.showwarning = lambda message, *_, **__: terminal.write(
            terminal.safe(f"warning: {message}")
        )
        yield


def _answer(  # noqa: PLR0913  (what a transcript records)
    rendered: Rendered,
    model: Model,
    options: dict[str, Any],
    log: AttemptLog,
    *,
    name: str,
    directory: str | None,
) -> Answer:
    """The answer. Whatever happens, including Ctrl-C, the transcript is written."""
    started, began = datetime.now(UTC), time.monotonic()
    answer, error = None, None
    try:
        answer = ask(rendered, model, hooks=(log,), **options)
    except AskError as failure:
        error = failure
        raise
    finally:
        if directory is not None and log.request is not None:
            seconds, attempts = time.monotonic() - began, tuple(log.attempts)
            with interrupts_deferred():
                secret = getattr(model, "key", NO_SECRET)
                run = transcript.Run(
                    name, model.name, started, log.request, attempts, answer, error, seconds, secret
                )
                transcript.write(run, directory)
    return answer
