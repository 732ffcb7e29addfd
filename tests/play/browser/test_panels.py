"""The panels that show what comes of a prompt, in a real browser."""

from __future__ import annotations

import json
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from code_server import browser
from shipped import PROMPTS, examples

from pdl.play.look import look

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.editor

ROOT = Path(__file__).parents[3]
STATIC = ROOT / "pdl" / "play" / "static"
PAGE = b"""<!doctype html><html lang="en"><title>panels</title>
<link rel="stylesheet" href="style.css"><link rel="stylesheet" href="panels.css">
<body><main class="panel" id="panel"></main><p id="live" aria-live="polite"></p></body></html>"""
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:"
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q"
    "DwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
TIMED = """(look) => {
  const start = performance.now();
  panel.render(look);
  return performance.now() - start;
}"""
START = """async ([name, module]) => {
  const { create } = await import(`/${module}`);
  window.went = [];
  window.told = [];
  const app = {
    state: {}, hello: {}, editor: {},
    goTo: (...place) => went.push(place), open: (id) => went.push([id]), mark() {}, on() {},
    emit: (name, value) => went.push([name, value]),
    announce: (text) => told.push(text), update: (changes) => went.push(changes),
  };
  window.panel = create(app);
  document.getElementById("panel").replaceChildren(panel.element);
  panel.show?.();
}"""
PROMPT = """<|system|>
You read <b>reviews</b>.

<|user|>
{{ review }}

<|schema|>
{ stars: int<1,5>, refund: bool, problems: [str<1,>], price: float<0,> }
"""


class Handler(SimpleHTTPRequestHandler):
    """The files of the page, with a policy as strict as the server's."""

    def do_GET(self) -> None:
        if self.path == "/":
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(PAGE)
        else:
            super().do_GET()

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(STATIC)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def context(address: str) -> Iterator[Any]:
    with browser() as running:
        made = running.new_context(base_url=address, viewport={"width": 700, "height": 900})
        made.grant_permissions(["clipboard-read", "clipboard-write"])
        yield made


@pytest.fixture
def page(context: Any) -> Iterator[Any]:
    """A page whose errors fail the test."""
    errors: list[str] = []
    made = context.new_page()
    made.on("pageerror", lambda error: errors.append(str(error)))
    made.on("console", lambda one: errors.append(one.text) if one.type == "error" else None)
    made.goto("/")
    yield made
    made.close()
    assert not [one for one in errors if "favicon" not in one and "404" not in one]


def shown(page: Any, name: str, *looks: dict[str, Any]) -> Any:
    page.evaluate(START, [name, f"panels/{name}.js"])
    for one in looks:
        render(page, one)
    return page.locator("#panel")


def render(page: Any, one: dict[str, Any]) -> None:
    page.evaluate("(look) => panel.render(look)", one)


def looked(
    prompt: str = PROMPT, data: str = "review: It broke.", reply: str | None = None
) -> dict[str, Any]:
    # As it comes to the page.
    found: dict[str, Any] = json.loads(json.dumps(look(prompt, data, reply)))
    return found


def parts(**made: Any) -> dict[str, Any]:
    """A Look that has only some parts."""
    return {"failed": {}, "problems": [], "inputs": None, "check": None, **made}


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: path.stem)
def test_shipped_prompts_are_shown_whole(page: Any, path: Path) -> None:
    """Each panel of each shipped prompt is drawn, as it comes and after another prompt."""
    example = next(one for one in examples() if one.prompt == path)
    text, data = path.read_text("utf-8"), json.dumps(example.data)
    found: dict[str, Any] = {"failed": "not yet"}
    for _ in range(5):  # on a busy machine, the page's limits in seconds are soon reached
        if found["failed"]:
            found = json.loads(json.dumps(look(text, data, "no", base=path.parent)))
    assert not found["failed"]
    for name in ("turns", "requests", "schema", "grammar", "tools", "problems"):
        panel = shown(page, name, looked(), found)
        for radio in panel.get_by_role("radio").all():
            if radio.is_visible():
                radio.check()
        assert len(panel.inner_text()) > 10
        assert "undefined" not in panel.inner_text()


def test_what_stays_keeps_its_element_and_its_selection(page: Any) -> None:
    """A change in one turn touches no other."""
    panel = shown(page, "turns", looked())
    page.evaluate("window.first = document.querySelector('.turn')")
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.turn pre'))")
    render(page, looked(data="review: It broke again."))
    assert "It broke again." in panel.inner_text()
    assert page.evaluate("document.querySelector('.turn') === first")
    assert page.evaluate("String(getSelection())") == "You read <b>reviews</b>."


def test_texts_are_never_html(page: Any) -> None:
    """Whatever a prompt contains is shown as text."""
    evil = "<img src=x onerror='document.title=1'><script>document.title=1</script>"
    found = looked(f'<|user|>\n{evil}\n<|schema|>\n{{ a: "{evil.replace(chr(39), "")}" }}\n')
    for name in ("turns", "requests", "schema", "grammar"):
        panel = shown(page, name, found)
        assert panel.locator("pre img, pre script, .json img, .rules img").count() == 0
    assert page.title() == "panels"


def test_a_turn_leads_to_its_line(page: Any) -> None:
    found = looked()
    found["turns"]["messages"][1]["line"] = 4
    panel = shown(page, "turns", found)
    panel.get_by_role("button", name="Line 4").click()
    panel.get_by_role("heading", name="user").click()
    assert page.evaluate("went") == [[4], [4]]


def test_images_are_shown_and_addresses_are_not_fetched(page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    prompt = f"<|user|>\n<|raw_media(png:{PIXEL})|>\n<|media(https://example.org/a.png)|>\n"
    panel = shown(page, "turns", looked(prompt, ""))
    page.wait_for_function("document.querySelector('figure img').naturalWidth === 1")
    assert "https://example.org/a.png" in panel.inner_text()
    assert not [url for url in asked if "example.org" in url]


def test_a_long_text_is_shortened_until_all_is_wanted(page: Any) -> None:
    panel = shown(page, "turns", looked(f"<|user|>\n{'word ' * 12_000}\n", ""))
    assert len(panel.inner_text()) < 8_000
    panel.get_by_role("button", name="Show all 59,999 characters").click()
    assert len(panel.inner_text()) > 59_000


def test_a_part_that_fails_leaves_what_was_there(page: Any) -> None:
    """The old part is marked as old, and the note says why and leads there."""
    broken = looked(PROMPT.replace("{{ review }}", "{{ review"))
    panel = shown(page, "turns", looked(), broken)
    assert "It broke." in panel.inner_text()
    assert "Below is what it was before." in panel.inner_text()
    panel.get_by_role("button", name="Go to line").click()
    assert page.evaluate("went")[0][0] >= 5
    render(page, looked())
    assert "Below" not in panel.inner_text()


def test_data_that_are_missing_lead_to_the_data(page: Any) -> None:
    prompt = "<|input|>\n{ review: str }\n<|user|>\n{{ review }}\n<|schema|>\nint<{{ review }}>\n"
    panel = shown(page, "turns", looked(prompt, ""))
    assert "missing required input review" in panel.inner_text()
    panel.get_by_role("button", name="Open the data").click()
    assert page.evaluate("went") == [["data"]]


def test_what_is_made_up_for_missing_data_is_told(page: Any) -> None:
    prompt = "<|input|>\n{ review: str }\n<|user|>\n{{ review }}\n"
    panel = shown(page, "turns", looked(prompt, ""))
    assert "Example values, since the data lack them: review." in panel.inner_text()
    render(page, looked(prompt, "review: It broke."))
    assert "Example values" not in panel.inner_text()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("turns", "No turn yet"),
        ("requests", "No request yet"),
        ("schema", "No schema"),
        ("grammar", "No grammar"),
        ("tools", "No tools"),
        ("problems", "No problems"),
    ],
)
def test_empty_and_loading_states_are_told(page: Any, name: str, words: str) -> None:
    panel = shown(page, name)
    assert "Reading the prompt" in panel.inner_text()
    render(page, parts(turns=None, requests=None, schema=None, grammar=None, tools=None))
    assert words in panel.inner_text()
    assert "Reading" not in panel.inner_text()


def test_the_request_of_each_family_and_its_command(page: Any) -> None:
    panel = shown(page, "requests", looked())
    panel.get_by_label("Provider").select_option("anthropic")
    panel.get_by_role("radio", name="curl").check()
    panel.get_by_role("button", name="Copy the command").click()
    command = page.evaluate("navigator.clipboard.readText()")
    assert command.startswith("curl 'https://api.anthropic.com/v1/messages'")
    assert '"x-api-key: $ANTHROPIC_API_KEY"' in command
    assert page.evaluate("told") == ["Copied the command"]
    panel.get_by_label("Provider").select_option("openai")
    assert "OpenAI has no minLength: #/properties/problems/items" in panel.inner_text()
    render(page, looked(data="review: Other."))  # the choice stays
    assert panel.get_by_label("Provider").input_value() == "openai"
    assert "/v1/chat/completions" in panel.inner_text()


def test_a_request_that_cannot_be_made_says_why(page: Any) -> None:
    found = parts(requests={"openai": {"body": None, "left_out": ["OpenAI takes no videos"]}})
    panel = shown(page, "requests", found)
    assert "This provider can't be sent the prompt" in panel.inner_text()
    assert "OpenAI takes no videos" in panel.inner_text()


def test_a_tree_is_operated_by_keys_and_stays_open(page: Any) -> None:
    body = {"a": {"b": {"c": {"d": 1}}}, "e": "f" * 500, "g": [1, 2]}
    made = parts(requests={"x": {"body": body, "left_out": []}})
    panel = shown(page, "requests", made)
    tree = panel.get_by_role("tree")
    keys = ["Home", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"]
    panel.get_by_role("button", name="Copy the request").focus()
    page.keyboard.press("Tab")
    for key in keys:
        page.keyboard.press(key)
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused) == "d: 1"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    assert page.evaluate(focused) == "1: 2"
    body["g"] = [1, 3]
    render(page, made)
    assert page.evaluate(focused) == "1: 3"
    assert (
        tree.get_by_role("treeitem", name="c: object, 1 key").get_attribute("aria-expanded")
        == "true"
    )
    panel.get_by_role("button", name="Fold the request", exact=True).click()
    assert tree.get_by_role("treeitem").count() == 4
    panel.get_by_role("button", name="Unfold the request").click()
    assert tree.get_by_role("treeitem").count() == 9


LAW = """async (seed) => {
  const { jsonView } = await import("/json_view.js");
  let state = seed;
  const chance = (below) => ((state = (state * 48271) % 2147483647), state % below);
  const leaves = [null, true, -1.5, "", "a\\"b", "long ".repeat(50), [], {}];
  function made(depth) {
    const kind = chance(depth > 3 ? 2 : 5);
    if (kind < 2) return leaves[chance(leaves.length)];
    const kids = Array.from({ length: chance(4) }, () => made(depth + 1));
    return kind < 4 ? Object.fromEntries(kids.map((one) => [`k${chance(5)}/~`, one])) : kids;
  }
  const view = jsonView({ announce() {} }, null, { depth: 3 });
  document.getElementById("panel").replaceChildren(view.element);
  const tree = (one) => one.element.querySelector("[role=tree]");
  const names = ["aria-level", "aria-expanded", "aria-label"];
  const item = (element) => names.map((name) => element.getAttribute(name));
  const items = (one) => [...tree(one).querySelectorAll("[role=treeitem]")].map(item);
  const told = (one) => JSON.stringify([tree(one).textContent, items(one)]);
  for (let round = 0; round < 300; round += 1) {
    const value = made(0);
    view.set(value);
    const fresh = jsonView({ announce() {} }, value, { depth: 3 });
    if (told(view) !== told(fresh)) return JSON.stringify(value);
    if (tree(view).querySelectorAll('[tabindex="0"]').length !== 1) return "focus";
  }
  return "";
}"""


@pytest.mark.parametrize("seed", [1, 21, 4_711])
def test_a_tree_that_changed_is_as_one_made_anew(page: Any, seed: int) -> None:
    assert not page.evaluate(LAW, seed)


def test_a_large_tree_makes_only_what_is_open(page: Any) -> None:
    """10,000 values stand in the page as some 100 elements."""
    body = {"items": [{"id": number, "tags": ["a", "b"]} for number in range(2_500)]}
    panel = shown(page, "requests")
    milliseconds = page.evaluate(TIMED, parts(requests={"x": {"body": body, "left_out": []}}))
    items = panel.get_by_role("treeitem")
    assert items.count() < 500
    assert milliseconds < 3_000  # it takes 16
    panel.get_by_text("Show 100 more of 2,400").click()
    assert items.count() > 200


def test_the_schema_in_each_form(page: Any) -> None:
    panel = shown(page, "schema", looked())
    for form, text in {
        "In words": '"stars": integer',
        "Notation": "stars: int<1,5>",
        "JSON Schema": "additionalProperties: false",
        "Dataclass": "@dataclass",
        "Pydantic": "class Prompt(BaseModel",
        "TypedDict": "class Prompt(TypedDict)",
        "TypeScript": "export interface Prompt",
    }.items():
        panel.get_by_role("radio", name=form, exact=True).check()
        assert text in panel.inner_text(), form
        panel.get_by_role("button", name=f"Copy {form}", exact=True).click()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert "stars" in copied


def test_names_in_a_grammar_lead_to_their_rules_and_back(page: Any) -> None:
    panel = shown(page, "grammar", looked())
    link = panel.get_by_role("button", name="ws", exact=True).first
    link.click()
    assert page.evaluate("document.activeElement.dataset.name") == "ws"
    panel.get_by_role("button", name="Back to root").click()
    assert page.evaluate("document.activeElement.dataset.name") == "root"
    assert not panel.get_by_role("button", name="Back to").is_visible()


def test_the_report_tells_what_is_left_to_the_check(page: Any) -> None:
    panel = shown(page, "grammar", looked())
    panel.get_by_role("radio", name="Enforced").check()
    rows = panel.get_by_role("list", name="What the grammar enforces").get_by_role("listitem")
    some = rows.count()
    assert "bounded" in rows.first.inner_text()
    assert "numbers have at most 20 digits" in rows.first.inner_text()
    panel.get_by_role("radio", name="All").check()
    assert rows.count() > some


def test_the_diagram_of_a_rule_is_an_image_that_grows(page: Any) -> None:
    panel = shown(page, "grammar", looked())
    panel.get_by_role("radio", name="Diagram").check()
    image = panel.get_by_role("img", name="Railroad diagram of the rule root")
    page.wait_for_function("document.querySelector('.diagram img').naturalWidth > 100")
    assert (image.get_attribute("src") or "").startswith("blob:")
    before = image.bounding_box()["width"]
    panel.get_by_role("button", name="Larger").click()
    panel.get_by_role("button", name="Larger").click()
    assert image.bounding_box()["width"] > before
    panel.get_by_label("Rule").last.select_option("ws")
    assert page.evaluate("went") == [{"options": {"rule": "ws"}}]


def test_a_grammar_of_many_rules_is_shown_at_once(page: Any) -> None:
    names = [f"rule-{number}" for number in range(2_000)]
    rules = [f'{name} ::= "{name}" [a-z]+ ({names[at - 1]} | "x")' for at, name in enumerate(names)]
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>'
    grammar = {"text": "\n".join(rules), "exact": True, "report": [], "rules": names}
    found = parts(grammar={**grammar, "diagram": {"rule": names[0], "svg": svg}})
    panel = shown(page, "grammar")
    assert page.evaluate(TIMED, found) < 3_000
    assert panel.locator(".rule").count() < 200
    panel.get_by_label("Rule", exact=True).first.select_option("rule-1990")
    assert page.evaluate("document.activeElement.dataset.name") == "rule-1990"
    assert panel.locator(".rule").count() == 2_000


def test_tools_and_the_calls_of_a_reply(page: Any) -> None:
    prompt = "<|user|>\nHi\n<|tools|>\n// Looks a word up.\nfind(word: str, most?: int<1,9>)\n"
    found = looked(prompt, "")
    assert not found["failed"], found["failed"]
    panel = shown(page, "tools", found)
    assert panel.get_by_role("article", name="Tool find").is_visible()
    assert "word: str" in panel.inner_text()
    panel.get_by_role("radio", name="As sent").check()
    assert "parameters" in panel.inner_text()
    panel.get_by_role("radio", name="Calls of the reply").check()
    assert "No reply yet" in panel.inner_text()
    errors = [{"path": "$.word", "message": "must be a string", "span": None}]
    call = {"name": "find", "arguments": {"word": 1}, "ok": False, "errors": errors, "span": [3, 9]}
    render(page, {**found, "tools": {**found["tools"], "calls": [call], "feedback": "Call again."}})
    assert "1 error" in panel.inner_text()
    assert "$.word must be a string" in panel.inner_text()
    assert "Call again." in panel.inner_text()
    panel.get_by_role("button", name="Show in the reply").click()
    assert page.evaluate("went") == [["reply"], ["place", [3, 9]]]


def test_a_problem_leads_to_its_place_and_is_told_without_color(page: Any) -> None:
    found = looked(PROMPT.replace("<|user|>", "<|usr|>"))
    panel = shown(page, "problems", found)
    first = panel.get_by_role("listitem").first
    assert "Error:" in first.inner_text()
    first.get_by_role("button").click()
    assert page.evaluate("went")[0][:2] == [4, 1]
    link = first.get_by_role("link")
    assert (link.get_attribute("href") or "").endswith("#turn")
    assert link.get_attribute("rel") == "noreferrer noopener"
