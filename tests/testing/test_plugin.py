"""The pytest plugin: which items there are, what they say, and what it costs without any."""

from __future__ import annotations

import json
import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, ClassVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

pytest_plugins = ["pytester"]

_IS_INSTALLED = any(one.name == "pdl" for one in entry_points(group="pytest11"))
PLUGIN = () if _IS_INSTALLED else ("-p", "pdl.testing.plugin")
"""It is there by itself only if pdl was installed since it has the plugin."""

FEW = ("-p", "no:anyio", "-p", "no:hypothesispytest")
"""Without plugins that take their time to start."""

PROMPT = "<|user|>\nRate: {{ review }}\n\n<|schema|>\n{ stars: int<1,5> }\n"


def case(name: str, reply: str = "5", expected: int = 5) -> str:
    record = f'<|reply|>\n{{"stars": {reply}}}\n' if reply else ""
    return f"<|case|> {name}\n<|data|>\nreview: x\n{record}<|expect|>\n{{ stars: {expected} }}\n\n"


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    put(pytester, "a.pdl", PROMPT)
    return pytester


def put(folder: pytest.Pytester, name: str, text: str) -> None:
    (folder.path / name).write_text(text, encoding="utf-8")


class Keeper:
    """Keeps the modules of a run, since pytester forgets what was imported in it.

    Imported once more they would have other classes than those that are in use already.
    """

    modules: ClassVar[dict[str, ModuleType]] = {}

    def pytest_unconfigure(self) -> None:
        tests = ("test_", "conftest", "pdl_one")
        found = {name: one for name, one in sys.modules.items() if not name.startswith(tests)}
        self.modules.update(found)


def run(folder: pytest.Pytester, *words: str) -> pytest.RunResult:
    result = folder.runpytest_inprocess("-p", "no:xdist", *PLUGIN, *words, plugins=[Keeper()])
    keep()
    return result


def keep() -> None:
    for name, module in Keeper.modules.items():
        sys.modules.setdefault(name, module)


@pytest.fixture(autouse=True)
def _modules_stay() -> Iterator[None]:
    """Ends after `pytester`, which forgets modules, too."""
    yield
    keep()


def ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line]


def test_each_case_is_an_item(folder: pytest.Pytester) -> None:
    text = case("good") + case("asks for money", "4") + case("later", "")
    put(folder, "a.tests.pdl", text)
    result = run(folder, "-rs")
    result.assert_outcomes(passed=1, failed=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "a.tests.pdl .Fs*",
            "*_ asks for money _*",
            "a.tests.pdl:15:3: `$.stars` must be 5, not 4",
            "  15 | { stars: 5 }",
            "     |   ^^^^^",
            "SKIPPED [[]1[]] a.tests.pdl:17: *",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*plugin.py*")
    summary = run(folder, "-q").outlines[-2]
    assert summary == "FAILED a.tests.pdl::asks for money - `$.stars` must be 5, not 4"


def test_items_are_selected(folder: pytest.Pytester) -> None:
    put(folder, "a.tests.pdl", case("good") + case("asks for money", "4") + case("bad", "3"))
    run(folder, "-k", "money").assert_outcomes(failed=1, deselected=2)
    run(folder, "-x").assert_outcomes(passed=1, failed=1)
    run(folder, "a.tests.pdl::asks for money").assert_outcomes(failed=1)
    run(folder, "--lf").assert_outcomes(failed=1)


def test_what_is_wrong_with_a_file_is_an_item(folder: pytest.Pytester) -> None:
    put(folder, "a.tests.pdl", "text\n" + case("good"))
    put(folder, "b.tests.pdl", case("good"))
    (folder.path / "c.tests.pdl").write_bytes(b"\n\xff")
    result = run(folder)
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        [
            "a.tests.pdl:1:1: there is text before the first mark",
            "b.pdl: cannot be read: no such file or directory",
            "c.tests.pdl:2:1: this byte (0xff) is not UTF-8",
            "FAILED a.tests.pdl::(file) - there is text before the first mark",
        ]
    )


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a::b", "a: :b"], ["a: :b", "a: :b (2)"]),
        (["(file)"], ["(file)"]),
        (["é €", "[x] and -y"], ["é €", "[x] and -y"]),
        (["tab\u2028and\u202e"], ["tab and\\u202e"]),
        (["", ""], ["case 1", "case 2"]),
    ],
)
def test_ids_are_unique_and_printable(
    folder: pytest.Pytester, names: Sequence[str], expected: Sequence[str]
) -> None:
    put(folder, "a.tests.pdl", "".join(map(case, names)))
    found = ids(run(folder, "--collect-only", "-q"))
    assert found == [f"a.tests.pdl::{name}" for name in expected]
    for one in found:
        run(folder, one).assert_outcomes(passed=1)


def test_junit_has_files_and_lines(folder: pytest.Pytester) -> None:
    put(folder, "a.tests.pdl", case("good") + case("bad", "4"))
    run(folder, "--junitxml=report.xml", "-o", "junit_family=xunit1")
    text = (folder.path / "report.xml").read_text(encoding="utf-8")
    assert 'name="bad" file="a.tests.pdl" line="8"' in text
    assert 'message="`$.stars` must be 5, not 4"' in text


def test_a_model_is_asked(folder: pytest.Pytester) -> None:
    put(folder, "a.tests.pdl", case("good", "", 3))
    put(folder, "r.txt", '{"stars": 3}')
    run(folder).assert_outcomes(skipped=1)
    run(folder, "--pdl-model", "replay:r.txt").assert_outcomes(passed=1)
    put(folder, "r.txt", '{"stars": 9}')
    result = run(folder, "--pdl-model", "replay:r.txt", "--pdl-retries", "0")
    result.assert_outcomes(failed=1)


def test_golden_messages_are_written(folder: pytest.Pytester) -> None:
    put(folder, "a.tests.pdl", "# Kept.\n" + case("good") + "<|messages|>\n" + case("other"))
    result = run(folder)
    result.assert_outcomes(passed=1, failed=1)
    lines = ["*:10:1: the golden rendering is not written yet", "*hint: *`pytest --pdl-update`"]
    result.stdout.fnmatch_lines(lines)
    result = run(folder, "--pdl-update")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*= pdl =*", "wrote a.tests.pdl"])
    text = (folder.path / "a.tests.pdl").read_text(encoding="utf-8")
    assert text.startswith("# Kept.\n<|case|> good\n")
    assert "<|messages|>\n<|user|>\nRate: x\n" in text
    result = run(folder, "--pdl-update")
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("wrote *")


def test_what_a_model_says_is_recorded(folder: pytest.Pytester) -> None:
    put(folder, "a.tests.pdl", case("no record", "", 4) + case("another", "1", 3))
    lines = ['{"text": "{\\"stars\\": 4}"}', '{"text": "\\ud800 {\\"stars\\": 2}"}']
    put(folder, "r.jsonl", "\n".join(lines))
    result = run(folder, "--pdl-model", "replay:r.jsonl", "--pdl-record", "--pdl-retries=0")
    result.assert_outcomes(passed=1, failed=1)
    text = (folder.path / "a.tests.pdl").read_text(encoding="utf-8")
    assert '<|case|> no record\n<|data|>\nreview: x\n<|reply|>\n{"stars": 4}\n' in text
    assert '"stars": 1' not in text
    run(folder).assert_outcomes(passed=1, failed=1)


def test_what_cannot_be_written_is_told(folder: pytest.Pytester) -> None:
    """Another test changes the file after it was read."""
    put(folder, "a.tests.pdl", case("good") + "<|messages|>\n")
    put(
        folder,
        "0_test.py",
        "from pathlib import Path\ndef test_z(): Path('a.tests.pdl').write_text('<|case|> b')",
    )
    result = run(folder, "--pdl-update")
    result.stdout.fnmatch_lines(["a.tests.pdl: the case `good` is not there any more*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (folder.path / "a.tests.pdl").read_text(encoding="utf-8") == "<|case|> b"


@pytest.mark.slow
def test_several_processes_write_once(folder: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    put(folder, "a.tests.pdl", "".join(f"{case(str(n))}<|messages|>\n" for n in range(6)))
    result = folder.runpytest_subprocess("-n2", "--pdl-update", *FEW, *PLUGIN)
    result.assert_outcomes(passed=6)
    assert [line for line in result.outlines if "wrote" in line] == ["wrote a.tests.pdl"]
    assert (folder.path / "a.tests.pdl").read_text(encoding="utf-8").count("Rate: x") == 6


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--pdl-model", "opanai:x"], "*unknown provider `opanai:`"),
        (["--pdl-record"], "*--pdl-record requires --pdl-model"),
        (["--pdl-base-url", "x"], "*--pdl-base-url requires --pdl-model or --pdl-judge"),
        (["--pdl-base-url", "x", "--pdl-model", "openai:x"], "*base URL is not the address*"),
        (["--pdl-judge", "replay:none.txt"], "*none.txt: no such file or directory"),
    ],
)
def test_invalid_options(folder: pytest.Pytester, words: Sequence[str], message: str) -> None:
    result = run(folder, *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_the_root_of_files_is_that_of_pytest(folder: pytest.Pytester) -> None:
    inner = folder.mkdir("inner")
    (inner / "a.pdl").write_text(PROMPT)
    (inner / "a.tests.pdl").write_text(
        '<|case|> x\n<|data|> @../data.json\n<|reply|>\n{"stars": 5}\n'
    )
    put(folder, "data.json", '{"review": "x"}')
    run(folder).assert_outcomes(passed=1)


@pytest.mark.slow
def test_several_processes_share_the_cases(folder: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    text = "".join(case(f"case number {n}", str(5 - n % 2)) for n in range(8)) + case("later", "")
    put(folder, "a.tests.pdl", text)
    words = ("-n2", "--dist=worksteal", "-rfs", *FEW, *PLUGIN)
    result = folder.runpytest_subprocess(*words)
    result.assert_outcomes(passed=4, failed=4, skipped=1)
    result.stdout.fnmatch_lines(["*`$.stars` must be 5, not 4", "SKIPPED [[]1[]] a.tests.pdl:*"])
    failed = {line for line in result.outlines if line.startswith("FAILED ")}
    message = "`$.stars` must be 5, not 4"
    assert failed == {f"FAILED a.tests.pdl::case number {n} - {message}" for n in (1, 3, 5, 7)}


def test_a_report_is_the_same_in_another_process(folder: pytest.Pytester) -> None:
    """As pytest-xdist sends it."""
    put(folder, "a.tests.pdl", case("bad", "4"))
    result = folder.inline_run(*FEW, *PLUGIN, "-p", "no:xdist", plugins=[Keeper()])
    keep()
    report = result.getreports("pytest_runtest_logreport")[1]
    config = folder.parseconfigure(*PLUGIN)
    hook = config.hook
    data = json.loads(json.dumps(hook.pytest_report_to_serializable(config=config, report=report)))
    found = hook.pytest_report_from_serializable(config=config, data=data)
    assert found.longreprtext == report.longreprtext
    assert found.longrepr.reprcrash.message == "`$.stars` must be 5, not 4"


def test_pdl_may_be_imported_before_pytest_starts(pytester: pytest.Pytester) -> None:
    """Of a distribution with a plugin, pytest takes all packages to have asserts of tests."""
    info = pytester.mkdir("one.dist-info")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: one\nVersion: 1\n")
    (info / "RECORD").write_text("pdl/__init__.py,,\npdl_one_plugin.py,,\n")
    (info / "entry_points.txt").write_text("[pytest11]\none = pdl_one_plugin\n")
    pytester.makepyfile(pdl_one_plugin="", test_one="def test_one(): pass")
    code = "import sys, pdl, pytest; sys.exit(pytest.main(['-q', '-W', 'error', '-p', 'no:xdist']))"
    result = pytester.runpython_c(code)
    assert result.ret == 0
    result.assert_outcomes(passed=1)


MODULES = """\
import json
import sys

def pytest_sessionfinish():
    print()
    for name in sorted(sys.modules):
        print("module", name)
"""


def test_it_costs_nothing_without_such_files(pytester: pytest.Pytester) -> None:
    """Of pdl, only what reads no prompts is imported, and nothing that pdl depends on."""
    pytester.makeconftest(MODULES)
    pytester.makepyfile("def test_one(): pass")
    put(pytester, "a.pdl", PROMPT)
    words = (
        "--collect-only",
        "-s",
        "-p",
        "no:xdist",
        "-p",
        "no:anyio",
        "-p",
        "no:hypothesispytest",
    )
    modules = []
    for plugin in (PLUGIN, ("-p", "no:pdl")):
        lines = pytester.runpytest_subprocess(*words, *plugin).outlines
        modules.append({line.split()[1] for line in lines if line.startswith("module ")})
    assert modules[0] - modules[1] <= {
        "pdl",
        "pdl._lazy",
        "pdl._types",
        "pdl.testing",
        "pdl.testing.plugin",
    }
