"""`pdl run`: names of models, keys, exit codes, Ctrl-C, caches and transcripts."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from models.hostile import Hostile, Script, Wire, chat, chunk, good, head, respond

import pdl
from pdl.cli.app import application

PROMPT = """\
<|user|>
How old is {{ name }}?

<|schema|>
{ name: str, age: int<0,120> }
"""
GOOD = '{"name": "Ann", "age": 34}'


@pytest.fixture(autouse=True)
def _in_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a prompt, recorded replies, and an environment that names nothing."""
    monkeypatch.chdir(tmp_path)
    for name in ("PDL_MODEL", "PDL_API_KEY", "OPENAI_API_KEY", "LLAMA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    Path("who.pdl").write_text(PROMPT, encoding="utf-8")
    Path("good.txt").write_text(GOOD, encoding="utf-8")
    Path("bad.txt").write_text("I do not know.", encoding="utf-8")


def run(*arguments: str) -> Result:
    words = ["run", "who.pdl", "--set", "name=Ann", *arguments]
    return CliRunner().invoke(application, words, prog_name="pdl", catch_exceptions=False)


def test_the_model_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes last, after the option and the config turn."""
    assert "no model is named" in run().stderr
    monkeypatch.setenv("PDL_MODEL", "replay:bad.txt")
    assert run("--retries", "0").exit_code == 1
    assert run("--model", "replay:good.txt").exit_code == 0
    Path("who.pdl").write_text(f"<|config|>\nmodel: replay:good.txt\n\n{PROMPT}", encoding="utf-8")
    assert run().exit_code == 0


@pytest.mark.parametrize("scheme", ["replay", "llama"])
@pytest.mark.parametrize("path", ["{outside}", "../good.txt", "link.txt", "pipe", ".", "none.txt"])
def test_a_prompt_file_names_only_models_below_its_directory(
    scheme: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It might be a stranger's, whose `model:` would otherwise print any file of this machine."""
    outside = tmp_path / "good.txt"
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    Path("link.txt").symlink_to(outside)
    os.mkfifo("pipe")
    written = f"{scheme}:{path.format(outside=outside)}"
    Path("who.pdl").write_text(f"<|config|>\nmodel: {written}\n\n{PROMPT}", encoding="utf-8")
    result = run()
    assert result.exit_code == 2
    assert "the config turn names a file that may not be read" in result.stderr
    assert "--model" in result.stderr
    assert run("--model", f"replay:{outside}").exit_code == 0


@pytest.mark.parametrize("key", ["base_url", "api_base", "api_key"])
def test_a_prompt_file_names_no_server_and_no_key(key: str) -> None:
    """A proxy that reads them in a request would send its own key to a stranger's server."""
    Path("who.pdl").write_text(f"<|config|>\n{key}: http://a.example\n\n{PROMPT}", encoding="utf-8")
    result = run("--model", "replay:good.txt")
    assert result.exit_code == 2
    assert f"`{key}` must not be in a config turn" in result.stderr
    place = "connect(key=…)" if key == "api_key" else "--base-url"
    assert place in result.stderr
    shown = ["render", "who.pdl", "--set", "name=Ann", "--format", "openai"]
    body = CliRunner().invoke(application, shown)
    assert (body.exit_code, body.stdout, body.stderr) == (2, "", result.stderr)
    linted = CliRunner().invoke(application, ["lint", "who.pdl"])
    assert linted.exit_code == 1
    assert f"who.pdl:2:1: error: `{key}` must not be in a config turn" in linted.output


def test_a_cache_that_cannot_be_opened_is_an_error_even_if_nothing_is_stored() -> None:
    Path("folder").mkdir()
    result = run("--model", "replay:good.txt", "--cache", "folder")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("the cache folder cannot be used: ")


def test_a_model_is_found_beside_its_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("who.pdl").write_text(f"<|config|>\nmodel: replay:good.txt\n\n{PROMPT}", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    words = ["run", str(tmp_path / "who.pdl"), "--set", "name=Ann"]
    assert CliRunner().invoke(application, words).exit_code == 0


@pytest.mark.parametrize("scheme", ["replay", "llama"])
def test_only_regular_files_are_opened(scheme: str) -> None:
    """A pipe would be waited for, whatever `--timeout` says; a device might never end."""
    os.mkfifo("pipe")
    for path in ("pipe", "/dev/zero", "."):
        result = run("--model", f"{scheme}:{path}", "--timeout", "2")
        assert result.exit_code == 2
        assert "is not a regular file" in result.stderr


def test_a_bad_answer() -> None:
    """Exit code 1, nothing on the standard output, every attempt on the standard error."""
    Path("two.jsonl").write_text('{"text": "no"}\n{"text": "{}"}\n', encoding="utf-8")
    result = run("--model", "replay:two.jsonl", "--retries", "1")
    assert (result.exit_code, result.stdout) == (1, "")
    lines = result.stderr.splitlines()
    assert lines[0] == "replay:two.jsonl gave no valid answer in 2 attempts"
    assert [line.split(":")[1].strip() for line in lines[1:]] == ["absent", "wrong-schema"]


def test_an_answer_as_json() -> None:
    result = run("--model", "replay:good.txt", "--format", "json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told.pop("seconds") >= 0) == (0, True)
    value = {"name": "Ann", "age": 34}
    assert told == {
        "ok": True,
        "is_default": False,
        "value": value,
        "fingerprint": pdl.load("who.pdl").fingerprint,
        "calls": [],
        "attempts": 1,
        "usage": {},
        "cost": None,
        "dropped": [],
        "ignored": [],
    }


def test_the_cost() -> None:
    """That of a model whose price is known; tokens of the cache have their own."""
    usage = {"input_tokens": 3_000_000, "output_tokens": 1_000_000, "cached_tokens": 2_000_000}
    Path("one.jsonl").write_text(json.dumps({"text": GOOD, "usage": usage}), encoding="utf-8")
    prices = {"replay:one.jsonl": {"input": 2, "output": 9, "cached": 0.5}}
    Path("prices.json").write_text(json.dumps(prices), encoding="utf-8")
    told = run("--model", "replay:one.jsonl", "--prices", "prices.json", "--format", "json").stdout
    assert json.loads(told)["cost"] == 12.0
    told = run("--model", "replay:good.txt", "--prices", "prices.json", "--format", "json").stdout
    assert json.loads(told)["cost"] is None


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such terminals")
@pytest.mark.parametrize(
    ("text", "line"),
    [(GOOD, "answered after 1 attempt, "), ("no", "gave up after 1 attempt, ")],
)
def test_a_terminal_shows_what_it_took(text: str, line: str) -> None:
    import pty  # noqa: PLC0415 - Windows has no such module

    usage = {"input_tokens": 3_000, "output_tokens": 1_000}
    Path("one.jsonl").write_text(json.dumps({"text": text, "usage": usage}), encoding="utf-8")
    Path("prices.json").write_text('{"replay:one.jsonl": {"input": 2, "output": 9}}')
    words = ["--model", "replay:one.jsonl", "--prices", "prices.json", "--retries", "0"]
    start = [sys.executable, "-c", "from pdl.cli import main; main()"]
    spent = ", 3,000 tokens read, 1,000 written, cost 0.015000"
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as shown:
        command = [*start, "run", "who.pdl", "--set", "name=Ann", *words]
        subprocess.run(command, stdout=-1, stderr=theirs, check=False)  # noqa: S603 - our own
        told = ""
        while spent not in told and select.select([shown], [], [], 10)[0]:  # it comes in pieces
            told += shown.read(65_536).decode()
        os.close(theirs)
    assert line in told
    assert spent in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "must contain an object"), ("{", "is not JSON"),
        ('{"a": 3}', "each name of a model needs"), ('{"a": {"input": 1}}', "`output`|'output'"),
        ('{"a": {"input": 1, "output": "2"}}', "output must be a number, not str"),
    ],
)  # fmt: skip
def test_prices_that_are_none(text: str, words: str) -> None:
    Path("prices.json").write_text(text, encoding="utf-8")
    result = run("--model", "replay:good.txt", "--prices", "prices.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.search(words, result.stderr)


def test_no_answer_as_json() -> None:
    result = run("--model", "replay:bad.txt", "--format", "json", "--retries", "0")
    told = json.loads(result.stdout)
    assert (result.exit_code, result.stderr, told["ok"]) == (1, "", False)
    assert told["problems"][0]["code"] == "ask/attempts"


def test_an_answer_in_a_file() -> None:
    assert run("--model", "replay:good.txt", "-o", "value.json").stdout == ""
    assert json.loads(Path("value.json").read_text("utf-8")) == {"name": "Ann", "age": 34}


def test_a_model_that_cannot_be_asked() -> None:
    """Exit code 3: nothing listens at that port, or the recorded replies are used up."""
    closed = "http://127.0.0.1:9/v1"
    result = run("--model", "llama-server:x", "--base-url", closed, "--retries", "0")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "connection: " in result.stderr
    assert run("--model", "replay:bad.txt", "--retries", "1").exit_code == 3


def test_a_refusal() -> None:
    """Exit code 1: the model was asked and has answered, though not with an answer."""
    refused = chat("", refusal="I cannot help with that.")
    with Hostile((respond("200 OK", refused),)) as server:
        result = run("--model", "openai:x", "--base-url", server.url)
        assert len(server.received) == 1
    assert (result.exit_code, result.stdout) == (1, "")
    assert "refusal: the model refused: I cannot help with that." in result.stderr


def test_a_setting_that_the_model_does_not_take() -> None:
    """It is left out, which is reported even if nothing else is."""
    Path("who.pdl").write_text(f"<|config|>\ntemperature: 0\n\n{PROMPT}", encoding="utf-8")
    error = {"message": "`temperature` is deprecated for this model.", "type": "bad"}
    refusal = respond("400 Bad Request", json.dumps({"error": error}))
    with Hostile((refusal, good(GOOD))) as server:
        result = run("--model", "openai:x", "--base-url", server.url, "--retries", "0")
    assert (result.exit_code, result.stdout) == (0, f"{GOOD}\n")
    assert result.stderr.startswith("note: not sent: temperature: ")


def test_a_key_is_nowhere_to_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes to the server and into nothing that is written."""
    key = "sk-not-to-be-seen"
    monkeypatch.setenv("PDL_API_KEY", key)
    options = ("--transcript", "kept", "--cache", "cache.db", "--retries", "0")
    refusal = respond("401 Unauthorized", json.dumps({"error": {"message": f"bad key {key}"}}))
    with Hostile((refusal,)) as server:
        result = run("--model", "openai:x", "--base-url", server.url, *options)
    assert result.exit_code == 3
    assert server.received[0].headers["authorization"] == f"Bearer {key}"
    written = b"".join(path.read_bytes() for path in Path().rglob("*") if path.is_file())
    assert key not in result.output
    assert key.encode() not in written


def test_a_default_is_told() -> None:
    result = run(
        "--model", "replay:bad.txt", "--retries", "0", "--default", '{"name": "", "age": 0}'
    )
    assert (result.exit_code, result.stdout) == (0, '{"name": "", "age": 0}\n')
    assert result.stderr.startswith("no valid answer after 1 attempt, so used the default")


def test_a_default_that_does_not_fit() -> None:
    result = run("--model", "replay:good.txt", "--default", '{"name": null, "age": 0}')
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--default does not match the schema: `$.name` has the wrong type" in result.stderr


@pytest.mark.parametrize("seconds", ["inf", "nan", "-1", "1e300", "1e999"])
def test_a_time_that_is_none(seconds: str) -> None:
    result = run("--model", "replay:good.txt", "--timeout", seconds)
    assert result.exit_code == 2
    assert "'--timeout': it must be a number of seconds above 0" in result.stderr


def test_a_locked_cache() -> None:
    """It is reported, and the answer comes in time."""
    with Hostile((good(GOOD),)) as server:
        words = ("--model", "llama-server:x", "--base-url", server.url, "--cache", "cache.db")
        assert run(*words, "--seed", "1").exit_code == 0
        with closing(sqlite3.connect("cache.db", isolation_level=None)) as base:
            base.execute("BEGIN EXCLUSIVE")
            began = time.monotonic()
            result = run(*words, "--timeout", "3")
    assert time.monotonic() - began < 5
    assert (result.exit_code, result.stdout) == (0, f"{GOOD}\n")
    assert "warning: the cache cache.db cannot be used: others keep it locked" in result.stderr


def test_no_cache() -> None:
    """A file that cannot be one is reported before a model is asked, and is never deleted."""
    with Hostile((good(GOOD),)) as server:
        words = ("--model", "llama-server:x", "--base-url", server.url)
        result = run(*words, "--cache", "who.pdl")
        assert (result.exit_code, result.stdout, server.received) == (2, "", [])
    assert "file is not a database\n  hint: name another file" in result.stderr


def test_the_provider_key_stays_with_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-provider")
    with Hostile((good(GOOD),)) as server:
        assert run("--model", "openai:x", "--base-url", server.url).exit_code == 0
    assert "sk-of-the-provider" not in str(server.received)


def test_a_reply_that_repeats_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The value has it; what is kept has not, and a cache keeps no such reply."""
    key = "sk-not-to-be-seen-by-anybody"
    monkeypatch.setenv("PDL_API_KEY", key)
    wrong, right = f"It is {key.upper()}, or {key[3:20]}.", json.dumps({"name": key, "age": 3})
    with Hostile((good(wrong), good(right))) as server:
        words = ("--model", "openai:x", "--base-url", server.url, "--transcript", "kept")
        result = run(*words, "--cache", "cache.db")
    assert result.stdout == f"{right}\n"
    assert key not in result.stderr
    for path in (path for path in Path().rglob("*") if path.is_file()):
        written = path.read_bytes().lower()
        assert key.encode() not in written
        assert key[3:20].encode() not in written
    [path] = Path("kept").glob("*.pdl")
    assert pdl.load(path).render().messages[1].text == "It is ***, or ***."


def test_a_cache() -> None:
    """What it contains is not asked for again."""
    Path("one.jsonl").write_text(json.dumps({"text": GOOD}), encoding="utf-8")
    for _ in range(2):
        assert run("--model", "replay:one.jsonl", "--cache", "cache.db").stdout == f"{GOOD}\n"


def test_a_transcript_is_a_prompt() -> None:
    """It renders to what was sent, and can be run."""
    Path("two.jsonl").write_text(
        "\n".join(json.dumps({"text": text}) for text in ("{{ name }}", GOOD)), encoding="utf-8"
    )
    assert run("--model", "replay:two.jsonl", "--transcript", "kept").exit_code == 0
    [path] = Path("kept").glob("*.pdl")
    messages = pdl.load(path).render().messages
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    assert messages[1].text == "{{ name }}"
    again = CliRunner().invoke(application, ["run", str(path), "--model", "replay:good.txt"])
    assert (again.exit_code, again.stdout) == (0, f"{GOOD}\n")
    details = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert (details["ok"], len(details["attempts"])) == (True, 2)


def test_a_directory_that_cannot_be_one_is_reported_before_a_model_is_asked() -> None:
    result = run("--model", "replay:none.txt", "--transcript", "who.pdl/below")
    assert result.exit_code == 2
    assert "transcripts cannot be written there" in result.stderr


def silent(wire: Wire) -> None:
    wire.wait(60)


def silent_amid_a_stream(wire: Wire) -> None:
    wire.send(head("200 OK", "text/event-stream") + chunk("{").encode())
    wire.wait(60)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
@pytest.mark.parametrize(
    ("script", "more"), [(silent, []), (silent, ["--stream"]), (silent_amid_a_stream, ["--stream"])]
)
def test_ctrl_c(script: Script, more: list[str]) -> None:
    """It ends immediately, with a transcript of what was asked."""
    words = ["run", "who.pdl", "--set", "name=Ann", "--model", "llama-server:x", *more]
    start = [sys.executable, "-c", "from pdl.cli import main; main()", *words]
    with Hostile((script,)) as server:
        command = [*start, "--base-url", server.url, "--transcript", "kept"]
        with subprocess.Popen(command, stdout=-1, stderr=-1) as process:  # noqa: S603 - our own
            end = time.monotonic() + 20
            while not server.received and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(0.2)  # what has begun to come is there
            process.send_signal(signal.SIGINT)
            out, error = process.communicate(timeout=10)
    assert (process.returncode, out, error) == (130, b"", b"")
    [path] = Path("kept").glob("*.pdl")
    assert pdl.load(path).render().messages[0].text == "How old is Ann?"
    details = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert details["outcome"] == "stopped after 0 attempts"
