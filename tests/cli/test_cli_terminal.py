"""Color and control characters, on a terminal and off it."""

from __future__ import annotations

import io

import click
import pytest

from pdl.cli.terminal import Terminal
from pdl.errors import Problem, TurnError
from pdl.source import Source

SOURCE = Source("first\nsecond line\n", "a.pdl")
PROBLEMS = (
    Problem("a/b", "wrong", SOURCE.span(6, 12), "do better"),
    Problem("a/b", "without a hint", SOURCE.span(0)),
    Problem("a/b", "without a place"),
)


class FakeTerminal(io.TextIOWrapper):
    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="ascii")

    def isatty(self) -> bool:
        return True

    @property
    def written(self) -> str:
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode("utf-8")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> FakeTerminal:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return FakeTerminal()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_colored_error_has_the_words_of_the_plain_one(terminal: FakeTerminal, count: int) -> None:
    error = TurnError(*PROBLEMS[:count])
    Terminal.of(terminal).write_error(error)
    assert "\x1b[" in terminal.written
    assert click.unstyle(terminal.written) == f"{error}\n"


@pytest.mark.parametrize(
    ("name", "value", "colored"),
    [("NO_COLOR", "1", False), ("NO_COLOR", "", True), ("TERM", "dumb", False)],
)
def test_the_environment_may_turn_color_off(
    terminal: FakeTerminal, monkeypatch: pytest.MonkeyPatch, name: str, value: str, *, colored: bool
) -> None:
    monkeypatch.setenv(name, value)
    Terminal.of(terminal).write_error(TurnError(*PROBLEMS))
    assert ("\x1b[" in terminal.written) is colored


def test_data_does_not_steer_a_terminal(terminal: FakeTerminal) -> None:
    error = TurnError(Problem("a/b", "found \x1b]0;title\x07 and \x9b31m"))
    Terminal.of(terminal).write_error(error)
    assert terminal.written == "found �]0;title� and �31m\n"


def test_a_file_gets_data_as_it_is() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    output = Terminal(stream, is_tty=False, has_color=False)
    output.write(output.safe("\x1b[31m ü 🙂 \ud83d"))
    assert isinstance(stream.buffer, io.BytesIO)
    assert stream.buffer.getvalue() == "\x1b[31m ü 🙂 \\ud83d\n".encode()


@pytest.mark.parametrize(
    ("environment", "colored"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_the_environment_may_turn_color_on(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], *, colored: bool
) -> None:
    """Also where no terminal is; what comes as data stays as it is there."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.setenv(name, environment.get(name, ""))
    stream = io.TextIOWrapper(io.BytesIO())
    output = Terminal.of(stream)
    assert ("\x1b[" in output.problem(PROBLEMS[0])) is colored
    assert output.safe("\x1b[2J") == "\x1b[2J"
