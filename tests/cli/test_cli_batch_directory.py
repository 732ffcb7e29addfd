"""Batches whose results go to a directory: formats, resuming, changes of input and schema."""

from __future__ import annotations

import csv
import importlib
import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import pdl
from pdl.batch import audit, joined, splitting
from pdl.cli.app import application

if TYPE_CHECKING:
    from click.testing import Result

INPUT, OUT = Path("replies.jsonl"), Path("out")
COUNT = 300  # which are several units
PADDING = "x" * 500
FENCED = 'So:\n```json\n{{"n": {n}}}\n```'
OBJECT = "{ n: int }"


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(INPUT, COUNT)


def reply(number: int) -> str:
    return "no answer" if number % 10 == 0 else FENCED.format(n=number)


def write(file: Path, count: int, first: int = 1) -> None:
    numbers = range(first, first + count)
    lines = [json.dumps({"id": n, "reply": reply(n), "more": PADDING}) for n in numbers]
    file.write_text("".join(f"{line}\n" for line in lines))


def run(*options: str, dsl: str = OBJECT, batch: Path = INPUT) -> Result:
    words = ["check", "--dsl", dsl, "--batch", str(batch), "--out", f"{OUT}/", *options]
    result = CliRunner().invoke(application, words, prog_name="pdl")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def results() -> list[dict[str, Any]]:
    """All results, in the order of the names of their files."""
    lines = [one.read_text().splitlines() for one in sorted(OUT.glob("*.jsonl"))]
    return [json.loads(line) for file in lines for line in file]


def contents() -> dict[str, bytes]:
    """The result files."""
    return {one.name: one.read_bytes() for one in OUT.iterdir() if one.name[0] != "_"}


def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((OUT / "_manifest.json").read_text())
    return found


def test_each_row_has_the_result_that_one_file_would_have() -> None:
    made = run()
    assert (made.exit_code, made.stdout) == (1, "")
    assert made.stderr == ("replies.jsonl: 300 replies, 270 valid, 30 invalid (30 absent)\n")
    words = ["check", "--dsl", OBJECT, "--batch", str(INPUT)]
    one = CliRunner().invoke(application, words, prog_name="pdl").stdout.splitlines()
    assert [{"file": "replies.jsonl", **json.loads(line)} for line in one] == results()
    assert len(contents()) > 1
    assert audit(OUT) == []


def test_a_second_run_does_nothing_and_says_the_same() -> None:
    run()
    before = contents()
    again = run("--jobs", "2")
    assert contents() == before
    assert again.stderr.endswith("(30 absent); 300 checked in an earlier run\n")


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_results_have_the_format_that_is_asked_for(form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    assert run("--out-format", form).exit_code == 1
    assert {Path(name).suffix for name in contents()} == {f".{form}"}
    if form == "parquet":
        from pyarrow import dataset  # noqa: PLC0415

        found = dataset.dataset(OUT, format="parquet").to_table().to_pylist()
        found = [{**one, "id": int(one["id"])} for one in found]
    elif form == "csv":
        found = []
        for file in sorted(OUT.glob("*.csv")):
            with file.open(newline="") as stream:
                found += list(csv.DictReader(stream))
        found = [
            {**one, "id": int(one["id"]), "ok": one["ok"] == "true", "line": int(one["line"])}
            | {"value": json.loads(one["value"] or "null")}
            for one in found
        ]
    else:
        found = results()
    assert [(one["line"], one["id"], one["ok"]) for one in found] == [
        (n, n, n % 10 != 0) for n in range(1, COUNT + 1)
    ]
    assert [one["value"] for one in found[8:10]] == [{"n": 9}, None]
    assert audit(OUT) == []


def test_values_and_ids_come_back_from_csv() -> None:
    """A reader finds each row, whatever is in its texts, and the type of each value."""
    texts = ["5", '"5"', "null", '"null"', '"a\\rb"', '"\\n,\\""', '""']
    rows = [{"id": f"{n}\r", "reply": text} for n, text in enumerate(texts)]
    Path("texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert (
        run("--out-format", "csv", batch=Path("texts.jsonl"), dsl="int | str | null").exit_code == 0
    )
    (file,) = OUT.glob("*.csv")
    with file.open(newline="") as stream:
        found = list(csv.DictReader(stream))
    assert [one["id"] for one in found] == [row["id"] for row in rows]
    values = [json.loads(one["value"]) for one in found]
    assert values == [5, "5", None, "null", "a\rb", '\n,"', ""]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_input_of_any_format_gives_the_same_results(form: str) -> None:
    rows = [{"id": str(n), "reply": reply(n), "more": PADDING} for n in range(1, COUNT + 1)]
    file = Path(f"replies.{form}")
    if form == "csv":
        with file.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, ["id", "reply", "more"])
            writer.writeheader()
            writer.writerows(rows)
    else:
        pa = pytest.importorskip("pyarrow")
        from pyarrow import parquet  # noqa: PLC0415

        parquet.write_table(pa.Table.from_pylist(rows), file, row_group_size=50)
    assert run("--out-format", "jsonl", batch=file).exit_code == 1
    found = results()
    shutil.rmtree(OUT)
    run()
    plain = results()
    assert len(found) == len(plain) == COUNT
    for one, other in zip(found, plain, strict=True):
        left = {**one, "file": "", "line": 0, "id": int(one["id"])}
        assert left == {**other, "file": "", "line": 0}
    words = ["check", "--dsl", OBJECT, "--batch", str(file)]
    shown = CliRunner().invoke(application, words, prog_name="pdl").stdout.splitlines()
    assert [json.loads(line)["value"] for line in shown] == [one["value"] for one in plain]


def test_a_directory_of_shards() -> None:
    shards = Path("shards")
    (shards / "more").mkdir(parents=True)
    write(shards / "a.jsonl", 10)
    write(shards / "more" / "b.jsonl", 5, first=100)
    made = run(batch=shards)
    assert made.stderr.startswith("shards: 15 replies, 13 valid")
    assert [(one["file"], one["line"]) for one in results()] == [
        *(("a.jsonl", n) for n in range(1, 11)),
        *(("more/b.jsonl", n) for n in range(1, 6)),
    ]
    assert list(manifest()["shards"]) == ["a.jsonl", "more/b.jsonl"]
    write(shards / "c.jsonl", 5)
    assert "20 replies" in (again := run(batch=shards)).stderr
    assert again.stderr.endswith("15 checked in an earlier run\n")


def test_files_that_are_not_read_are_told() -> None:
    deep = Path("shards", *["d" * 100] * 3)
    deep.mkdir(parents=True)
    write(deep / "a.jsonl", 10)
    Path("shards", "b.json").write_text("{}")
    made = run(batch=Path("shards"))
    assert made.stderr.startswith("note: shards: 1 file is not read, by the suffix: b.json\n")
    assert "10 replies" in made.stderr
    assert audit(OUT) == []


def test_a_shard_that_changes_while_it_is_read_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run does what is different."""

    def rows(unit: Any, reading: Any) -> Any:
        if unit.number == 1:
            write(INPUT, COUNT, first=2)
        return splitting.rows(unit, reading)

    with monkeypatch.context() as patch:
        patch.setattr("pdl.batch.units.rows", rows)
        made = run()
    assert made.exit_code == 2
    assert "replies.jsonl: has changed while it was read\n  hint: run the same" in made.stderr
    assert manifest()["ended"] == ""
    assert run().exit_code == 1
    assert [one["id"] for one in results()] == list(range(2, COUNT + 2))
    assert audit(OUT) == []


def test_an_unpaired_surrogate_costs_one_row_of_parquet() -> None:
    pytest.importorskip("pyarrow")
    rows = ['{"reply": "\\ud800 5"}', '{"id": "\\udfff", "reply": "5"}', '{"reply": "5"}']
    Path("texts.jsonl").write_text("\n".join(rows))
    made = run("--out-format", "parquet", batch=Path("texts.jsonl"), dsl="int")
    assert made.exit_code == 2
    assert "texts.jsonl: row 1: has an unpaired surrogate" in made.stderr
    assert made.stderr.endswith("1 reply, 1 valid, 0 invalid; 2 lines without a reply\n")
    assert audit(OUT) == []


def test_a_shard_that_cannot_be_read_costs_only_itself() -> None:
    pytest.importorskip("pyarrow")
    shards = Path("shards")
    shards.mkdir()
    write(shards / "a.jsonl", 10)
    (shards / "b.parquet").write_bytes(b"PAR1 and nothing else")
    (shards / "c.csv").write_text('id,reply\n1,x\n2,"y\n')
    made = run(batch=shards)
    assert made.exit_code == 2
    assert "shards/b.parquet: cannot be read" in made.stderr
    assert "shards/c.csv:3:1: this is not CSV: unexpected end of data" in made.stderr
    assert made.stderr.endswith(
        "shards: 10 replies, 9 valid, 1 invalid (1 absent); 2 parts of the input can't be read\n"
    )
    assert manifest()["ended"] == ""
    shutil.copy(shards / "a.jsonl", shards / "b.jsonl")
    (shards / "b.parquet").unlink()
    (shards / "c.csv").write_text('id,reply\n1,x\n2,"y"\n')
    assert "22 replies" in run(batch=shards).stderr
    assert audit(OUT) == []


def test_rows_that_cannot_be_used_are_reported_each_time() -> None:
    INPUT.write_text('{"reply": "{\\"n\\": 1}"}\noops\n{"text": ""}\n')
    for _ in range(2):
        made = run()
        assert made.exit_code == 2
        assert "replies.jsonl:2:1: this line is not JSON" in made.stderr
        assert "replies.jsonl:3:1: this object has no `reply`" in made.stderr
        assert "1 valid, 0 invalid; 2 lines without a reply" in made.stderr
    assert [one["line"] for one in results()] == [1]


def test_a_shard_that_changed_is_noticed() -> None:
    run()
    lines = INPUT.read_text().splitlines(keepends=True)
    lines[4] = json.dumps({"id": 5, "reply": '{"n": 5000}'}) + "\n"
    INPUT.write_text("".join(lines))
    assert len(audit(OUT)) >= 1
    made = run()
    assert "note: replies.jsonl: has changed since an earlier run" in made.stderr
    found = results()
    assert [one["line"] for one in found] == list(range(1, COUNT + 1))
    assert found[4]["value"] == {"n": 5000}
    assert audit(OUT) == []


def test_a_shard_that_was_only_touched_is_not_done_again() -> None:
    run()
    before = contents()
    INPUT.write_text(INPUT.read_text())
    made = run()
    assert made.stderr.endswith("300 checked in an earlier run\n")
    assert contents() == before
    assert audit(OUT) == []


def test_rows_that_were_added_are_done() -> None:
    run()
    write(INPUT, COUNT + 50)
    made = run()
    assert "350 replies" in made.stderr
    assert [one["line"] for one in results()] == list(range(1, COUNT + 51))
    assert audit(OUT) == []


def test_rows_that_are_gone_are_refused() -> None:
    run()
    write(INPUT, 10)
    made = run()
    assert made.exit_code == 2
    assert "which replies.jsonl does not have" in made.stderr.replace("that", "which")


def test_results_of_a_wider_schema_keep_what_was_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept is what a new run finds; only other rows are checked."""
    INPUT.write_text(
        INPUT.read_text()
        + json.dumps({"id": 0, "reply": FENCED.format(n=1) + FENCED.format(n='"x"')})
        + "\n"
        + json.dumps({"id": 0, "reply": '{"n": "x"}'})
    )
    run()
    checked = []
    check = pdl.reply.check

    def counting(schema: Any, text: str, **options: Any) -> pdl.Check:
        checked.append(text)
        return check(schema, text, **options)

    monkeypatch.setattr(pdl.reply, "check", counting)
    made = run(dsl="{ n: int | str }")
    assert made.stderr.startswith(
        "note: earlier results: valid results are kept: every answer that was valid still is\n"
    )
    assert "note: 270 replies kept an earlier result\n" in made.stderr
    assert len(checked) == 32
    kept = results()
    shutil.rmtree(OUT)
    run(dsl="{ n: int | str }")
    fresh = results()
    assert [{**one, "schema_digest": ""} for one in kept] == [
        {**one, "schema_digest": ""} for one in fresh
    ]


@pytest.mark.parametrize(
    ("old", "new", "options", "why"),
    [
        (OBJECT, "{ n: int<0,9> }", [], 'an answer such as {"n":'),
        (OBJECT, "{ n: str }", [], 'an answer such as {"n":'),
        (OBJECT, "yesno", [], "answers that are not JSON"),
        (OBJECT, OBJECT, ["--coerce", "unwrap"], "other coercions"),
        (OBJECT, OBJECT, ["--field", "text"], "replies of another key: reply instead of text"),
        ("int", "int | null", [], "an answer that is neither an object nor an array"),
    ],
)
def test_results_of_another_task_are_made_again(
    old: str, new: str, options: list[str], why: str
) -> None:
    rows = [{"reply": FENCED.format(n=n), "text": "x"} for n in range(20)]
    INPUT.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    run(dsl=old)
    made = run(*options, dsl=new)
    assert f"note: earlier results: all are done again: {why}" in made.stderr
    kept = results()
    shutil.rmtree(OUT)
    run(*options, dsl=new)
    assert results() == kept


def test_a_run_of_something_else_is_refused() -> None:
    run()
    shutil.copy(INPUT, "others.jsonl")
    made = run(batch=Path("others.jsonl"))
    assert made.exit_code == 2
    assert "out/: contains results of another source: " in made.stderr
    made = run("--out-format", "csv")
    assert "out/: contains results of another results: jsonl" not in made.stderr
    assert "contains results in another format: jsonl" in made.stderr


def test_a_directory_of_other_files_is_refused() -> None:
    OUT.mkdir()
    (OUT / "notes.txt").write_text("mine")
    made = run()
    assert made.exit_code == 2
    assert "is not a run of --batch, and not empty" in made.stderr
    assert (OUT / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--batch", "shards"], "--batch with a directory of shards requires --out DIR"),
        (["--batch", "replies.jsonl", "--out-format", "csv"], "--out-format requires --out DIR"),
        (["--batch", "-", "--out", "out/"], "--out DIR requires --batch FILE or DIR"),
        (["--batch", "replies.jsonl", "--out", "a.parquet"], "write --out a.parquet/"),
        (["--batch", "shards", "--out", "shards/out"], "results would become input"),
        (["--batch", "none.jsonl", "--out", "out/"], "none.jsonl: cannot be read"),
    ],
)
def test_outputs_that_cannot_have_the_results(words: list[str], told: str) -> None:
    Path("shards").mkdir()
    write(Path("shards", "a.jsonl"), 3)
    made = CliRunner().invoke(application, ["check", "--dsl", OBJECT, *words], prog_name="pdl")
    assert made.exit_code == 2
    assert told in made.stderr.replace("--batch with --out", "--out")


def test_parquet_needs_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    made = run("--out-format", "parquet")
    assert made.exit_code == 2
    assert made.stderr == (
        "types of Arrow need pyarrow, which is not installed\n"
        "  hint: pip install 'pdl-prompts[arrow]'\n"
    )
    assert not OUT.exists()


def test_an_audit_names_what_is_wrong() -> None:
    run()
    assert run("--audit").stdout == "out/: nothing is wrong: 300 results in 3 files\n"
    one, other, *_ = sorted(OUT.glob("*.jsonl"))
    one.write_bytes(one.read_bytes().replace(b'"n": 1', b'"n": 2', 1))
    other.unlink()
    (OUT / "more.jsonl").write_text("")
    made = run("--audit")
    assert made.exit_code == 1
    assert made.stdout == (
        f"{one.name}: has changed since it was written\n"
        f"{other.name}: cannot be read: no such file or directory\n"
        "more.jsonl: is not a result of this run\n"
    )


def test_rows_are_joined_with_their_results() -> None:
    run()
    pairs = list(joined(OUT))
    assert [(row.id, row.reply) for row, _ in pairs] == [(n, reply(n)) for n in range(1, COUNT + 1)]
    assert all(row.id == found["id"] for row, found in pairs)


def test_a_file_that_was_removed_is_made_again() -> None:
    run()
    before = contents()
    sorted(OUT.glob("*.jsonl"))[1].unlink()
    run()
    assert contents() == before


RULES = """from dataclasses import dataclass

@dataclass
class Answer:
    n: int

    def __post_init__(self) -> None:
        if self.n > {most}:
            raise ValueError("too large")
"""


def test_a_rule_of_a_type_that_changes_decides_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its schema is the same. What does not change decides nothing again."""
    words = ["check", "--type", "ruled:Answer", "--batch", str(INPUT), "--out", f"{OUT}/"]
    told = []
    for most in (COUNT, COUNT, 5):
        Path("ruled.py").write_text(RULES.format(most=most))
        monkeypatch.delitem(sys.modules, "ruled", raising=False)
        importlib.invalidate_caches()
        told.append(CliRunner().invoke(application, words, prog_name="pdl").stderr)
    assert "270 valid" in told[0]
    assert told[1].endswith("300 checked in an earlier run\n")
    assert "300 replies, 5 valid" in told[2]
    assert "Python types have rules of their own" in told[2]
    monkeypatch.delitem(sys.modules, "ruled")


def test_what_a_killed_run_left_is_removed() -> None:
    """A file that was not finished, and one that was not written down."""
    run()
    before = contents()
    (OUT / ".unit-17").write_text("{")
    (OUT / "._manifest.json.x1y2").write_text("{")
    (OUT / f"replies-00099-{'a' * 16}.jsonl").write_text("{}\n")
    journal = (OUT / "_journal").read_bytes()
    (OUT / "_journal").write_bytes(journal[:-20])
    run()
    assert contents() == before
    assert (OUT / "_journal").read_bytes() == journal
    assert audit(OUT) == []


@pytest.mark.parametrize("name", ["_journal", "_manifest.json"])
def test_a_damaged_record_is_refused(name: str) -> None:
    run()
    (OUT / name).write_text("oops\n")
    made = run()
    assert made.exit_code == 2
    assert name in made.stderr


PROMPT = """<|input|>
{ names: [str]<2,> }
<|user|>
Which?
<|schema|>
{ c: {% for name in names %}"{{ name }}"{{ " | " if not loop.last }}{% endfor %} }
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_rows_bring_their_values(jobs: str) -> None:
    Path("which.pdl").write_text(PROMPT)
    rows = [
        {"reply": '{"c": "a"}', "context": {"names": ["a", "b"]}},
        {"reply": '{"c": "a"}', "context": {"names": ["c", "d"]}},
        {"reply": '{"c": "c"}', "context": {"names": ["c"]}},
        {"reply": '{"c": "c"}'},
    ]
    INPUT.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = ["check", "which.pdl", "--batch", str(INPUT), "--out", "out/", "--jobs", jobs]
    made = CliRunner().invoke(application, words, prog_name="pdl")
    found = results()
    assert [one["reason"] for one in found] == [None, "wrong-schema", "no-schema", "no-schema"]
    assert made.exit_code == 2
    assert {one["fingerprint"] for one in found} == {pdl.load("which.pdl").fingerprint}
