"""What the logger `pdl` is told of each step; never what was said, unless that is asked for."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from models import hostile
from models.conftest import KEY, Serve, remote
from models.hostile import GOOD, respond
from models.scripted import BAD, asked, says
from models.test_fallback import named

import pdl
from pdl.models import AskError, Fault, Reply, Usage

CAT = "the cat's name is Mitzi"
PROMPT = f"""\
<|user|>
It is said that {CAT}. Who is it?
<|schema|>
{{ name: str, age: int<0,120> }}
"""


@pytest.fixture
def secretive() -> pdl.Rendered:
    return pdl.loads(PROMPT).render()


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [
        (record.levelname, record.getMessage()) for record in caplog.records if record.name == "pdl"
    ]


def test_steps(secretive: pdl.Rendered, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "pdl")
    bad = Reply(f'{{"name": "{CAT}", "age": 300}}', usage=Usage(12, 34))
    first = named("a", bad, Fault("server", CAT, status=503, retry_after=0), Fault("auth", "no"))
    asked(secretive, [first, named("b", GOOD)])
    wrong = "function:a: wrong-schema, 1 error"
    assert lines(caplog) == [
        ("DEBUG", "attempt 1: asking function:a with 1 message"),
        ("DEBUG", f"attempt 1: {wrong} in 0.0 s, input_tokens 12, output_tokens 34"),
        ("INFO", f"attempt 1: {wrong}; retrying"),
        ("DEBUG", "attempt 2: asking function:a with 3 messages"),
        ("DEBUG", "attempt 2: function:a: server (status 503) in 0.0 s"),
        ("INFO", "attempt 2: function:a: server (status 503); retrying"),
        ("DEBUG", "attempt 3: asking function:a with 3 messages"),
        ("DEBUG", "attempt 3: function:a: auth in 0.0 s"),
        ("INFO", "attempt 3: function:a: auth; falling back to function:b"),
        ("DEBUG", "attempt 4: asking function:b with 1 message"),
        ("DEBUG", "attempt 4: function:b: valid in 0.0 s"),
    ]
    assert "Mitzi" not in caplog.text


@pytest.mark.parametrize("options", [{}, {"default": None}])
def test_giving_up(
    options: dict[str, Any], secretive: pdl.Rendered, caplog: pytest.LogCaptureFixture
) -> None:
    """At the level that a program shows if it says nothing."""
    words = "function:model gave no valid answer in 2 attempts (wrong-schema, 1 error):"
    try:
        asked(secretive, says(CAT, BAD), retries=1, **options)
    except AskError:
        assert lines(caplog) == [("WARNING", f"{words} ask/attempts")]
    else:
        assert lines(caplog) == [("WARNING", f"{words} ask/attempts; using the default")]


@pytest.mark.parametrize(
    "said",
    [
        CAT, f"<think>{CAT}</think>", Reply(CAT, finish="length"),
        Reply("", flaw=pdl.models.exchange.Flaw("refusal", CAT)), Fault("bad_request", CAT),
        ValueError(CAT), f'{{"name": "x", "age": "{CAT}"}}',
        f'<tool_call>{{"name": "{CAT}", "arguments": {{}}}}</tool_call>',
    ],
)  # fmt: skip
@pytest.mark.parametrize("stream", [False, True])
def test_no_text_of_anybody(
    said: Any,
    stream: bool,  # noqa: FBT001 - a parameter of the test
    secretive: pdl.Rendered,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Not of the prompt, the reply, the provider's error, or an exception."""
    caplog.set_level(logging.DEBUG)

    def model(_: object) -> Any:
        if isinstance(said, Exception):
            raise said
        return said

    with pytest.raises(AskError):
        asked(secretive, model, retries=1, stream=stream)
    assert lines(caplog)
    assert "Mitzi" not in caplog.text


def test_contents_on_request(secretive: pdl.Rendered, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "pdl")
    asked(secretive, says(BAD, GOOD), log_contents=True)
    told = "\n".join(message for _, message in lines(caplog))
    assert f"attempt 1: sent:\n<|user|>\nIt is said that {CAT}" in told
    assert f"attempt 1: received:\n{BAD}" in told
    assert "attempt 1: reason: wrong-schema: `$.age` must be at most 120" in told
    assert f"attempt 2: received:\n{GOOD}" in told


def test_a_key_never(
    serve: Serve, rendered: pdl.Rendered, caplog: pytest.LogCaptureFixture
) -> None:
    """Not even where a reply, an error of the server, or the conversation repeats it."""
    caplog.set_level(logging.DEBUG)
    server = serve(
        respond("503 Service Unavailable", KEY), hostile.good(f"It is {KEY}."), hostile.good()
    )
    asked(rendered, remote(server), log_contents=True)
    assert "received:\nIt is ***." in caplog.text
    assert KEY not in caplog.text


def test_a_setting_that_is_left_out(
    serve: Serve, rendered: pdl.Rendered, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "pdl")
    error = '{"error": {"message": "Unsupported parameter: \'top_p\'", "param": "top_p"}}'
    server = serve(respond("400 Bad Request", error), hostile.good())
    asked(rendered, remote(server), config={"top_p": 0.5})
    message = "openai:tiny rejects the setting `top_p`; asking again without it"
    assert lines(caplog) == [("INFO", message)]


def test_a_program_that_does_not_log_sees_nothing() -> None:
    """A library adds no handler of its own but one that does nothing."""
    handlers = logging.getLogger("pdl").handlers
    assert [type(one) for one in handlers] == [logging.NullHandler]
