"""What `--explain` shows of replies of any kind."""

from __future__ import annotations

import re
from dataclasses import fields

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import pdl
import pdl.reply
from pdl.cli.app import application
from pdl.cli.commands.check import explanation
from pdl.cli.options import COERCION_TERMS, COERCIONS
from pdl.cli.terminal import Terminal
from pdl.source import Source

PIECES = (
    *("{", "}", "[", "]", '"', ":", ",", "'", "1", "n", "```", "json", "\n", " ", "<think>"),
    *("</think>", "<|im_end|>", "\x1b[31m", "\x9b", "\u202e", "\u2028", "\ud800", "\x07", "ü"),
)
REPLIES = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
SCHEMAS = [pdl.Schema.parse(dsl) for dsl in ("{ n: int }", "[any]", "str", "code", "yesno", "int")]


@given(REPLIES, st.sampled_from([*SCHEMAS, None]))
def test_no_reply_steers_the_terminal(reply: str, schema: pdl.Schema | None) -> None:
    check = pdl.check(schema, reply)
    plain = Terminal(None, is_tty=True, has_color=False)
    colored = Terminal(None, is_tty=True, has_color=True)
    text = explanation(schema, check, Source(reply, "reply.txt"), plain)
    assert not STEERING.search(text)
    assert click.unstyle(explanation(schema, check, Source(reply, "reply.txt"), colored)) == text


@given(REPLIES)
def test_the_exit_code_is_that_of_a_plain_check(reply: str) -> None:
    words = ["check", "--dsl", "{ n: int }", "--reply", "-"]
    data = reply.encode("utf-8", "replace")
    plain = CliRunner().invoke(application, words, data)
    explained = CliRunner().invoke(application, [*words, "--explain"], data)
    assert explained.exit_code == plain.exit_code
    assert explained.stderr == ""
    told = plain.stdout if plain.exit_code == 0 else plain.stderr
    assert explained.stdout.endswith(told)


def test_long_replies_are_shortened() -> None:
    reply = (
        "<think>"
        + "hm " * 9000
        + "</think>"
        + "Step.\n```sh\nx\n```\n" * 500
        + '[{"n": "x"}]' * 500
    )
    schema = SCHEMAS[0]
    text = explanation(
        schema,
        pdl.check(schema, reply),
        Source(reply, "r"),
        Terminal(None, is_tty=False, has_color=False),
    )
    assert len(text.splitlines()) < 120
    assert max(map(len, text.splitlines())) < 200


def test_a_change_of_data_names_the_option_that_allowed_it() -> None:
    repair = pdl.reply.Repair("numbers_in_strings", (6, 9), ("n",), '"5"', "5")
    check = pdl.Check({"n": 5}, repairs=(repair,), span=(0, 10))
    terminal = Terminal(None, is_tty=False, has_color=False)
    text = explanation(SCHEMAS[0], check, Source('{"n": "5"}', "r"), terminal)
    said = """r:1:7: `"5"` is read as `5` at `$.n` [--coerce numbers-in-strings]
  1 | {"n": "5"}
    |       ^^^
"""
    assert said in text


def test_each_coercion_is_explained() -> None:
    assert all(meaning for meaning in COERCION_TERMS[1].values())
    shown = CliRunner().invoke(application, ["check", "--help"]).stdout
    for name, meaning in COERCION_TERMS[1].items():
        assert re.search(rf"^  {name} +{re.escape(meaning)}$", shown, re.MULTILINE)


@pytest.mark.parametrize(
    ("names", "allowed"),
    [
        ([], set()),
        (["enum-case"], {"enum_case"}),
        (["ENUM_CASE", "key-case"], {"enum_case", "key_case"}),
        (["all"], set(COERCIONS.values())),
        (["all", "unwrap"], set(COERCIONS.values())),
    ],
)
def test_coercions_are_those_that_are_named(names: list[str], allowed: set[str]) -> None:
    command = application.get_command(click.Context(application), "check")
    assert command is not None
    words = [word for name in names for word in ("--coerce", name)]
    context = command.make_context("check", ["--dsl", "int", "--reply", "-", *words])
    coercions = context.params["coercions"]
    assert {field.name for field in fields(coercions) if getattr(coercions, field.name)} == allowed
