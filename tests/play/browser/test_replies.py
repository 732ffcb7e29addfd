"""The panels in which one writes and asks, in a real browser, with the real server."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from models.hostile import Hostile, head, long_stream, stream, streamed
from vocabularies import byte_level

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.editor

RIGHT = '{"stars": 4, "refund": true, "problems": []}'
WRONG = RIGHT.replace("4", "9")
MILLISECONDS = 30_000  # what a busy machine takes for one step
PROMPT = """<|input|>
{
  review: str, // What the customer wrote
  stars?: int<1,5> = 3,
  mood: "good" | "bad",
  when?: date,
  tags: [str],
  person?: { name: str, kids: [{ n: str }] },
  either: int | str,
}

<|user|>
{{ review }} {{ stars }} {{ mood }} {{ when is defined }} {{ tags }} {{ person is defined }}
{{ either }}

<|schema|>
{ stars: int<1,5>, refund: bool, problems: [str] }
"""
BROKEN = (
    'Sure \U0001f600!\n```json\n{\'stars\': 4, refund: True,\n "problems": ["wet",]}\n```\nBye.'
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.pdl"
    path.write_text(PROMPT, encoding="utf-8")
    return path


@contextmanager
def opened(chromium: Any, served: Any) -> Iterator[Any]:
    """The page of a server; nothing else is asked, and no module fails."""
    page = chromium.new_page(viewport={"width": 1440, "height": 1000})
    page.set_default_timeout(MILLISECONDS)
    errors: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda one: asked.append(one.url))
    page.goto(served.desk.access.address)
    page.wait_for_selector("html[data-ready]")
    yield page
    page.close()
    assert not errors
    assert {one.split("/")[2] for one in asked if one.startswith("http")} == {served.host}


@pytest.fixture
def page(chromium: Any, start: Any, file: Path) -> Iterator[Any]:
    with start(file) as served, opened(chromium, served) as made:
        yield made


def field(page: Any, name: str) -> Any:
    return page.locator("#panel-data .form").get_by_label(name, exact=True)


def data(page: Any) -> str:
    """The text of the data, as the editor shows it."""
    lines: list[str] = page.locator("#panel-data .cm-line").all_text_contents()
    return "\n".join(lines)


def view(page: Any, name: str) -> None:
    page.locator("#panel-data").get_by_role("radio", name=name).check(force=True)


def write(page: Any, text: str) -> None:
    """Write a reply in place of the one that is there."""
    page.get_by_role("tab", name="Reply").click()
    page.get_by_role("textbox", name="Reply of a model").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)


def marked(page: Any, kind: str) -> list[str]:
    found: list[str] = page.locator(f"#panel-reply .mark-{kind}").all_inner_texts()
    return found


def test_form_writes_what_it_shows(page: Any) -> None:
    field(page, "review").fill("It broke.\nRefund!")
    field(page, "stars").fill("7")
    page.locator("#panel-data").get_by_text("expected at most 5, found 7").wait_for()
    field(page, "stars").fill("4")
    field(page, "mood").select_option("bad")
    field(page, "when").fill("2026-11-23")
    page.get_by_role("button", name="Add an item").click()
    page.keyboard.type("wet")
    field(page, "either").fill("5")
    page.get_by_label("Written as").select_option("json")
    page.get_by_role("button", name="Add person").click()
    field(page, "name").fill("Ada")
    page.locator("#panel-turns").get_by_text("It broke.").first.wait_for()
    view(page, "Text")
    assert json.loads(data(page)) == {
        "review": "It broke.\nRefund!",
        "stars": 4,
        "mood": "bad",
        "when": "2026-11-23",
        "tags": ["wet"],
        "either": 5,
        "person": {"name": "Ada", "kids": []},
    }
    assert not page.locator("#panel-data [aria-invalid]").count()
    view(page, "Form")
    page.get_by_role("button", name="Leave out when").click()
    page.get_by_role("button", name="Remove tags 1").click()
    view(page, "Text")
    assert json.loads(data(page))["tags"] == []
    assert "when" not in json.loads(data(page))


def test_text_stays_as_it_was_typed_but_for_the_edited_field(page: Any) -> None:
    view(page, "Text")
    page.get_by_role("textbox", name="Data, as JSON or YAML").click()
    page.keyboard.insert_text(
        "# mine\nreview:   It broke.   # so he says\nmood: good\ntags: []\neither: 1\n"
    )
    page.locator("#panel-turns").get_by_text("It broke.").first.wait_for()
    view(page, "Form")
    assert field(page, "review").input_value() == "It broke."
    field(page, "review").press("End")
    page.keyboard.type(" And it was late, so late!", delay=15)
    for _ in range(21):
        page.keyboard.press("Backspace")
    page.keyboard.type("late.")
    assert field(page, "review").input_value() == "It broke. And late."
    field(page, "mood").select_option("bad")
    page.get_by_role("button", name="Add an item").click()
    view(page, "Text")
    assert (
        data(page)
        == '# mine\nreview: It broke. And late.   # so he says\nmood: bad\ntags: [""]\neither: 1\n'
    )


def test_reply_is_marked_and_explained(page: Any) -> None:
    write(page, BROKEN)
    page.locator("#panel-reply").get_by_text("The reply is valid, after 4 repairs.").wait_for()
    assert marked(page, "repair") == ["'stars'", "refund", "True", ","]
    assert "".join(marked(page, "answer")).startswith("{'stars': 4, ")
    page.locator("#panel-reply .mark-repair").first.hover()
    page.locator(".cm-tooltip").get_by_text("Repair:").wait_for()
    page.locator("#panel-reply .finding").nth(2).click()
    assert page.evaluate("document.activeElement.shadowRoot.getSelection?.().toString() ?? ''") in (
        "True",
        "",
    )
    page.keyboard.insert_text("7")
    page.locator("#panel-reply .verdict .bad").first.wait_for()
    assert marked(page, "error") == ["7"]
    assert "Correct the error" in page.get_by_label("the feedback", exact=True).inner_text()


def test_typing_keeps_the_caret(page: Any) -> None:
    write(page, "")
    text = '{"stars": 4, "refund": true, "problems": []'
    page.keyboard.type(text + "x", delay=25)
    page.keyboard.press("Backspace")
    page.keyboard.type("}", delay=25)
    page.get_by_text("The reply is valid.").wait_for()
    assert page.get_by_role("textbox", name="Reply of a model").inner_text() == text + "}"


def test_long_reply_stays_usable(page: Any) -> None:
    items = ", ".join(f'"problem number {number}"' for number in range(8_500))
    write(page, f"{{'stars': 4, 'refund': true, 'problems': [{items}]}}")
    page.get_by_text("The reply is valid, after 3 repairs.").wait_for()
    page.keyboard.press("ControlOrMeta+Home")
    page.keyboard.type("Well: ")
    page.wait_for_function(
        "document.querySelector('#panel-reply .verdict').textContent.includes('valid')"
    )
    assert page.get_by_role("textbox", name="Reply of a model").inner_text().startswith("Well: {")


def test_panels_say_how_to_run_and_to_see_tokens(page: Any) -> None:
    page.get_by_role("tab", name="Run").click()
    page.locator("#panel-run").get_by_text(re.compile("pdl play FILE --model")).wait_for()
    assert not page.get_by_role("button", name="Run", exact=True).is_visible()
    page.get_by_role("tab", name="Tokens").click()
    page.locator("#panel-tokens").get_by_text(re.compile("--tokenizer")).wait_for()


@pytest.fixture
def simple(tmp_path: Path) -> Path:
    path = tmp_path / "simple.pdl"
    path.write_text(
        "<|user|>\nHow many?\n" + PROMPT[PROMPT.index("<|schema|>") :], encoding="utf-8"
    )
    return path


def test_run_is_streamed_checked_and_tried_again(chromium: Any, start: Any, simple: Path) -> None:
    replies = (stream(*streamed(WRONG[:9], WRONG[9:])), stream(*streamed(RIGHT[:9], RIGHT[9:])))
    with (
        Hostile(replies) as provider,
        start(simple, models=["openai:tiny"], base_url=provider.url) as served,
        opened(chromium, served) as page,
    ):
        page.get_by_role("tab", name="Run").click()
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator(".run-status").get_by_text("A valid answer after 2 attempts").wait_for()
        attempts = page.locator("#panel-run .attempt")
        assert attempts.count() == 2
        assert "must be at most 5, not 9" in attempts.first.inner_text()
        assert attempts.nth(1).locator("pre.streamed").inner_text() == RIGHT
        attempts.first.get_by_text("Request").click()
        attempts.first.get_by_role("treeitem").filter(has_text="How many?").first.wait_for()
        attempts.nth(1).get_by_role("button", name="Use this reply").click()
        page.locator("#panel-reply").get_by_text("The reply is valid.").wait_for()
        assert page.get_by_role("textbox", name="Reply of a model").inner_text() == RIGHT


@pytest.mark.parametrize("how", ["Escape", "page"])
def test_run_stops_for_the_model_too(chromium: Any, start: Any, simple: Path, how: str) -> None:
    closed = threading.Event()

    with (
        Hostile((long_stream(closed),)) as provider,
        start(simple, models=["openai:tiny"], base_url=provider.url) as served,
        opened(chromium, served) as page,
    ):
        page.keyboard.press("ControlOrMeta+Enter")
        page.locator("pre.streamed").filter(has_text="aaa").wait_for()
        if how == "page":
            page.close()
        else:
            page.get_by_role("button", name="Stop").focus()
            page.keyboard.press("Escape")
            page.locator(".run-status").get_by_text("Stopped after").wait_for()
            assert page.get_by_role("button", name="Run", exact=True).is_enabled()
        assert closed.wait(MILLISECONDS / 1000)


TOOLS = "<|tools|>\nlook(place: str, deep?: bool)\n<|user|>\nHi\n"


def test_calls_are_told_with_their_arguments(chromium: Any, start: Any, tmp_path: Path) -> None:
    """And that no tool was run."""
    file = tmp_path / "tools.pdl"
    file.write_text(TOOLS, encoding="utf-8")
    function = {"name": "look", "arguments": json.dumps({"place": "`x` | \u202e", "deep": True})}
    call = {"index": 0, "id": "a", "type": "function", "function": function}
    choice = {"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}
    event = f"data: {json.dumps({'choices': [choice]})}\n\n"
    with (
        Hostile((stream(event, "data: [DONE]\n\n"),)) as provider,
        start(file, models=["openai:tiny"], base_url=provider.url) as served,
        opened(chromium, served) as page,
    ):
        page.keyboard.press("ControlOrMeta+Enter")
        page.locator(".run-status").get_by_text("The model calls 1 tool after 1 attempt").wait_for()
        told = page.get_by_role("article", name="Call of look")
        assert told.get_by_role("heading").inner_text() == "Calls look"
        rows = told.locator(".json-row").all_inner_texts()
        assert [one.strip("▾ \n") for one in rows] == ["{", 'place: "`x` | \\u202e"', "deep: true"]
        page.get_by_text("The tool was not run: the playground runs no tools.").wait_for()
        assert not page.locator("pre.streamed").is_visible()


def test_a_run_is_shown_with_its_own_prompt(chromium: Any, start: Any, simple: Path) -> None:
    simple.with_name("other.pdl").write_text("<|user|>\nOther\n", encoding="utf-8")
    closed = threading.Event()

    def switch(page: Any, name: str) -> None:
        page.keyboard.press("Control+o")
        page.get_by_role("combobox", name="Name of a prompt").fill(name)
        page.get_by_role("option", name=name).first.wait_for()
        page.keyboard.press("Enter")
        page.wait_for_function("name => document.title.startsWith(name)", arg=name)

    with (
        Hostile((long_stream(closed),)) as provider,
        start(simple.parent, models=["openai:tiny"], base_url=provider.url) as served,
        opened(chromium, served) as page,
    ):
        switch(page, "other.pdl")
        page.keyboard.press("ControlOrMeta+Enter")
        page.locator("pre.streamed").filter(has_text="aaa").wait_for()
        switch(page, "simple.pdl")
        assert not page.locator("#panel-run .attempt").count()
        assert page.locator(".run-status").inner_text() == ""
        assert page.get_by_role("button", name="Run", exact=True).is_enabled()
        switch(page, "other.pdl")
        page.locator("pre.streamed").filter(has_text="aaa").wait_for()
        page.get_by_role("button", name="Stop").click()
        page.locator(".run-status").get_by_text("Stopped after").wait_for()
        assert closed.wait(MILLISECONDS / 1000)


def test_a_fast_stream_is_stopped_and_then_shown_from_its_beginning(
    chromium: Any, start: Any, simple: Path
) -> None:
    pieces = "".join(streamed(*["ab "] * 500)[:500])
    sent = threading.Event()

    def fast(wire: Any) -> None:
        wire.send(head("200 OK", "text/event-stream"))
        try:
            while True:
                wire.send(pieces)
        except OSError:
            sent.set()
            raise

    simple.write_text("<|user|>\nHi\n", encoding="utf-8")
    with (
        Hostile((fast,)) as provider,
        start(simple, models=["openai:tiny"], base_url=provider.url) as served,
        opened(chromium, served) as page,
    ):
        page.keyboard.press("ControlOrMeta+Enter")
        page.locator("pre.streamed").filter(has_text="characters before this").wait_for()
        assert page.evaluate("document.querySelector('.streamed').textContent.length") < 21_000
        page.get_by_role("button", name="Stop").click()
        page.locator(".run-status").get_by_text("Stopped after").wait_for()
        assert sent.wait(MILLISECONDS / 1000)
        text, _, left = page.locator("pre.streamed").text_content().partition("\n… ")
        assert 10_000 < len(text) <= 200_000
        assert text.replace("ab ", "") in {"", "a", "ab"}
        assert not left or left.endswith("more characters, which are not shown.")


def test_of_a_reply_of_millions_the_beginning_is_shown(
    chromium: Any, start: Any, simple: Path
) -> None:
    simple.write_text("<|user|>\nHi\n", encoding="utf-8")
    with (
        Hostile((stream(*streamed(*["b" * 100_000] * 30)),)) as provider,
        start(simple, models=["openai:tiny"], base_url=provider.url) as served,
        opened(chromium, served) as page,
    ):
        page.keyboard.press("ControlOrMeta+Enter")
        page.locator(".run-status").get_by_text("A valid answer").wait_for()
        text, _, left = page.locator("pre.streamed").text_content().partition("\n… ")
        assert text == "b" * 200_000
        assert left == "2,800,000 more characters, which are not shown."


def test_what_a_run_lacks_is_said(chromium: Any, start: Any, simple: Path) -> None:
    with (
        start(simple, models=["openai:tiny"], base_url="http://127.0.0.1:9") as served,
        opened(chromium, served) as page,
    ):
        page.get_by_role("tab", name="Run").click()
        page.locator("#run-retries").fill("0")
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator("#panel-run .failure").wait_for()
        assert "127.0.0.1" in page.locator("#panel-run .failure").inner_text()


def test_reply_becomes_a_case_and_is_offered_again(page: Any, file: Path) -> None:
    values = {"review": "It broke.", "mood": "bad", "tags": [], "either": 1}
    view(page, "Text")
    page.get_by_role("textbox", name="Data, as JSON or YAML").click()
    page.keyboard.insert_text(json.dumps(values))
    write(page, BROKEN)
    page.get_by_role("button", name="Save as test").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name of the case").fill("a wet one")
    dialog.get_by_text("<|case|> a wet one").wait_for()
    dialog.get_by_role("button", name="Save", exact=True).click()
    dialog.get_by_text("Saved: shop.tests.pdl, line 1.").wait_for()
    page.keyboard.press("Escape")
    saved = file.with_name("shop.tests.pdl").read_text(encoding="utf-8")
    assert saved.startswith("<|case|> a wet one\n<|data|>\n")
    assert BROKEN in saved
    write(page, "nothing")
    page.locator("#panel-reply .verdict .bad").first.wait_for()
    page.get_by_label("Example replies").select_option("a wet one")
    page.locator("#panel-reply").get_by_text("after 4 repairs").wait_for()


def test_examples_show_what_models_do(page: Any) -> None:
    page.get_by_role("tab", name="Reply").click()
    for label, told in (
        ("In a fenced code block", "The reply is valid."),
        ("With single quotes", "repairs."),
        ("With a trailing comma", "repair"),
        ("With numbers as texts", "has the wrong type"),
        ("Cut off", "is cut off"),
    ):
        page.get_by_label("Example replies").select_option(label)
        page.locator("#panel-reply .verdict").get_by_text(told).wait_for()


def test_tokens_follow_the_place(chromium: Any, start: Any, simple: Path, tmp_path: Path) -> None:
    tokenizer = tmp_path / "tokenizer.json"
    byte_level().save(str(tokenizer))
    tokenizer.with_name("tokenizer_config.json").write_text('{"eos_token": "<|end_of_text|>"}')
    with (
        start(simple, tokenizers=[str(tokenizer)]) as served,
        opened(chromium, served) as page,
    ):
        write(page, RIGHT)
        page.locator("#panel-reply").get_by_text("The reply is valid.").wait_for()
        page.get_by_role("tab", name="Tokens").click()
        told = page.locator("#panel-tokens .tokens-told")
        told.get_by_text("The answer may also end here.").wait_for()
        place = page.get_by_label("Place", exact=True)
        place.fill("3")
        told.get_by_text("There is no choice for").wait_for()
        assert 'tars":' in told.inner_text()
        place.press("End")
        told.get_by_text("The answer may also end here.").wait_for()
        write(page, f"Well: {RIGHT}")
        page.get_by_role("tab", name="Tokens").click()
        told.get_by_text("left the grammar at character 0").wait_for()
        told.get_by_role("button", name="Go to 0").click()
        told.get_by_text(re.compile(r"tokens? may come here")).wait_for()
