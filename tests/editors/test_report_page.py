"""The report of an evaluation in a real browser: what it shows, and how it is operated."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from code_server import browser, wait_for
from made_runs import Skill, made_run

from pdl.evaluation.analysis import results_between, results_of
from pdl.evaluation.records import (
    AttemptRecord,
    CaseRecord,
    Cell,
    Column,
    ErrorRecord,
    FailureRecord,
    RepairRecord,
    Run,
    Trial,
)
from pdl.evaluation.report import write_html
from pdl.evaluation.results import Results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.editor

REPLY = "Sure:\n{stars: 7, 'mood': \"good\"} </pre><b>\u202eevil\x00" + "z" * 9_000


def hostile_run() -> Run:
    """One trial whose reply has marks that overlap, characters that hide, and a great length."""
    column = Column("review.pdl", "</title><script>document.title = 'evil'</script>")
    start = REPLY.index("{")
    attempt = AttemptRecord(
        1,
        REPLY,
        "wrong-schema",
        span=(start, REPLY.index("}") + 1),
        errors=(
            ErrorRecord(("stars",), (start + 8, start + 9), "must be at most 5, not 7"),
            ErrorRecord((), (start, start + 20), "has <b>two</b> errors"),
        ),
        repairs=(
            RepairRecord("bare-key", (start + 1, start + 6), "stars", '"stars"'),
            RepairRecord("missing-bracket", (len(REPLY), len(REPLY)), "", "]"),
        ),
        seconds=0.1,
    )
    cases = (CaseRecord("<img src=x onerror=alert(1)>", "a.tests.pdl:1:1", {"a": "</script>"}),)
    trial = Trial(Cell(*column, cases[0].name, 1), "invalid", (attempt,))
    return Run("hostile", (column,), cases, (trial,), 1)


def reasoning_run() -> Run:
    """Trials whose answers come after much else: one in the view, one beyond the cut."""
    column = Column("a.pdl", "m")
    trials = []
    for repeat, number in enumerate((350, 3_000), 1):
        text = "think " * number + '{"a": 1}' + " end"
        attempt = AttemptRecord(1, text, span=(6 * number, 6 * number + 8))
        trials.append(Trial(Cell(*column, "case", repeat), "valid", (attempt,), {"a": 1}))
    return Run("reasoning", (column,), (CaseRecord("case", ""),), tuple(trials), 2, 2)


BIDI = "a\u202eb\u2066c\u200bd\x00e"


def bidi_results() -> Results:
    """Characters that hide or reorder others, wherever a run has text."""
    column = Column(BIDI, f"m{BIDI}")
    errors = (ErrorRecord((BIDI,), (0, 3), BIDI),)
    repairs = (RepairRecord(BIDI, (1, 4), BIDI, BIDI),)
    attempt = AttemptRecord(1, BIDI, BIDI, "", (0, 5), errors, repairs)
    fault = AttemptRecord(2, fault=BIDI)
    failure = FailureRecord("expect", BIDI, BIDI)
    case = CaseRecord(BIDI, BIDI, {BIDI: BIDI}, BIDI, ({BIDI: BIDI},), (BIDI,))
    value, places = {BIDI: [BIDI]}, [Cell(*column, BIDI, repeat) for repeat in (1, 2)]
    trials = (
        Trial(places[0], "invalid", (attempt, fault), failures=(failure,)),
        Trial(places[1], "valid", (attempt,), value, judged=(BIDI,), accepted=(False,)),
    )
    schema = {"type": "object", "properties": {BIDI: {"enum": [BIDI, "b"]}}}
    run = Run(BIDI, (column,), (case,), trials, 2, 2, BIDI, {BIDI: BIDI}, {BIDI: schema})
    counts = {column: {kind: {BIDI: 1} for kind in ("statuses", "repairs", "reasons", "faults")}}
    return replace(results_of(run), counts=counts, changed=(BIDI,), notes=(BIDI,))


def long_reply() -> Results:
    """A reply that the page has a part of."""
    text = "think " * 50_000 + '{"a": 1}' + " end" * 50_000
    column = Column("a.pdl", "m")
    attempt = AttemptRecord(1, text, span=(300_000, 300_008))
    trial = Trial(Cell(*column, "case", 1), "valid", (attempt,), {"a": 1})
    return Results(Run("long reply", (column,), (CaseRecord("case", ""),), (trial,), 1), (), ())


def many_columns() -> Results:
    skills = {Column(f"prompt-{at}.pdl", "provider:some-model"): Skill() for at in range(28)}
    return results_between(made_run(cases=5, skills=skills), ())


def long_names() -> Results:
    """Names without a place to break a line."""
    run = made_run(cases=2)
    word = "x" * 1_000
    column = Column(word, word)
    trials = tuple(
        replace(trial, cell=Cell(word, word, word, at)) for at, trial in enumerate(run.trials, 1)
    )
    made = replace(
        run,
        name=word,
        columns=(column,),
        cases=(CaseRecord(word, word, {word: word}, word),),
        trials=trials,
        fingerprints={word: word},
    )
    counts = {column: {kind: {word: 1} for kind in ("repairs", "reasons", "faults")}}
    return replace(results_of(made), counts=counts, changed=(word,), notes=(word,))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    directory = tmp_path_factory.mktemp("report")
    run = made_run(cases=150, repeats=3)
    made = {
        "made": results_of(run),
        "unfinished": results_of(replace(run, planned=len(run.trials) + 5)),
        "hostile": Results(hostile_run(), (), ()),
        "reasoning": Results(reasoning_run(), (), ()),
        "long": long_names(),
        "many columns": many_columns(),
        "bidi": bidi_results(),
        "long reply": long_reply(),
    }
    found = {name: directory / f"{name}.html" for name in made}
    for name, results in made.items():
        write_html(results, found[name])
    return found


@pytest.fixture(scope="module")
def running() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.fixture
def opened(running: Any, files: dict[str, Path]) -> Iterator[Callable[..., Any]]:
    """Opens a report; at the end there must be no error and no request but for the page itself."""
    said: list[str] = []
    requests: list[str] = []
    pages: list[Any] = []

    def open_page(name: str = "made", width: int = 1280, **options: Any) -> Any:
        context = running.new_context(viewport={"width": width, "height": 900}, **options)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(files[name].as_uri())
        pages.append(context)
        return page

    yield open_page
    for context in pages:
        context.close()
    assert said == []
    assert all(one.startswith("file:") for one in requests)
    assert len(requests) == len(pages)


def names(page: Any) -> list[str]:
    found: list[str] = page.locator("#table .name").all_inner_texts()
    return found


def background(page: Any) -> str:
    found: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return found


@pytest.mark.parametrize("width", [360, 768, 1440, 2560])
@pytest.mark.parametrize("name", ["made", "hostile", "long"])
def test_the_page_never_scrolls_sideways(opened: Callable[..., Any], name: str, width: int) -> None:
    page = opened(name, width)
    page.locator(".opener").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    card = page.locator(".card").first.bounding_box()
    assert card["x"] + card["width"] <= width


@pytest.mark.parametrize("width", [360, 480, 768, 1100, 1300, 1366, 1440, 2560])
def test_metrics_are_in_view(opened: Callable[..., Any], width: int) -> None:
    """Or a shadow at the edge says that a table can be scrolled."""
    page = opened("made", width)
    for table in page.locator(".scroll:has(table.summary), .scroll:has(#pairs)").all():
        scrolled, shown = table.evaluate("one => [one.scrollWidth, one.clientWidth]")
        assert "local" in table.evaluate("one => getComputedStyle(one).backgroundAttachment")
        if width >= 1100 or (width <= 480 and table.locator("table.summary").count()):
            assert scrolled <= shown
    if width <= 480:
        cell = page.locator("table.summary td").first
        words = cell.evaluate("one => getComputedStyle(one, '::before').content")
        assert words == '"All as the case says"'


def test_summaries_sort(opened: Callable[..., Any]) -> None:
    page = opened()
    table = page.locator("table.summary").first
    head = table.get_by_role("columnheader", name="Valid at the first attempt")

    def values() -> list[float]:
        cells = table.locator("tbody td:nth-child(3)").all()
        return [float(cell.get_attribute("data-sort")) for cell in cells]

    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert values() == sorted(values(), reverse=True)
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert values() == sorted(values())


def test_cases_sort_and_the_worst_come_first(opened: Callable[..., Any]) -> None:
    page = opened()
    first = names(page)
    shares = page.locator("#table tbody td:nth-last-child(2)").all_inner_texts()
    failing = [int(share.split()[0]) / int(share.split()[2]) for share in shares]
    assert failing[0] == max(failing)
    page.get_by_role("button", name="Case", exact=True).click()
    assert names(page)[:3] == ["review 1", "review 2", "review 3"]
    page.get_by_role("button", name="Failing").click()
    assert names(page)[:20] == first[:20]


def test_rows_are_made_when_they_are_needed(opened: Callable[..., Any]) -> None:
    page = opened()
    assert len(names(page)) == 100
    page.locator("#more").scroll_into_view_if_needed()
    wait_for(lambda: len(names(page)) == 150, "row of each case")
    assert page.locator("#more").is_hidden()


def test_cases_are_filtered(opened: Callable[..., Any]) -> None:
    page = opened()
    shown = page.locator("#shown")
    assert shown.inner_text() == "150 cases"
    page.get_by_role("searchbox").fill("review 12")
    assert names(page)
    assert all("review 12" in name for name in names(page))
    assert "of 150 cases" in shown.inner_text()
    page.get_by_role("searchbox").fill("")
    page.locator("#status").select_option("refusal")
    page.locator("#column").select_option("1")
    outcomes = page.locator("#table tbody td:nth-child(3)").all_inner_texts()
    assert 0 < len(outcomes) < 100
    page.get_by_role("searchbox").fill("there is no such text")
    assert shown.inner_text() == "0 of 150 cases"


def test_a_case_opens_by_the_keyboard(opened: Callable[..., Any]) -> None:
    page = opened()
    opener = page.locator(".opener").first
    opener.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    second = page.locator(".opener").nth(1)
    assert second.get_attribute("aria-expanded") == "true"
    detail = page.locator(f"#{second.get_attribute('aria-controls')}")
    assert detail.is_visible()
    assert detail.locator(".card").count() == 3
    repeats = detail.get_by_role("group", name="Repeats").first.get_by_role("button")
    assert repeats.count() == 3
    repeats.nth(2).press("Enter")
    assert repeats.nth(2).get_attribute("aria-pressed") == "true"
    page.keyboard.press("Escape")
    assert detail.count() == 0
    assert second.get_attribute("aria-expanded") == "false"
    assert second.evaluate("one => one === document.activeElement")


def test_replies_are_marked(opened: Callable[..., Any]) -> None:
    page = opened("hostile")
    page.locator(".opener").click()
    reply = page.locator("pre.reply")
    assert reply.locator("mark.error.repair").count() >= 1
    assert "".join(reply.locator('[data-marks~="2"]').all_inner_texts()).endswith("stars")
    assert reply.locator(".answer").count() >= 3
    assert reply.locator(".ctl").all_inner_texts() == ["U+202E", "U+0000"]
    assert page.get_by_text("$: has <b>two</b> errors").is_visible()
    words = page.locator(".marks .words").all_inner_texts()
    assert words[0] == "$.stars: must be at most 5, not 7"
    assert words[2] == 'bare-key: stars → "stars"'
    page.get_by_role("button", name="1 error").click()
    assert reply.locator('[data-marks~="0"].on').count() >= 1
    assert page.title().startswith("hostile")


def test_a_long_reply_is_cut(opened: Callable[..., Any]) -> None:
    page = opened("hostile")
    page.locator(".opener").click()
    reply = page.locator("pre.reply")
    assert len(reply.inner_text()) < 4_200
    assert "more characters" in page.locator(".cut").inner_text()
    page.get_by_role("button", name="Show all").click()
    assert len(reply.inner_text()) > 9_000
    assert page.locator(".cut").count() == 0


def test_a_mark_beyond_the_cut_shows_all(opened: Callable[..., Any]) -> None:
    page = opened("hostile")
    page.locator(".opener").click()
    page.get_by_role("button", name="4 repair").click()
    assert page.locator('[data-marks~="3"].on').count() == 1


def test_only_distinguishable_pairs(opened: Callable[..., Any]) -> None:
    """They are all that is shown at first where there are many, and come first of all."""
    page = opened()
    rows = page.locator("#pairs tbody tr")
    button = page.get_by_role("button", name="Only distinguishable ones")
    every = rows.count()
    assert every > 12
    assert button.get_attribute("aria-pressed") == "true"
    visible = sum(row.is_visible() for row in rows.all())
    assert 0 < visible < every
    assert page.get_by_text(f"{visible} of {every} comparisons are distinguishable").is_visible()
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    kinds = [row.get_attribute("class") for row in rows.all() if row.is_visible()]
    assert kinds == ["apart"] * visible + ["same"] * (every - visible)


def test_light_and_dark(opened: Callable[..., Any]) -> None:
    light, dark = opened(), opened(color_scheme="dark")
    colors = background(light), background(dark)
    assert colors[0] != colors[1]
    for page, own, other in ((light, "light", "dark"), (dark, "dark", "light")):
        color = background(page)
        page.get_by_role("button", name=f"Use {other} colors").click()
        assert background(page) == colors[other == "dark"]
        page.get_by_role("button", name=f"Use {own} colors").click()
        assert background(page) == color


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_legible(opened: Callable[..., Any], scheme: str) -> None:
    """The contrast of all text is at least 4.5 to 1 (WCAG 2.2, 1.4.3)."""
    page = opened("made", color_scheme=scheme)
    page.locator(".opener").first.click()
    assert page.evaluate(CONTRASTS) == []


CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((one) => one / 255)
      .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const color = rgba(getComputedStyle(one).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const bad = new Set();
  for (const element of document.querySelectorAll("body *:not(script, style, option)")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const ink = rgba(element instanceof SVGElement ? style.fill : style.color);
    const [low, high] = [luminance(ink), luminance(behind(element))].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) bad.add(`${element.className.baseVal ?? element.className}: ${ratio}`);
  }
  return [...bad];
}"""


def test_without_a_script_the_summary_is_there(opened: Callable[..., Any]) -> None:
    page = opened("unfinished", java_script_enabled=False)
    assert page.get_by_text("The run is unfinished").is_visible()
    assert page.locator("table.summary").first.is_visible()
    assert page.get_by_text("The cases are shown by a script").is_visible()
    assert page.locator(".filters").is_hidden()
    assert page.locator("#theme").is_hidden()


def test_an_answer_after_much_else_is_in_view(opened: Callable[..., Any]) -> None:
    page = opened("reasoning", 500)
    page.locator(".opener").click()
    answer = page.locator("pre.reply .answer")
    inside = """one => {
      const [own, all] = [one, one.closest("pre")].map((each) => each.getBoundingClientRect());
      return own.top >= all.top && own.bottom <= all.bottom;
    }"""
    for repeat in (1, 2):
        page.get_by_role("button", name=f"{repeat} ok").click()
        assert answer.inner_text() == '{"a": 1}'
        wait_for(lambda: answer.evaluate(inside), "answer in view")
    reply = page.locator("pre.reply")
    assert reply.inner_text().startswith("… ")
    assert page.locator(".cut").inner_text().startswith("Cut: 17,500 more characters.")
    page.get_by_role("button", name="Show all").click()
    assert len(reply.inner_text()) == 18_012


HIDDEN = "[\\u202e\\u2066\\u200b\\0]"


@pytest.mark.parametrize("script", [True, False])
def test_characters_that_hide_or_reorder_are_visible(
    opened: Callable[..., Any], *, script: bool
) -> None:
    """Neither text nor an attribute has them, wherever they are; the JSON of the cases aside."""
    page = opened("bidi", java_script_enabled=script)
    if script:
        page.locator(".opener").click()
        for repeat in (2, 1):
            page.locator(".repeats button").nth(repeat - 1).click()
            assert hidden(page) == []
            page.get_by_text("Judge" if repeat == 2 else "Attempt 1").first.wait_for()
        marked = page.locator(".name .ctl").all_inner_texts()
        assert marked == ["U+202E", "U+2066", "U+200B", "U+0000"]
        return
    text = re.sub("(?s)<script.*?</script>", "", page.content())
    assert not re.search(HIDDEN, text)
    assert "\\u202e" in page.locator("h1").inner_text()


def hidden(page: Any) -> Any:
    """The text nodes and attributes with a hidden character."""
    return page.evaluate(
        f"""() => [...document.querySelectorAll("*:not(script)")].flatMap((one) => [
          ...[...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data),
          ...[...one.attributes].map((attribute) => attribute.value),
        ]).filter((text) => /{HIDDEN}/u.test(text))"""
    )


def test_a_reply_that_is_left_out_in_part_says_so(opened: Callable[..., Any]) -> None:
    page = opened("long reply")
    page.locator(".opener").click()
    assert page.locator("pre.reply .answer").inner_text() == '{"a": 1}'
    words = page.locator(".cut.left").inner_text()
    before, after = (int(number.replace(",", "")) for number in re.findall("[0-9,]+", words))
    assert before + after + 65_536 == 500_008
    assert "attempts.jsonl" in words


@pytest.mark.parametrize("width", [480, 1300])
def test_many_columns_are_folded(opened: Callable[..., Any], width: int) -> None:
    page = opened("many columns", width)
    assert page.evaluate("document.documentElement.scrollHeight") < 6_000
    page.get_by_text("Intervals of 28 columns").click()
    assert page.locator(".plot").first.is_visible()
