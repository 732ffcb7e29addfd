"""The page's frame in a real browser with the real server: files, keys, the language server."""

from __future__ import annotations

import json
import os
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from code_server import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.editor

MILLISECONDS = 30_000  # what a busy machine takes for one step
MAIL = """<|input|>
{ review: str, lang: str }

<|system|>
{% include "parts/tone.pdl" %}

<|usr|>
Rate {{ reveiw }} in {{ lang | upper }}

<|schema|>
{ stars: int<1,5> }
"""
TONE = "You are kind in {{ lang }}.\n"
TEXTS = (
    "[...document.querySelector('#prompt').shadowRoot.querySelectorAll('{}')]"
    ".map(one => one.textContent)"
)

PLACES = "[...document.querySelectorAll('.area')].filter(a => a.offsetWidth).map(a => a.offsetLeft)"
"""Where the parts that are shown begin."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a prompt that has mistakes, what it includes, and a file of Windows."""
    made = tmp_path / "mails"
    (made / "parts").mkdir(parents=True)
    (made / "mail.pdl").write_text(MAIL, encoding="utf-8")
    (made / "parts" / "tone.pdl").write_text(TONE, encoding="utf-8")
    (made / "windows.pdl").write_bytes(b"<|user|>\r\nHello\r\nworld\r\n")
    return made


@pytest.fixture
def served(start: Any, folder: Path) -> Iterator[Any]:
    with start(folder) as running:
        yield running


@pytest.fixture
def page(chromium: Any, served: Any) -> Iterator[Any]:
    """The page of a folder. Nothing else is asked, and the policy of the server is kept."""
    made = chromium.new_page(viewport={"width": 1440, "height": 900})
    made.set_default_timeout(MILLISECONDS)
    troubles: list[str] = []
    made.on("pageerror", lambda error: troubles.append(str(error)))
    made.on("console", lambda one: troubles.append(one.text) if "Policy" in one.text else None)
    made.on("request", lambda one: troubles.append(one.url) if served.host not in one.url else None)
    made.goto(served.desk.access.address)
    made.wait_for_selector("html[data-ready]")
    yield made
    made.close()
    assert not [one for one in troubles if not one.startswith(("data:", "blob:"))]


def show(page: Any, name: str) -> None:
    """Open a prompt by the keyboard."""
    page.keyboard.press("Control+o")
    page.get_by_role("combobox", name="Name of a prompt").fill(name)
    page.get_by_role("option", name=name).first.wait_for()
    page.keyboard.press("Enter")
    titled(page, name)


def titled(page: Any, name: str) -> None:
    wait_for(lambda: page.title().removeprefix("● ").startswith(name), f"page of {name}")


def prompt(page: Any) -> str:
    lines: list[str] = page.evaluate(TEXTS.format(".cm-line"))
    return "\n".join(lines)


def write(page: Any, text: str) -> None:
    """Type at the end of the prompt."""
    page.locator("#prompt .cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type(text)


def test_problems_are_marked_and_counted(page: Any) -> None:
    show(page, "mail.pdl")
    wait_for(lambda: "review" in page.evaluate(TEXTS.format(".pdl-parameter")), "color")
    assert page.evaluate(TEXTS.format(".cm-lintRange-error")) == ["<|usr|>", "reveiw"]
    page.locator("#status").get_by_text("2 errors, 1 warning").click()
    assert page.get_by_role("tab", name="Problems").get_attribute("aria-selected") == "true"


def test_a_turn_is_completed(page: Any) -> None:
    show(page, "mail.pdl")
    write(page, "<|assi")
    page.locator("#prompt .cm-completionLabel").first.wait_for()
    wait_for(lambda: "<|assistant|>" in page.evaluate(TEXTS.format(".cm-completionLabel")), "turn")
    page.wait_for_timeout(200)  # a list that has just come takes no key
    page.keyboard.press("Enter")
    wait_for(lambda: "<|assistant|>" in prompt(page), "turn in the prompt")


def test_a_definition_opens_another_file(page: Any) -> None:
    show(page, "mail.pdl")
    page.locator("#prompt .cm-line", has_text="tone.pdl").click()
    page.keyboard.press("Home")
    for _ in range(16):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("F12")
    titled(page, "parts/tone.pdl")
    assert prompt(page) == TONE


def test_an_input_is_renamed_in_all_files(page: Any, folder: Path) -> None:
    show(page, "mail.pdl")
    page.locator("#prompt .cm-line", has_text="review: str").click()
    page.keyboard.press("Home")
    for _ in range(16):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("F2")
    page.get_by_label("New name").fill("language")
    page.keyboard.press("Enter")
    wait_for(lambda: "{{ language | upper }}" in prompt(page), "new name")
    assert "language: str" in prompt(page)
    page.get_by_text("Renamed in parts/tone.pdl too.").wait_for()
    page.get_by_role("button", name="Save them").click()
    file = folder / "parts" / "tone.pdl"
    expected = "You are kind in {{ language }}.\n"
    wait_for(lambda: file.read_text(encoding="utf-8") == expected, "new name in the file")


def test_a_file_is_saved_with_its_line_ends(page: Any, folder: Path) -> None:
    show(page, "windows.pdl")
    write(page, "again\n")
    assert page.title().startswith("● ")
    page.keyboard.press("Control+s")
    wait_for(lambda: not page.title().startswith("●"), "saved file")
    expected = b"<|user|>\r\nHello\r\nworld\r\nagain\r\n"
    assert (folder / "windows.pdl").read_bytes() == expected


def test_what_is_undone_is_of_the_file(page: Any) -> None:
    show(page, "parts/tone.pdl")
    write(page, "one")
    show(page, "windows.pdl")
    show(page, "parts/tone.pdl")
    assert prompt(page) == TONE + "one"
    page.keyboard.press("Control+z")
    wait_for(lambda: prompt(page) == TONE, "text before")


def test_a_new_prompt_is_created(page: Any, folder: Path) -> None:
    page.keyboard.press("Control+o")
    page.get_by_role("combobox").fill("parts/new")
    page.get_by_role("option", name="Create parts/new.pdl").click()
    titled(page, "parts/new.pdl")
    assert (folder / "parts" / "new.pdl").is_file()


def test_a_file_that_others_changed_is_not_overwritten(page: Any, folder: Path) -> None:
    show(page, "parts/tone.pdl")
    write(page, "mine")
    file = folder / "parts" / "tone.pdl"
    file.write_text("Theirs.\n", encoding="utf-8")
    page.keyboard.press("Control+s")
    dialog = page.get_by_role("dialog", name="Changed on disk")
    assert "mine" in dialog.inner_text()
    assert "Theirs." in dialog.inner_text()
    assert file.read_text(encoding="utf-8") == "Theirs.\n"
    dialog.get_by_role("button", name="Take the file’s text").click()
    wait_for(lambda: prompt(page) == "Theirs.\n", "their text")
    page.locator("#prompt .cm-content").focus()
    page.keyboard.press("Control+z")
    wait_for(lambda: "mine" in prompt(page), "my text")
    page.keyboard.press("Control+s")
    wait_for(lambda: not page.title().startswith("●"), "saved file")
    assert file.read_text(encoding="utf-8") == TONE + "mine"


def test_a_server_that_is_gone_takes_no_text_along(chromium: Any, start: Any, folder: Path) -> None:
    with start(folder) as served:
        page = chromium.new_page()
        page.goto(served.desk.access.address)
        page.wait_for_selector("html[data-ready]")
        port = served.desk.access.port
    write(page, "kept")
    page.get_by_text("The server of this page can’t be reached.").wait_for()
    with start(folder, port=port) as again:
        page.get_by_text("pdl play was started again").wait_for()
        page.get_by_role("textbox", name="Address").fill(again.desk.access.address)
        page.get_by_role("button", name="Connect").click()
        page.locator(".notice").wait_for(state="detached")
        assert "kept" in prompt(page)
        write(page, "\n<|usr|>\n")
        wait_for(lambda: "<|usr|>" in page.evaluate(TEXTS.format(".cm-lintRange")), "mark")
        page.close()


def test_a_file_that_changes_while_it_is_compared_is_compared_again(
    page: Any, folder: Path
) -> None:
    show(page, "parts/tone.pdl")
    write(page, "mine")
    file = folder / "parts" / "tone.pdl"
    file.write_text("Theirs.\n", encoding="utf-8")
    page.keyboard.press("Control+s")
    dialog = page.get_by_role("dialog", name="Changed on disk")
    dialog.get_by_text("Theirs.").wait_for()
    file.write_text("Newer.\n", encoding="utf-8")
    dialog.get_by_role("button", name="Overwrite the file").click()
    dialog.get_by_text("Newer.").wait_for()
    assert file.read_text(encoding="utf-8") == "Newer.\n"
    dialog.get_by_role("button", name="Overwrite the file").click()
    wait_for(lambda: file.read_text(encoding="utf-8") == f"{TONE}mine", "saved text")


def test_a_reload_shows_the_same_file(page: Any) -> None:
    show(page, "windows.pdl")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    titled(page, "windows.pdl")


def test_an_answer_that_depends_on_example_data_says_so(page: Any, folder: Path) -> None:
    text = "<|input|>\n{ most: int<1,9> }\n<|user|>\nHi\n<|schema|>\nint<0,{{ most }}>\n"
    folder.joinpath("choice.pdl").write_text(text, encoding="utf-8")
    show(page, "choice.pdl")
    for name in ("Schema", "Grammar"):
        page.get_by_role("tab", name=name).click()
        page.get_by_role("tabpanel", name=name).get_by_text("Example values").wait_for()
    page.get_by_role("tab", name="Reply").click()
    page.get_by_role("textbox", name="Reply of a model").focus()
    page.keyboard.type("0")
    page.get_by_role("tabpanel", name="Reply").get_by_text("Example values").wait_for()


def test_a_look_that_is_refused_is_not_taken_for_the_last_one(page: Any) -> None:
    show(page, "windows.pdl")
    page.locator("#status").get_by_text("No problems").wait_for()
    page.route(
        "**/api/look", lambda route: route.fulfill(status=413, json={"message": "too large"})
    )
    write(page, "more")
    page.locator("#status").get_by_text("Not updated").wait_for()
    assert "updated in" not in page.locator("#status").inner_text()
    page.unroute("**/api/look")
    write(page, ".")
    page.locator("#status").get_by_text("updated in").wait_for()
    assert "Not updated" not in page.locator("#status").inner_text()


def test_what_was_typed_follows_the_server_to_another_address(
    chromium: Any, start: Any, folder: Path
) -> None:
    """All of it: also what is in files that are not shown, and never over a file that changed."""
    with start(folder) as served:
        page = chromium.new_page()
        page.goto(served.desk.access.address)
        page.wait_for_selector("html[data-ready]")
        show(page, "parts/tone.pdl")
        write(page, "tone kept")
        show(page, "mail.pdl")
    write(page, "kept")
    page.get_by_text("If it has printed another address, paste that here").wait_for()
    (folder / "parts" / "tone.pdl").write_text("Theirs.\n", encoding="utf-8")
    with start(folder) as again:
        page.get_by_role("textbox", name="Address").fill("http://127.0.0.1:1/")
        page.get_by_role("button", name="Connect").click()
        page.get_by_text("This is not an address that pdl play prints.").wait_for()
        page.get_by_role("textbox", name="Address").fill(again.desk.access.address)
        page.get_by_role("button", name="Connect").click()
        page.wait_for_url(f"http://{again.host}/")
        page.wait_for_selector("html[data-ready]")
        titled(page, "mail.pdl")
        assert prompt(page) == f"{MAIL}kept"
        show(page, "parts/tone.pdl")
        assert prompt(page) == f"{TONE}tone kept"
        page.keyboard.press("Control+s")
        page.get_by_role("dialog", name="Changed on disk").wait_for()
        page.close(run_before_unload=False)
    assert (folder / "mail.pdl").read_text(encoding="utf-8") == MAIL


def test_a_page_that_does_nothing_is_told_of_another_server(
    chromium: Any, start: Any, folder: Path
) -> None:
    with start(folder) as served:
        page = chromium.new_page()
        page.goto(served.desk.access.address)
        page.wait_for_selector("html[data-ready]")
        port = served.desk.access.port
    with start(folder, port=port):
        page.get_by_text("pdl play was started again, with another token.").wait_for()
        page.close()


def test_a_name_that_is_not_utf8_is_that_of_its_own_text(
    chromium: Any, start: Any, folder: Path
) -> None:
    odd = Path(os.fsdecode(os.fsencode(folder) + b"/odd\xff.pdl"))
    odd.write_text("<|user|>\nOdd\n", encoding="utf-8")
    with start(folder) as served:
        page = chromium.new_page()
        page.goto(served.desk.access.address)
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press("Control+o")
        page.get_by_role("combobox", name="Name of a prompt").fill("odd")
        page.get_by_role("option", name="odd").first.wait_for()
        page.keyboard.press("Enter")
        wait_for(lambda: prompt(page) == "<|user|>\nOdd\n", "text of the file")
        write(page, "<|usr|>")
        wait_for(lambda: "<|usr|>" in page.evaluate(TEXTS.format(".cm-lintRange")), "mark")
        page.keyboard.press("Control+s")
        wait_for(lambda: odd.read_text("utf-8") == "<|user|>\nOdd\n<|usr|>", "saved file")
        page.close()
    assert (folder / "mail.pdl").read_text(encoding="utf-8") == MAIL


def test_what_cannot_be_seen_is_shown_by_its_code(chromium: Any, start: Any, folder: Path) -> None:
    codes = "[...document.querySelectorAll('{} .unseen-char')].map(one => one.dataset.code)"
    text = "<|user|>\na\u202eb\u2066c {{ x\u202e }}\n"
    (folder / "a\u202e.pdl").write_text(text, encoding="utf-8")
    with start(folder) as served:
        page = chromium.new_page()
        page.goto(served.desk.access.address)
        page.wait_for_selector("html[data-ready]")
        titled(page, "a")
        assert page.evaluate(codes.format("#bar")) == ["U+202E"]
        page.get_by_role("tab", name="Problems").click()
        page.locator("#panel-problems .severity").first.wait_for()
        assert "\u202e" not in page.locator("#panel-problems").inner_text()  # pdl says its code
        page.locator("#prompt .cm-content").focus()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(text.replace("{{ x\u202e }}", ""))
        page.get_by_role("tab", name="Turns").click()
        page.locator("#panel-turns .unseen-char").first.wait_for(state="attached")
        assert page.evaluate(codes.format("#panel-turns .turn")) == ["U+202E", "U+2066"]
        signs = page.locator("#panel-turns .turn .unseen-char")
        places = signs.evaluate_all("found => found.map(one => one.offsetLeft)")
        assert places == sorted(places)
        page.close()


def test_a_file_that_was_deleted_is_written_again(page: Any, folder: Path) -> None:
    show(page, "windows.pdl")
    (folder / "windows.pdl").unlink()
    write(page, "again")
    page.keyboard.press("Control+s")
    page.get_by_text("windows.pdl is not on the disk any more.").wait_for()
    page.get_by_role("button", name="Write it again").click()
    page.get_by_text("is not on the disk any more").wait_for(state="detached")
    assert (folder / "windows.pdl").read_bytes() == b"<|user|>\nHello\nworld\nagain"
    assert not page.title().startswith("●")


def test_a_list_of_many_prompts_says_how_many_are_left_out(
    chromium: Any, start: Any, tmp_path: Path
) -> None:
    for number in range(230):
        (tmp_path / f"p{number:03}.pdl").touch()
    with start(tmp_path) as served:
        page = chromium.new_page()
        page.goto(served.desk.access.address)
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press("Control+o")
        page.get_by_text("and 30 more prompts: write a part of its name.").wait_for()
        page.get_by_role("combobox", name="Name of a prompt").fill("p229")
        page.get_by_role("option", name="p229.pdl").wait_for()
        assert not page.get_by_text("more prompts").count()
        page.close()


def test_a_page_of_a_server_gives_no_link(page: Any) -> None:
    """Its token is not in it, so that nobody else could open it."""
    page.get_by_role("button", name="Keys").wait_for()
    assert not page.get_by_role("button", name="Copy link").count()


def test_what_another_prompt_had_is_not_shown(page: Any) -> None:
    """Not even if the look at the next one fails."""
    show(page, "mail.pdl")
    page.locator("#status").get_by_text("2 errors, 1 warning").wait_for()
    page.get_by_role("tab", name="Reply").click()
    page.get_by_role("textbox", name="Reply of a model").click()
    page.keyboard.insert_text('{"stars": 3}')
    page.locator("#panel-reply .verdict").get_by_text("The reply is valid").wait_for()
    page.get_by_role("tab", name="Problems").click()
    refusal = {"error": {"message": "there was no look", "hint": ""}}
    page.route("**/api/look", lambda route: route.fulfill(status=422, json=refusal))
    show(page, "windows.pdl")
    page.locator("#panel-problems").get_by_text("there was no look").wait_for()
    page.locator("#status").get_by_text("Not read").wait_for()
    assert not page.locator("#panel-problems .finding").count()
    assert not page.locator("#panel-reply .verdict").is_visible()
    assert not page.locator(".badge").count()
    for name in ("Turns", "Request", "Schema", "Grammar", "Tools"):
        page.get_by_role("tab", name=name).click()
        panel = page.get_by_role("tabpanel", name=name)
        panel.get_by_text("there was no look").wait_for()
        assert "stars" not in panel.inner_text()
        assert "Rate" not in panel.inner_text()
    page.unroute("**/api/look")


def test_a_page_without_a_token_asks_for_it(chromium: Any, served: Any) -> None:
    page = chromium.new_page()
    state = urlsafe_b64encode(json.dumps({"prompt": "<|user|>\nHi"}).encode()).decode().strip("=")
    page.goto(f"http://{served.host}/#j={state}")
    page.get_by_role("textbox", name="Address").fill(served.desk.access.address)
    page.get_by_role("button", name="Connect").click()
    page.wait_for_selector("html[data-ready]")
    assert prompt(page) == "<|user|>\nHi"
    assert served.desk.access.token not in page.url
    page.close()


@pytest.mark.parametrize("fragment", ["s=AAAA", "s=%ff", "j=bnVsbA", "token=", "x<script>", "s="])
def test_a_broken_address_is_an_address_without_state(page: Any, fragment: str) -> None:
    page.evaluate("fragment => { location.hash = fragment; location.reload(); }", fragment)
    page.wait_for_selector("html[data-ready]")
    assert "<|" in prompt(page)


@pytest.mark.parametrize("width", [360, 800, 1440, 2560])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits(page: Any, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    places = page.evaluate(PLACES)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert [len(places), len(set(places))] == {
        360: [1, 1],
        800: [3, 2],
        1440: [3, 2],
        2560: [3, 3],
    }[width]


def test_keys_lead_through_the_page(page: Any) -> None:
    page.locator("#prompt .cm-content").focus()
    page.keyboard.press("F6")
    assert page.evaluate("document.activeElement.id") == "tab-data"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-reply"
    page.keyboard.press("Shift+F6")
    assert page.evaluate("document.activeElement.id") == "prompt"
    page.keyboard.press("F1")
    page.get_by_role("dialog", name="Keys").wait_for()
    page.keyboard.press("Escape")
    line = page.get_by_role("separator", name="Prompt’s size")
    before = int(line.get_attribute("aria-valuenow"))
    line.focus()
    page.keyboard.press("ArrowUp")
    assert int(line.get_attribute("aria-valuenow")) == before - 2
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert int(line.get_attribute("aria-valuenow")) == before - 2
