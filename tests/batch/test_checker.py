"""`Checker`: each row is what `pdl.check` says of its reply, in every container."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import schemata
from batches import CONTAINERS, called
from hypothesis import given
from hypothesis import strategies as st
from instances import Instances

import pdl
from pdl.batch import Checker, ColumnError
from pdl.batch.checker import NO_REPLY, NO_SCHEMA, UNCHECKED, reply_digest, schema_digest

if TYPE_CHECKING:
    from pathlib import Path

PERSON = pdl.Schema.parse("{ name: str, age: int<0,120>, born?: date, tags: [str] }")
GOOD = '{"name": "Ann", "age": 3, "born": "2024-02-29", "tags": ["a"]}'
FENCED = f"Here it is:\n```json\n{GOOD}\n```\nAnything else?"
REPAIRED = "{'name': 'Bob', 'age': 4, 'tags': [],}"
WRONG = '{"name": "Cid", "age": 121, "tags": []}'
REPLIES = [GOOD, FENCED, REPAIRED, WRONG, "no", '{"name": "D', ""]
ROWS: dict[str, list[Any]] = {"id": list(range(len(REPLIES))), "reply": REPLIES}
CLASSIFY = """<|input|>
{ labels: [str]<1,>, lang?: str = "en" }
<|user|>
{{ lang }}
<|schema|>
{ label: {{ labels | map('tojson') | join(' | ') }} }
"""
BOX = pdl.Schema.from_json_schema({"type": "object", "properties": {"a": {"type": "integer"}}})


@pytest.fixture(params=CONTAINERS)
def container(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def expected(schema: Any, reply: str, coercions: pdl.Coercions | None = None) -> dict[str, Any]:
    check = pdl.check(schema, reply, coercions=coercions or pdl.Coercions())
    return {
        "ok": check.ok,
        "value": check.data,
        "reason": check.reason,
        "summary": check.summary,
        "errors": [error.to_json() for error in check.errors],
        "feedback": check.feedback,
        "repairs": [repair.kind for repair in check.repairs],
        "reply_digest": reply_digest(reply),
        "schema_digest": schema_digest(schema, coercions or pdl.Coercions()),
    }


def rows_of(checker: Checker, name: str, columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """The rows of the result, with values as JSON."""
    made = called(checker, name, columns)
    if CONTAINERS[name].is_typed:
        assert checker.schema is not None
        form = pytest.importorskip("pdl.schema.arrow").form_of(checker.schema.document)
        made["value"] = list(map(form.take, made["value"]))
    return [dict(zip(made, row, strict=True)) for row in zip(*made.values(), strict=True)]


def test_each_row_is_its_check(container: str) -> None:
    rows = rows_of(Checker(PERSON), container, ROWS)
    assert [row.pop("id") for row in rows] == ROWS["id"]
    assert rows == [expected(PERSON, reply) for reply in REPLIES]
    assert [row["ok"] for row in rows] == [True, True, True, False, False, False, False]


def test_an_empty_batch(container: str) -> None:
    made = called(Checker(PERSON), container, {"id": [], "reply": []})
    assert made == {name: [] for name in ("id", *expected(PERSON, ""))}


def test_coercions(container: str) -> None:
    loose = pdl.Coercions(numbers_in_strings=True)
    reply = '{"name": "Ann", "age": "3", "tags": []}'
    rows = rows_of(Checker(PERSON, coercions=loose), container, {"reply": [reply]})
    assert rows == [expected(PERSON, reply, loose)]
    assert rows[0]["ok"]


def test_a_missing_reply_fails_alone(container: str) -> None:
    rows = rows_of(Checker(PERSON), container, {"reply": [GOOD, None, GOOD]})
    assert [row["ok"] for row in rows] == [True, False, True]
    missing = rows[1]
    assert (missing["reason"], missing["value"], missing["reply_digest"]) == (NO_REPLY, None, None)
    assert missing["summary"] == "no-reply: expected a string, found null"


@pytest.mark.parametrize("cells", [[None, None], [float("nan")], [1, 2.5], [b"x"], [{"a": 1}]])
def test_what_is_no_reply(cells: list[Any]) -> None:
    for name in ("dict", "numpy", "pandas"):
        made = called(Checker(PERSON), name, {"reply": cells})
        assert made["reason"] == [NO_REPLY] * len(cells), name


def test_a_column_of_nulls_keeps_the_types() -> None:
    pa = pytest.importorskip("pyarrow")
    checker = Checker(PERSON)
    for kind in (pa.null(), pa.string(), pa.int64()):
        table = pa.table({"reply": pa.array([None, None], type=kind)})
        assert checker(table).schema.equals(checker.arrow_schema(table.schema), check_metadata=True)


@pytest.mark.parametrize("kind", ["large_string", "string_view", "dictionary"])
def test_columns_of_text_in_arrow(kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    form = pa.dictionary(pa.int32(), pa.string()) if kind == "dictionary" else getattr(pa, kind)()
    cells = pa.array([*REPLIES, None, GOOD]).cast(form).slice(1)
    made = Checker(PERSON, keep=["reply"])(pa.table({"reply": cells}))
    assert made["ok"].to_pylist() == [True, True, False, False, False, False, False, True]
    assert made["reply"].type == form
    assert made["reply"].to_pylist() == cells.to_pylist()


@pytest.mark.parametrize("kind", ["string", "string[python]", "string[pyarrow]", "category"])
def test_columns_of_text_in_pandas(kind: str) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    index = [7, 7, 9]
    cells = pandas.Series([GOOD, None, "no"], index=index, dtype=kind)
    frame = pandas.DataFrame({"reply": cells})
    made = Checker(PERSON)(frame)
    assert list(made.index) == index
    assert list(made["ok"]) == [True, False, False]
    assert list(made["reason"]) == [None, NO_REPLY, "absent"]


def test_a_categorical_column_in_polars() -> None:
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame = polars.DataFrame({"reply": [GOOD, None]}, schema={"reply": polars.Categorical})
    made = Checker(PERSON, keep="reply")(frame)
    assert made["reply"].dtype == polars.Categorical
    assert made["ok"].to_list() == [True, False]


def test_ids_are_kept_if_there_are_any() -> None:
    checker = Checker(PERSON)
    assert "id" in checker({"id": [1], "reply": [GOOD]})
    assert "id" not in checker({"reply": [GOOD]})
    assert "id" not in Checker(PERSON, keep=())({"id": [1], "reply": [GOOD]})


def test_kept_columns_stay_as_they_are(container: str) -> None:
    columns: dict[str, list[Any]] = {"reply": [GOOD, "no"], "n": [1, 2], "text": ["a", None]}
    made = called(Checker(PERSON, keep=("n", "reply", "n")), container, columns)
    assert list(made)[:3] == ["n", "reply", "ok"]
    assert (made["n"], made["reply"]) == ([1, 2], [GOOD, "no"])


def test_a_missing_column(container: str) -> None:
    batch = CONTAINERS[container].make({"id": ["a"], "replay": [GOOD]})
    with pytest.raises(ColumnError) as caught:
        Checker(PERSON)(batch)
    assert str(caught.value) == (
        "the batch has no column `reply`; its columns are `id`, `replay`\n"
        "  hint: did you mean `replay`?"
    )
    with pytest.raises(ColumnError, match="no column `key`"):
        Checker(PERSON, reply="replay", keep="key")(batch)


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ({"reply": [GOOD], "id": [1, 2]}, "differ in length: `reply` 1, `id` 2"),
        ({"reply": GOOD}, "`reply` must be a list or an array, not str"),
        ({"reply": 3}, "`reply` must be a list or an array, not int"),
        ({}, "its columns are none"),
    ],
)
def test_a_dict_that_is_no_batch(batch: Any, message: str) -> None:
    with pytest.raises(ColumnError, match=message):
        Checker(PERSON)(batch)


@pytest.mark.parametrize("batch", [[GOOD], GOOD, None, iter([])])
def test_other_containers(batch: Any) -> None:
    with pytest.raises(TypeError, match="a batch must be a dict of columns"):
        Checker(PERSON)(batch)


def test_columns_whose_names_are_no_texts() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(
        ColumnError, match=r"no column `reply`; its columns are `\(.a., .b.\)`, `7`"
    ):
        Checker(PERSON)(pandas.DataFrame([[GOOD, GOOD]], columns=[("a", "b"), 7]))


def test_two_columns_of_one_name() -> None:
    pa, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    table = pa.table([pa.array([GOOD]), pa.array([GOOD])], names=["reply", "reply"])
    frame = pandas.DataFrame([[GOOD, GOOD]], columns=["reply", "reply"])
    for batch in (table, frame):
        with pytest.raises(ColumnError, match="the batch has 2 columns `reply`"):
            Checker(PERSON)(batch)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"keep": ["value"]}, ValueError, "keep must not name `value`"),
        ({"keep": [1]}, TypeError, "keep must contain names of columns, not int"),
        ({"reply": 1}, TypeError, "reply must be the name of a column, not int"),
        ({"coercions": True}, TypeError, "coercions must be Coercions, not bool"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Checker(PERSON, **options)


def test_no_schema_takes_the_whole_reply(container: str) -> None:
    made = called(Checker(None), container, {"reply": ["<think>hm</think>\nYes."]})
    assert (made["value"], made["schema_digest"]) == (
        ["Yes."],
        [schema_digest(None, pdl.Coercions())],
    )


@dataclass
class Even:
    """A class with a rule of its own."""

    number: int

    def __post_init__(self) -> None:
        if self.number == 7:
            raise RuntimeError("seven")
        if self.number % 2:
            raise ValueError("must be even")


def test_a_type_runs_its_rules(container: str) -> None:
    replies = [f'{{"number": {number}}}' for number in (2, 3, 7)]
    made = called(Checker(Even), container, {"reply": replies})
    assert made["value"] == [{"number": 2}, None, None]
    assert made["reason"] == [None, "wrong-schema", UNCHECKED]
    assert "RuntimeError: seven" in made["summary"][2]


@pytest.mark.parametrize("schema", [PERSON, None, Even, BOX])
def test_a_pickle_checks_alike(schema: Any) -> None:
    checker = Checker(schema, coercions=pdl.Coercions(unwrap=True), keep=["id"])
    packed = pickle.dumps(checker)
    again = pickle.loads(packed)  # noqa: S301
    assert again(ROWS) == checker(ROWS)
    assert len(packed) < 2_000
    if schema is not Even:
        assert pickle.loads(packed) is again  # noqa: S301 - it is compiled once


def test_a_pickle_has_no_source() -> None:
    """A schema of a large file is not sent with its text."""
    text = f"{{ a: int {' ' * 100_000} }}"
    assert len(pickle.dumps(Checker(pdl.Schema.parse(text)))) < 2_000


def test_another_process_checks_alike() -> None:
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer)({'reply': ['{\"a\": 1}']}))"
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code],
        input=pickle.dumps(Checker(BOX)),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == str(Checker(BOX)({"reply": ['{"a": 1}']}))


def test_values_of_each_row(container: str) -> None:
    """A prompt whose schema depends on data is rendered with the columns of the row."""
    checker = Checker.of(pdl.loads(CLASSIFY))
    labels = [["a", "b"], ["c"], ["b", "a"], [], ["a", "b"]]
    columns: dict[str, list[Any]] = {
        "reply": ['{"label": "a"}'] * 5,
        "labels": labels,
        "lang": ["de", *[None] * 4],
    }
    made = called(checker, container, columns)
    assert made["ok"] == [True, False, True, False, True]
    assert made["reason"] == [None, "wrong-schema", None, NO_SCHEMA, None]
    digests = made["schema_digest"]
    assert digests[0] == digests[4] != digests[1]
    assert digests[3] is None
    assert len(set(made["reply_digest"])) == 5, "the values count; the language is one of them"
    assert set(made["fingerprint"]) == {pdl.loads(CLASSIFY).fingerprint}
    value = json.dumps({"label": "a"}, separators=(",", ":"))
    assert made["value"][0] == (value if CONTAINERS[container].is_typed else {"label": "a"})


@pytest.mark.parametrize(
    ("data", "columns"),
    [
        (["labels"], {"labels": [["a"]]}),
        ({"labels": "words"}, {"words": [["a"]]}),
        ("context", {"context": [{"labels": ["a"]}]}),
        ("context", {"context": ['{"labels": ["a"], "lang": "fr"}']}),
    ],
)
def test_where_the_values_are(container: str, data: Any, columns: dict[str, list[Any]]) -> None:
    checker = Checker.of(pdl.loads(CLASSIFY), data=data)
    made = called(checker, container, {"reply": ['{"label": "a"}'], **columns})
    assert made["ok"] == [True]


@pytest.mark.parametrize(
    ("cell", "summary"),
    [
        (None, "no-schema: missing required input `labels`"),
        ("{", "no-schema: `context` is not JSON"),
        ('{"labels": ["a"], "labels": ["b"]}', "no-schema: `context` has the key `labels` twice"),
        ("[1]", "no-schema: `context`: expected an object, found a list"),
        ('{"labels": [], "x": 1}', "no-schema: unknown input `x`"),
    ],
)
def test_values_that_the_prompt_refuses(cell: Any, summary: str) -> None:
    checker = Checker.of(pdl.loads(CLASSIFY), data="context")
    made = checker({"reply": ['{"label": "a"}'], "context": [cell]})
    assert made["reason"] == [NO_SCHEMA]
    assert made["summary"][0].startswith(summary)


def test_columns_of_values_must_exist() -> None:
    checker = Checker.of(pdl.loads(CLASSIFY))
    with pytest.raises(ColumnError, match="no column `labels`"):
        checker({"reply": []})
    fixed = Checker.of(pdl.loads(CLASSIFY), values={"labels": ["a"]})
    assert fixed({"reply": ['{"label": "a"}']})["ok"] == [True]
    with pytest.raises(ValueError, match="`labels` must be in data or in values, not in both"):
        Checker.of(pdl.loads(CLASSIFY), data=["labels"], values={"labels": ["a"]})


def test_a_prompt_with_one_schema_needs_no_values(container: str) -> None:
    prompt = pdl.loads("<|user|>\n{{ text }}\n<|schema|>\n{ a: int }")
    made = called(Checker.of(prompt), container, {"reply": ['{"a": 1}', "x"]})
    assert made["value"] == [{"a": 1}, None]
    assert made["fingerprint"] == [prompt.fingerprint] * 2


def test_a_pickle_of_a_prompt_checks_alike() -> None:
    checker = Checker.of(pdl.loads(CLASSIFY))
    columns: dict[str, list[Any]] = {"reply": ['{"label": "a"}'] * 2, "labels": [["a"], ["b"]]}
    packed = pickle.dumps(checker)
    assert pickle.loads(packed)(columns) == checker(columns)  # noqa: S301
    assert pickle.loads(packed) is pickle.loads(packed)  # noqa: S301


def test_results_in_parquet(tmp_path: Path) -> None:
    """Structs with nulls, lists, maps, and JSON text can be written, also if no reply is valid."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    schema = pdl.Schema.parse("{ a: [{ b?: date, m: { [str]: int? } }], u: int | str, n: null }")
    good = '{"a": [{"m": {"x": 1, "y": null}}, {"b": "2024-02-29", "m": {}}], "u": "é", "n": null}'
    for replies in ([good, "no", None], ["no"], []):
        table = pa.table({"reply": pa.array(replies, type=pa.string())})
        made = Checker(schema, keep=["reply"])(table)
        parquet.write_table(made, tmp_path / "made.parquet")
        assert parquet.read_table(tmp_path / "made.parquet").equals(made)


def test_threads_share_a_checker() -> None:
    checker = Checker.of(pdl.loads(CLASSIFY))
    labels = [[f"label {at}"] for at in range(1_200)]  # more than are kept
    columns = {"reply": [json.dumps({"label": one[0]}) for one in labels], "labels": labels}
    with ThreadPoolExecutor(4) as pool:
        for made in pool.map(checker, [columns] * 8):
            assert made["ok"] == [True] * len(labels)


def test_more_schemas_than_are_kept() -> None:
    checker = Checker.of(pdl.loads(CLASSIFY))
    labels = [[f"label {at % 1_500}"] for at in range(3_000)]
    replies = [json.dumps({"label": one[0]}) for one in labels]
    assert checker({"reply": replies, "labels": labels})["ok"] == [True] * 3_000


@given(st.integers(0, 2**32), st.sampled_from(sorted(CONTAINERS)))
def test_rows_are_checks_of_any_schema(seed: int, name: str) -> None:
    """Also what is no reply to it, in prose, and broken."""
    rng = Random(seed)  # noqa: S311 - no secret
    document = schemata.document(rng)
    try:
        schema = pdl.Schema.from_json_schema(document)
    except pdl.SchemaError:
        return
    makers = (_whole, _fenced, _broken)
    replies = [rng.choice(makers)(Instances(document, rng).value(), rng) for _ in range(8)]
    rows = rows_of(Checker(schema), name, {"reply": replies})
    for row, reply in zip(rows, replies, strict=True):
        wanted = expected(schema, reply)
        if row["reason"] == "limit" and wanted["ok"]:
            assert row["errors"][0]["keyword"] == "arrow"
            assert CONTAINERS[name].is_typed
        else:
            assert row == wanted


def _whole(value: Any, _: Random) -> str:
    return json.dumps(value)


def _fenced(value: Any, _: Random) -> str:
    return f"Sure:\n```json\n{json.dumps(value, indent=1)}\n```"


def _broken(value: Any, rng: Random) -> str:
    text = json.dumps(value)
    return text[: rng.randint(0, len(text))]
