"""Who can use the playground: by keyboard, by a screen reader, in each width, light and dark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from play.browser.conftest import Visit, Visits

pytestmark = pytest.mark.editor

CONTRAST = Path(__file__).with_name("contrast.js").read_text("utf-8")
TABS = (
    "Reply",
    "Run",
    "Tokens",
    "Data",
    "Request",
    "Schema",
    "Grammar",
    "Tools",
    "Problems",
    "Turns",
)
NAMELESS = re.compile(
    r"- (?:alertdialog|button|checkbox|combobox|dialog|group|heading|img|link|list(?:box)?|option"
    r"|radio|region|separator|slider|spinbutton|switch|tab(?:list|panel)?|textbox|tree(?:item)?)"
    r"(?: \[[^\]]*\])*:?(?:$|\n)",
    re.MULTILINE,
)
"""A control or a part of a page in Playwright's snapshot of the tree that has no name in quotes."""
NEED_NO_NAME = re.compile(r"- (?:group|list|img)\b")
BROKEN = 'Here: {mood: \'bad\', "tags": ["broken",]}'


def filled(visit: Visit) -> None:
    """A page with a prompt, data, and a reply."""
    part(visit, "Data, reply")
    visit.page.get_by_role("textbox", name="review").fill("It broke.")
    visit.open("Reply")
    visit.write(visit.reply, BROKEN)
    visit.page.get_by_role("button", name="Reply accepted").first.wait_for(state="attached")


def part(visit: Visit, name: str) -> None:
    """Show a part of the page where there is room for one."""
    button = visit.page.get_by_role("button", name=name, exact=True)
    if button.is_visible():
        button.click()


def each_tab(visit: Visit) -> Any:
    """Open each tab, and yield its name."""
    for name in TABS:
        part(visit, "Data, reply" if name in TABS[:4] else "Result")
        visit.open(name)
        visit.page.wait_for_timeout(150)
        yield name


def test_whatever_can_be_used_has_a_name(visits: Visits) -> None:
    with visits() as visit:
        filled(visit)
        for name in each_tab(visit):
            tree = visit.page.locator("body").aria_snapshot()
            nameless = [one[0] for one in NAMELESS.finditer(tree) if not NEED_NO_NAME.match(one[0])]
            assert nameless == [], name


def test_tabs_are_tabs(visits: Visits) -> None:
    """Each has its panel, one of a list is chosen, and only that one takes the focus."""
    wrong = """() => [...document.querySelectorAll("[role=tablist]")].flatMap((list) => {
      const tabs = [...list.querySelectorAll("[role=tab]")];
      const chosen = tabs.filter((one) => one.getAttribute("aria-selected") === "true");
      return [
        chosen.length === 1 ? "" : "not one is chosen",
        list.getAttribute("aria-label") ? "" : "a list without a name",
        ...tabs.map((one) => {
          const panel = document.getElementById(one.getAttribute("aria-controls"));
          const isChosen = one === chosen[0];
          if (panel?.getAttribute("role") !== "tabpanel") return `${one.id}: no panel`;
          if (panel.getAttribute("aria-labelledby") !== one.id) return `${one.id}: its panel`;
          if (panel.hidden === isChosen) return `${one.id}: shown or not`;
          return one.tabIndex === (isChosen ? 0 : -1) ? "" : `${one.id}: focus`;
        }),
      ].filter(Boolean);
    })"""
    ids = """() => {
      const all = [...document.querySelectorAll("[id]")].map(({ id }) => id);
      return all.filter((id, at) => all.indexOf(id) !== at);
    }"""
    with visits() as visit:
        for name in each_tab(visit):
            assert visit.page.evaluate(wrong) == [], name
            assert visit.page.evaluate(ids) == [], name
        assert visit.page.evaluate("document.documentElement.lang") == "en"
        assert visit.page.get_by_role("main").count() == 1


def test_all_of_it_by_keyboard(visits: Visits) -> None:
    """From the prompt to the data, a reply, its verdict, and back; nothing holds the focus."""
    with visits() as visit:
        page, press = visit.page, visit.page.keyboard.press
        focused = "(() => { let e = document.activeElement; return e.id || e.className; })()"
        press("F6")
        for key in ("Control+End", "Enter"):
            press(key)
        page.keyboard.type("// more")
        assert "more" in visit.prompt.inner_text()
        press("F6")
        assert page.evaluate(focused) == "tab-data"
        for _ in range(12):
            press("Tab")
            if page.evaluate("document.activeElement.tagName") == "TEXTAREA":
                break
        page.keyboard.type("It broke.")
        page.get_by_role("tabpanel", name="Turns").get_by_text("It broke.").first.wait_for()
        press("F6")
        assert page.evaluate(focused) == "tab-turns"
        press("ArrowRight")
        assert page.evaluate(focused) == "tab-requests"
        press("End")
        assert page.evaluate(focused) == "tab-problems"
        press("Shift+F6")
        press("ArrowRight")
        assert page.evaluate(focused) == "tab-reply"
        for _ in range(12):
            press("Tab")
            if page.evaluate("document.activeElement.getAttribute('aria-label')") == (
                "Reply of a model"
            ):
                break
        page.keyboard.insert_text(BROKEN)
        page.get_by_role("button", name="Reply accepted").first.wait_for()
        press("Escape")
        press("Tab")
        assert page.evaluate("document.activeElement.isContentEditable") is False
        press("F1")
        page.get_by_role("dialog").wait_for()
        press("Escape")
        assert page.get_by_role("dialog").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 800, 1440, 2560])
def test_nothing_overflows_and_all_can_be_read(
    visits: Visits, width: int, scheme: str, request: pytest.FixtureRequest
) -> None:
    """Each panel in each width; `--basetemp` keeps the pictures."""
    folder = request.getfixturevalue("tmp_path")
    fits = """() => {
      const page = document.documentElement;
      return page.scrollWidth <= page.clientWidth && page.scrollHeight <= page.clientHeight + 1;
    }"""
    with visits(width=width, scheme=scheme) as visit:
        filled(visit)
        for name in each_tab(visit):
            visit.page.screenshot(path=folder / f"{width}-{scheme}-{name}.png")
            assert visit.page.evaluate(fits), name
            assert visit.page.evaluate(CONTRAST) == [], name
        part(visit, "Prompt")
        assert visit.page.evaluate(CONTRAST) == []
