"""Changes as text, JSON, annotations, and Markdown; texts of strangers are data in all of them."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.cli.changes import FORMATS, FileChanges, Report, word_lines
from pdl.cli.terminal import Terminal
from pdl.compare.schemas import compare_schemas
from pdl.compare.verdicts import Audience, Change, No, Piece
from pdl.compare.words import word_changes
from pdl.schema import Schema
from pdl.source import Source

PLAIN = Terminal(io.StringIO(), is_tty=False, has_color=False)
COLORED = Terminal(io.StringIO(), is_tty=True, has_color=True)
ALL: tuple[Audience, ...] = ("programs", "recordings", "callers")
SOURCE = Source("<|schema|>\n{\n  age: int<0,100>,\n}\n", "odd, a: 1%.pdl")
NARROWED = Change(
    *("schema", "$.age", "the maximum 120 became 100: narrowed; 101 was valid"),
    *("int<0,120>", "int<0,100>", "narrowed"),
    effect=": narrowed; 101 was valid",
    lost=No('{"age":101}', {"age": 101}),
    breaks=("recordings",),
    new_span=SOURCE.span(20, 30),
)
TEXT = Change(
    *("messages", "user 2", "the text changed", "Be brief.", "Be kind."),
    words=word_changes("Be brief.", "Be kind."),
)
HOSTILE = "\x1b]0;x\x07\n::error::no `` | <b> @ann #1 \u202e"


def report(*changes: Change, audiences: tuple[Audience, ...] = ALL) -> Report:
    return Report((FileChanges(SOURCE.name, changes),), audiences, 3)


def test_text_names_the_place_the_verdict_and_an_example() -> None:
    assert FORMATS["text"](report(NARROWED, TEXT), PLAIN) == (
        "odd, a: 1%.pdl:3:8: narrowed, breaks recordings: `$.age`: the maximum 120 became 100\n"
        "  3 |   age: int<0,100>,\n"
        "    |        ^^^^^^^^^^\n"
        '  lost: `{"age":101}` was valid, and no longer is\n'
        "\n"
        "odd, a: 1%.pdl: changed: `user 2`: the text changed\n"
        "  | Be [-brief-]{+kind+}."
    )


def test_the_verdict_is_said_once() -> None:
    """The message of a comparison says it too, for those who show nothing else."""
    change, *_ = compare_schemas(Schema.parse("int<0,9>"), Schema.parse("int<0,5>")).changes
    assert change.message == "int<0,9> became int<0,5>: narrowed; 6 was valid"
    assert FORMATS["text"](
        report(replace(change, old_span=None, new_span=None)), PLAIN
    ).splitlines() == [
        "odd, a: 1%.pdl: narrowed, breaks recordings: `$`: int<0,9> became int<0,5>",
        "  lost: `6` was valid, and no longer is",
    ]


def test_colored_text_has_the_words_of_the_plain_one() -> None:
    plain, colored = (FORMATS["text"](report(NARROWED, TEXT), one) for one in (PLAIN, COLORED))
    assert "\x1b[31mbrief\x1b[0m\x1b[32mkind\x1b[0m" in colored
    assert click.unstyle(colored) == re.sub(r"\[-(.*)-\]\{\+(.*)\+\}", r"\1\2", plain)


@pytest.mark.parametrize(
    ("change", "label"),
    [
        (replace(NARROWED, breaks=()), "narrowed"),
        (replace(NARROWED, breaks=("programs", "recordings")), "breaks programs and recordings"),
        (replace(NARROWED, breaks=ALL), "narrowed, breaks programs, recordings and callers"),
        (
            replace(NARROWED, verdict="unknown", message="m: undecided: too big", effect="x"),
            "undecided, may break recordings: `$.age`: m: undecided: too big",
        ),
        (replace(NARROWED, verdict="both"), "widened and narrowed, breaks recordings"),
        (replace(NARROWED, verdict=None), "breaks recordings"),
        (replace(TEXT, part="config"), "changed: config `user 2`"),
        (replace(TEXT, path=""), "changed: the text"),
    ],
)
def test_labels(change: Change, label: str) -> None:
    line, *_ = FORMATS["text"](report(change), PLAIN).replace(" changed\n", ":\n").splitlines()
    assert f" {label}:" in f"{line}:"


def test_notes_say_what_the_examples_are() -> None:
    part = replace(NARROWED, gained=No("7", 7), witnesses="part", guess="`age` was `years`")
    assert FORMATS["text"](report(part), PLAIN).splitlines()[-3:] == [
        '  lost: `{"age":101}` was valid there, and no longer is',
        "  gained: `7` was not valid there, and now is",
        "  guess: `age` was `years`",
    ]
    long = replace(NARROWED, lost=No("1" * 5_000, 1))
    assert len(FORMATS["text"](report(long), PLAIN)) < 500
    assert json.loads(FORMATS["json"](report(long), PLAIN))["changes"][0]["lost"] == "1" * 5_000


def test_the_level_depends_on_who_counts() -> None:
    for audiences, level in ((ALL, "error"), (("programs",), "warning")):
        assert report(audiences=audiences).level(NARROWED) == level
    assert report().level(TEXT) == "note"


def test_github_gets_its_escapes() -> None:
    """What has no position in the new version is about the whole file."""
    lines = FORMATS["github"](report(NARROWED, TEXT, audiences=("programs",)), PLAIN).splitlines()
    assert lines == [
        (
            "::warning file=odd%2C a%3A 1%25.pdl,line=3,col=8,title=pdl%3A narrowed%2C breaks"
            " recordings::`$.age`: the maximum 120 became 100%0A"
            'lost: `{"age":101}` was valid, and no longer is'
        ),
        "::notice file=odd%2C a%3A 1%25.pdl,title=pdl%3A changed::`user 2`: the text changed",
    ]


def test_json_has_every_field() -> None:
    told = json.loads(FORMATS["json"](report(NARROWED, TEXT), PLAIN))
    assert told["ok"] is False
    assert told["changes"][0] == {
        "file": "odd, a: 1%.pdl",
        "part": "schema",
        "path": "$.age",
        "message": "the maximum 120 became 100: narrowed; 101 was valid",
        "old": "int<0,120>",
        "new": "int<0,100>",
        "verdict": "narrowed",
        "breaks": ["recordings"],
        "lost": '{"age":101}',
        "gained": None,
        "guess": "",
        "source": "odd, a: 1%.pdl",
        "line": 3,
        "column": 8,
    }
    assert told["changes"][1]["line"] is None
    assert json.loads(FORMATS["json"](report(TEXT), PLAIN))["ok"] is True


def test_markdown_is_a_list_with_the_text_folded() -> None:
    assert FORMATS["markdown"](report(NARROWED, TEXT), PLAIN) == (
        "**pdl diff**, 3 files: 2 changes, 1 breaks\n"
        "\n"
        "### `odd, a: 1%.pdl`\n"
        "\n"
        "- **narrowed, breaks recordings**: `$.age`: the maximum 120 became 100\n"
        '  - lost: `{"age":101}` was valid, and no longer is\n'
        "- changed: `user 2`: the text changed\n"
        "\n"
        "  <details><summary>text</summary>\n"
        "\n"
        "  ```text\n"
        "  Be [-brief-]{+kind+}.\n"
        "  ```\n"
        "\n"
        "  </details>\n"
    )


@pytest.mark.parametrize("form", FORMATS)
def test_a_stranger_writes_no_lines_and_no_markup(form: str) -> None:
    """Names, messages, answers, and texts of a pull request are shown, and do nothing."""
    hostile = Change(
        *("schema", HOSTILE, HOSTILE, HOSTILE, HOSTILE, "both"),
        lost=No(HOSTILE, HOSTILE),
        guess=HOSTILE,
        words=word_changes(f"a\n{HOSTILE}", f"b\n{HOSTILE}\n```\n</details>"),
    )
    shown = FORMATS[form](Report((FileChanges(HOSTILE, (hostile,)),), ALL, 1), PLAIN)
    assert not re.search(r"^\s*::error", shown, re.MULTILINE)
    if form != "json":
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    if form == "markdown":
        outside = re.sub(r"(?ms)^  (`{4,})text$.*?^  \1$|(`+)(?!`).*?(?<!`)\2(?!`)", "", shown)
        assert "<b>" not in outside
        assert outside.count("</details>") == 1
        assert not re.search(r"@\w|#\d", outside)


@pytest.mark.parametrize("is_tty", [True, False])
def test_text_has_no_control_characters(*, is_tty: bool) -> None:
    """Also in a pipe: what reads it may show it in a terminal."""
    terminal = replace(PLAIN, is_tty=is_tty)
    changed = replace(TEXT, message=HOSTILE, words=word_changes("a\x9b", HOSTILE))
    shown = FORMATS["text"](report(replace(NARROWED, path=HOSTILE), changed), terminal)
    assert not set(shown) & {"\x1b", "\x07", "\x9b", "\u202e"}
    assert "\N{REPLACEMENT CHARACTER}" in shown


def test_a_change_of_a_part_is_shown_once() -> None:
    """With the prompts that include it; programs get it for each of them."""
    files = tuple(FileChanges(f"{name}.pdl", (NARROWED,)) for name in "abcde")
    shared = Report(files, ALL, 5)
    assert FORMATS["text"](shared, PLAIN).count("\n\n") == 0
    assert "\n  in: `a.pdl`, `b.pdl`, `c.pdl` and 2 others\n" in FORMATS["text"](shared, PLAIN)
    assert len(FORMATS["github"](shared, PLAIN).splitlines()) == 1
    assert FORMATS["markdown"](shared, PLAIN).count("### ") == 1
    assert len(json.loads(FORMATS["json"](shared, PLAIN))["changes"]) == 5


def test_the_text_of_a_whole_file_is_not_shown() -> None:
    gone = Change(
        *("messages", "", "the prompt was removed", "Be brief."),
        breaks=ALL,
        old_span=SOURCE.span(0),
        words=word_changes("Be brief.", ""),
    )
    assert FORMATS["text"](report(gone), PLAIN) == (
        "odd, a: 1%.pdl: breaks programs, recordings and callers: the prompt was removed"
    )
    assert "brief" not in FORMATS["markdown"](report(gone), PLAIN)


def test_only_what_breaks_is_kept() -> None:
    kept = report(NARROWED, TEXT).only_breaking()
    assert [change for _, change in kept] == [NARROWED]
    assert report(TEXT).only_breaking().files == ()


@pytest.mark.parametrize(
    ("changes", "summary"),
    [
        ((), "3 files: no changes"),
        ((TEXT,), "3 files: 1 change"),
        ((TEXT, NARROWED), "3 files: 2 changes, 1 breaks"),
        (
            (NARROWED, replace(NARROWED, verdict="unknown")),
            "3 files: 2 changes, 2 break (1 undecided)",
        ),
    ],
)
def test_the_summary_counts(changes: tuple[Change, ...], summary: str) -> None:
    assert report(*changes).summary == summary
    assert replace(report(), compared=1).summary == "1 file: no changes"


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("a b c", "a x c", ["a [-b-]{+x+} c"]),
        ("one\ntwo\nthree\n", "one\nthree\n", ["[-two-]"]),
        ("one\nthree\n", "one\ntwo\nthree\n", ["{+two+}"]),
        ("a\nkept\nb", "A\nkept\nB", ["[-a-]{+A+}", "…", "[-b-]{+B+}"]),
        ("a b", "a  b", ["a[- -]{+  +}b"]),
        ("a\nb", "a b", [r"a[-\n-]{+ +}b"]),
        ("", "all\nnew", ["{+all+}", "{+new+}"]),
    ],
)
def test_words_are_marked_in_their_lines(old: str, new: str, lines: list[str]) -> None:
    assert word_lines(word_changes(old, new), PLAIN) == lines


def test_what_is_equal_is_shortened() -> None:
    before, after = "many words come before it " * 10, " and many come after it" * 10
    [line] = word_lines(word_changes(f"{before}old{after}", f"{before}new{after}"), PLAIN)
    assert line == (
        "… before it many words come before it [-old-]{+new+}"
        " and many come after it and many come …"
    )
    [line] = word_lines([Piece("removed", "x" * 5_000)], PLAIN)
    assert len(line) < 500
    shown = word_lines([Piece("inserted", "x\n" * 5_000)], PLAIN)
    assert (len(shown), shown[-1]) == (41, "… 4960 more lines")


@given(st.text("ab \n", max_size=30), st.text("ab \n", max_size=30))
def test_each_change_of_a_text_is_visible(old: str, new: str) -> None:
    """A reader sees that there is one, on a terminal with color too."""
    words = word_changes(old, new)
    for terminal, mark in ((PLAIN, r"\[-|\{\+"), (COLORED, r"\x1b\[3[12]m")):
        shown = "\n".join(word_lines(words, terminal))
        assert bool(re.search(mark, shown)) == (old != new)


def many(count: int) -> Report:
    """A report in which only the last change breaks."""
    texts = [replace(TEXT, path=f"user {at}") for at in range(count)]
    return Report((FileChanges("a.pdl", (*texts, replace(NARROWED, new_span=None))),), ALL, 1)


@pytest.mark.parametrize(("form", "most"), [("text", 1_000), ("github", 50)])
def test_what_is_left_out_is_counted_and_does_not_break(form: str, most: int) -> None:
    shown = FORMATS[form](many(5_000), PLAIN)
    assert shown.count("the text changed") == most - 1
    assert shown.count("the maximum 120 became 100") == 1
    assert f"and {5_001 - most} more changes; --format json has all changes" in shown
    lines = shown.splitlines()
    assert ("::error" in lines[0] and "::notice" in lines[-1]) or form == "text"
    assert " more change" not in FORMATS[form](many(most - 1), PLAIN)


def test_markdown_fits_into_a_comment() -> None:
    shown = FORMATS["markdown"](many(5_000), PLAIN)
    assert 50_000 < len(shown) <= 60_500
    assert shown.count("the maximum 120 became 100") == 1
    count = shown.count(": the text changed")
    assert shown.endswith(f"\n\nand {5_000 - count} more changes; --format json has all changes")
    assert len(json.loads(FORMATS["json"](many(5_000), PLAIN))["changes"]) == 5_001


def test_one_change_that_is_too_long_hides_no_other() -> None:
    long = replace(NARROWED, message="x" * 70_000)
    shown = FORMATS["markdown"](report(long, NARROWED), PLAIN)
    assert "the maximum 120 became 100" in shown
    assert shown.endswith("and 1 more change; --format json has all changes")
