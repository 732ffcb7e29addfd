"""`pdl run`: a prompt file, data and a model to the value that the model answers."""

from __future__ import annotations

import functools
import os
import sys
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.completing import complete_models
from pdl.cli.exits import BAD, CALLED, UNREACHED, held
from pdl.cli.options import FILE, MEANINGS, coerce_option, prompt_options
from pdl.cli.output import format_option, out_option
from pdl.cli.reports.json_text import failure_json
from pdl.cli.reports.ran import Watch, answer_json, answer_text, calls_line, summary_line
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand
from pdl.cli.texts import json_fault, shown_name, strict_json
from pdl.models import transcript
from pdl.models.answer import AskError
from pdl.models.connecting import below, connect
from pdl.models.options import CacheWarning, check_seconds
from pdl.models.runner import ask
from pdl.models.secret import NO_SECRET
from pdl.reply import violations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.cli.options import Function
    from pdl.cli.origin import PromptOrigin
    from pdl.cli.output import Output
    from pdl.errors import PdlError
    from pdl.models import Answer, Model
    from pdl.prompt import Prompt, Rendered
    from pdl.reply import Coercions

_EXAMPLES = (
    ("a provider's model; its key is in OPENAI_API_KEY", "pdl run mail.pdl --model openai:MODEL"),
    ("a model in a file, held by a grammar", "pdl run mail.pdl --model llama:qwen3-4b.gguf"),
    (
        "any server with OpenAI's interface",
        "pdl run mail.pdl --model openai:qwen3 --base-url http://localhost:8000/v1",
    ),
    ("without a model: replies from a file", "pdl run mail.pdl --model replay:replies.jsonl"),
    ("keep what was asked and answered", "pdl run mail.pdl --transcript runs/"),
    ("go on whatever happens", "pdl run mail.pdl --retries 1 --default '{\"tags\": []}'"),
)
_VARIABLE = "PDL_MODEL"


@dataclass(frozen=True)
class Terms:
    """The options that say how a model is asked."""

    base_url: str | None
    seed: int | None
    retries: int
    timeout: float
    max_tokens: int | None
    stream: bool
    constrain: bool
    default: tuple[Json] | None
    cache: str | None
    coercions: Coercions

    def given(self, watch: Watch, *, shows: bool) -> dict[str, Any]:
        """The keywords of `ask`."""
        terms: dict[str, Any] = {
            "retries": self.retries,
            "timeout": self.timeout,
            "seed": self.seed,
            "constrain": self.constrain,
            "stream": self.stream,
            "coercions": self.coercions,
            "hooks": (watch,),
        }
        if self.default is not None:
            terms["default"] = self.default[0]
        if self.cache is not None:
            terms["cache"] = self.cache
        if self.max_tokens is not None:
            terms["config"] = {"max_tokens": self.max_tokens}
        if self.stream and shows:
            terms["on_delta"] = watch.piece
        return terms


def _leave_out_their_command() -> None:
    """Keep httpx from importing its own command line, which is nearly half of its import."""
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # none: not to be had


def _parse_default(
    ctx: click.Context,  # noqa: ARG001  (click's signature)
    param: click.Parameter,  # noqa: ARG001  (likewise)
    text: str | None,
) -> tuple[Json] | None:
    """The value in a tuple, so that null is told from no default."""
    if text is None:
        return None
    try:
        return (strict_json(text),)
    except (ValueError, RecursionError) as error:
        reason, _ = json_fault(error)
        raise click.BadParameter(f"`{text[:40]}` {reason}") from error


def _check_timeout(
    ctx: click.Context,  # noqa: ARG001  (click's signature)
    param: click.Parameter,  # noqa: ARG001  (likewise)
    seconds: float,
) -> float:
    try:
        check_seconds("it", seconds)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    return seconds


def _check_default(rendered: Rendered, terms: Terms) -> None:
    """Refuse a default that no answer could be, which a program would stumble over."""
    if terms.default is None or rendered.schema is None:
        return
    errors = violations(rendered.schema, terms.default[0])
    if errors:
        message = f"--default does not fit the schema: {errors[0].message}"
        raise click.UsageError(message)


def _terms_options(function: Function) -> Function:
    """The options of `Terms`, which a function takes as one `terms`."""

    @coerce_option
    @functools.wraps(function)
    def bundled(no_grammar: bool, **others: Any) -> None:  # noqa: FBT001  (click passes it by name)
        said = {name: others.pop(name) for name in Terms.__dataclass_fields__ if name in others}
        function(terms=Terms(constrain=not no_grammar, **said), **others)

    for option in reversed(_TERMS):
        bundled = option(bundled)
    return bundled


_TERMS = (
    click.option(
        "--base-url",
        metavar="URL",
        help="Where the provider's interface is, for another server that has it.",
    ),
    click.option("--seed", type=int, help="Ask for the same answer each time, where it is heeded."),
    click.option(
        "--retries",
        type=click.IntRange(0),
        default=3,
        show_default=True,
        help="Attempts behind the first: with what was wrong after a bad answer, unchanged after a"
        " fault on the way.",
    ),
    click.option(
        "--timeout",
        type=float,
        callback=_check_timeout,
        default=600.0,
        show_default=True,
        metavar="SECONDS",
        help="Seconds for all attempts together.",
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(1),
        metavar="N",
        help="Tokens that one reply may have; over `max_tokens` of the config turn.",
    ),
    click.option(
        "--stream",
        is_flag=True,
        help="Read the reply as it comes, and stop it where it is certainly wrong. On a terminal it"
        " is shown.",
    ),
    click.option(
        "--no-grammar",
        is_flag=True,
        help="Do not hold the model to the schema: only check what it says.",
    ),
    click.option(
        "--default",
        callback=_parse_default,
        metavar="JSON",
        help="The value to print, with exit code 0, if there is no valid answer.",
    ),
    click.option(
        "--cache",
        type=FILE,
        metavar="FILE",
        help="Keep good replies in this database, and do not ask again for what is in it.",
    ),
)


@click.command(
    "run",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    terms=("Coercions", MEANINGS),
    short_help="Ask a model, and print its checked answer.",
)
@prompt_options
@click.option(
    "--model",
    "model_name",
    shell_complete=complete_models,
    metavar="NAME",
    help="openai:, anthropic:, gemini: or ollama: and the provider's name of it; llama:PATH.gguf;"
    f" replay:FILE. Else `model` of the config turn, or the environment variable {_VARIABLE}.",
)
@click.option(
    "--transcript",
    "folder",
    type=FILE,
    metavar="DIR",
    help="Keep what was asked and answered in two new files: a .pdl file to be rendered and run"
    " again, and a .json file with usage, times and faults.",
)
@_terms_options
@out_option
@format_option(
    "an object with ok, is_default, value, calls, attempts (how many), seconds, usage, dropped"
    " (what of the schema was left to the check), ignored (settings that were not sent)."
)
def command(  # noqa: PLR0913  (each is an option)
    *,
    origin: PromptOrigin,
    model_name: str | None,
    folder: str | None,
    terms: Terms,
    output: Output,
    form: str,
) -> None:
    """Fill the template FILE, ask a model, and print the value of its answer.

    The model is held to the schema by whatever its provider has: a grammar or a JSON Schema. The
    answer is checked all the same, and a bad one goes back with what is wrong with it. The value
    is printed as `pdl check` prints it. On a terminal the standard error tells how it goes.

    Keys come from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY; for a server
    of your own, with --base-url, PDL_API_KEY.

    The exit code is 0 for a value; 1 if there was no valid answer; 2 if the prompt, its data, an
    option or a file is wrong; 3 if the model could not be asked; 4 if it wants tools called: the
    calls are printed as JSON; 130 after Ctrl-C.
    """
    prompt = origin.load()
    rendered = origin.fill(prompt)
    if folder is not None:
        transcript.prepare(folder)
    _check_default(rendered, terms)
    _leave_out_their_command()
    model = _connected(model_name, prompt, rendered, terms.base_url)
    screen = Screen.stderr()
    watch = Watch(screen, model.name, terms.retries, shows=screen.terminal)
    asking = Asking(shown_name(origin.file), rendered, model, terms, watch, folder)
    try:
        with _warnings_on(screen):
            answer = asking.answer(shows=screen.terminal)
    except AskError as error:
        if form == "json":
            output.write_report(failure_json(error))
        else:
            screen.write_error(error)
        raise click.exceptions.Exit(UNREACHED if error.is_fault else BAD) from error
    for one in answer.ignored:
        screen.write(screen.safe(f"note: not sent: {one.key}: {one.why}"))
    if screen.terminal or answer.is_default:
        screen.write(summary_line(answer))
    if form == "json":
        output.write(answer_json(answer))
    else:
        output.write(answer_text(rendered.schema, answer))
    if answer.calls:
        screen.write(screen.safe(calls_line(answer)))
        raise click.exceptions.Exit(CALLED)


@contextmanager
def _warnings_on(screen: Screen) -> Iterator[None]:
    """Within it, what is warned of is told in a line each."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", CacheWarning)
        warnings.showwarning = lambda message, *_, **__: screen.write(
            screen.safe(f"warning: {message}")
        )
        yield


def _connected(
    given: str | None, prompt: Prompt, rendered: Rendered, base_url: str | None
) -> Model:
    """The model that the first place names which names one.

    Who types a name may mean any file; a prompt file, which may be a stranger's, only one below
    its own folder.
    """
    if given:
        return connect(given, base_url=base_url)
    written = rendered.config.get("model")
    if written:
        return connect(below(str(written), prompt.folder), base_url=base_url)
    named = os.environ.get(_VARIABLE)
    if named:
        return connect(named, base_url=base_url)
    raise click.UsageError(
        "no model is named: expected --model NAME, a line `model: NAME` in the config turn, or the"
        f" environment variable {_VARIABLE}"
    )


@dataclass(frozen=True)
class Asking:
    """One run, with its transcript."""

    file: str
    rendered: Rendered
    model: Model
    terms: Terms
    watch: Watch
    folder: str | None

    def answer(self, *, shows: bool) -> Answer:
        """Ask. Whatever comes, also Ctrl-C, the transcript is written."""
        started, began = datetime.now(UTC), time.monotonic()
        answer, error = None, None
        try:
            answer = ask(self.rendered, self.model, **self.terms.given(self.watch, shows=shows))
        except AskError as failure:
            error = failure
            raise
        finally:
            if self.folder is not None and self.watch.request is not None:
                with held():
                    self._keep(started, time.monotonic() - began, answer, error)
        return answer

    def _keep(
        self, started: datetime, seconds: float, answer: Answer | None, error: PdlError | None
    ) -> None:
        assert self.watch.request is not None
        asked, attempts = self.watch.request, tuple(self.watch.attempts)
        secret = getattr(self.model, "key", NO_SECRET)
        run = transcript.Run(
            self.file, self.model.name, started, asked, attempts, answer, error, seconds, secret
        )
        assert self.folder is not None
        transcript.write(run, self.folder)
