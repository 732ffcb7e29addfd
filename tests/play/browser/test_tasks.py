"""What people do with the playground from one panel to the next, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pdl.testing import read_cases, run_case

if TYPE_CHECKING:
    from play.browser.conftest import Visits

pytestmark = pytest.mark.editor

BROKEN = 'Here you are: {mood: \'bad\', "tags": ["broken",]}'


def expect(locator: Any) -> Any:
    """Playwright's assertions, which wait."""
    from playwright.sync_api import expect as expected  # noqa: PLC0415 - an optional package

    return expected(locator)


def test_what_is_typed_is_shown(visits: Visits) -> None:
    with visits() as visit:
        turns = visit.page.get_by_role("tabpanel", name="Turns")
        expect(turns).to_contain_text("How does this review sound? «review»")
        visit.page.get_by_role("textbox", name="review").fill("It broke after two days.")
        expect(turns).to_contain_text("How does this review sound? It broke after two days.")
        visit.write(visit.prompt, "<|user|>\nAnother {{ 1 + 1 }}\n")
        expect(turns).to_contain_text("Another 2")


def test_a_recorded_reply_is_taken_with_its_data(visits: Visits) -> None:
    with visits() as visit:
        visit.open("Reply")
        menu = visit.page.get_by_role("combobox", name="Example replies")
        expect(menu.locator("optgroup[label=Recorded] option")).to_have_count(1)
        menu.select_option(menu.locator("optgroup[label=Recorded] option").get_attribute("value"))
        expect(visit.reply).to_contain_text('{"mood": "bad", "tags": ["broken"]}')
        turns = visit.page.get_by_role("tabpanel", name="Turns")
        expect(turns).to_contain_text("How does this review sound? It broke.")


def test_a_reply_becomes_a_test(visits: Visits) -> None:
    with visits() as visit:
        visit.page.get_by_role("textbox", name="review").fill("It broke.")
        visit.open("Reply")
        visit.write(visit.reply, BROKEN)
        expect(visit.tab("Reply")).to_contain_text("✓")
        visit.page.get_by_role("button", name="Save as test").click()
        visit.page.get_by_role("textbox", name="Name of the case").fill("misspelled")
        visit.page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()
        expect(visit.page.get_by_role("status").filter(has_text="Saved: ")).to_be_visible()
        cases = read_cases(visit.folder / "review.tests.pdl").cases
        assert [case.name for case in cases] == ["recorded", "misspelled"]
        assert [run_case(case).status for case in cases] == ["passed", "passed"]


HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(1)</script>{{ '<b>' }}"


def test_nothing_of_a_prompt_is_markup(visits: Visits) -> None:
    """Names, texts, descriptions, rules, and replies are texts wherever they are shown."""
    text = f'<|user|>\n{HOSTILE}\n<|schema|>\n{{ "<b>x</b>": str }} // {HOSTILE}\n'
    with visits() as visit:
        visit.page.on("dialog", lambda one: visit.complaints.append(one.message))
        visit.write(visit.prompt, text.replace("{{ '<b>' }}", ""))
        visit.open("Reply")
        visit.write(visit.reply, f'{{"<b>x</b>": "{HOSTILE}"}}')
        for name in ("Request", "Schema", "Grammar", "Tools", "Problems", "Turns"):
            visit.open(name)
            visit.page.wait_for_timeout(100)
            assert visit.page.locator("img[src=x], main b:text-is('x')").count() == 0


def test_what_was_typed_is_there_after_a_reload(visits: Visits) -> None:
    with visits() as visit:
        visit.write(visit.prompt, "<|user|>\nNot saved yet\n")
        expect(visit.page.get_by_role("button", name="Save", exact=True)).to_be_enabled()
        visit.page.wait_for_timeout(600)  # it is kept when typing pauses
        visit.page.on("dialog", lambda one: one.accept())
        visit.page.reload()
        visit.page.wait_for_selector("html[data-ready=true]")
        expect(visit.prompt).to_contain_text("Not saved yet")
        assert (visit.folder / "review.pdl").read_text("utf-8") != "<|user|>\nNot saved yet\n"
