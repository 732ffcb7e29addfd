"""The functions of batches in real engines: each example, and rows asked in several processes."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
from doc_blocks import ROOT, blocks
from provider import Provider, Says

import pdl
from pdl.batch import Asker, Checker

if TYPE_CHECKING:
    from pathlib import Path

    from snapshots import Snapshot

EXAMPLES = ROOT / "examples" / "engines"
ENGINES = {
    "dask_frame": "dask.dataframe",
    "duckdb_sql": "duckdb",
    "polars_frame": "polars",
    "ray_data": "ray",
    "spark": "pyspark",
}
QUIET = {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0", "SPARK_LOCAL_IP": "127.0.0.1"}


PAGE = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
SECTIONS = dict(
    zip(
        ("ray_data", "spark", "dask_frame", "duckdb_sql", "polars_frame"),
        PAGE.split("\n## ")[1:],
        strict=False,
    )
)


def searches() -> Any:
    """The module with what the examples read."""
    found = importlib.util.spec_from_file_location("searches", EXAMPLES / "searches.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("example", ENGINES)
def test_example(example: str, snapshot: Snapshot, tmp_path: Path) -> None:
    """It prints what it should, and its 10,000 results are those of a checker alone."""
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip(ENGINES[example])
    if example == "spark" and shutil.which("java") is None:
        pytest.skip("Spark needs a Java runtime")
    command = [sys.executable, str(EXAMPLES / f"{example}.py"), str(tmp_path)]
    done = subprocess.run(  # noqa: S603 - ours
        command,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,
        check=False,
        env={**os.environ, **QUIET},
    )
    assert done.returncode == 0, done.stderr
    snapshot.check(EXAMPLES / f"{example}.out", done.stdout)
    made = parquet.read_table(tmp_path).sort_by("id")
    data = searches()
    expected = Checker.of(data.PROMPT, keep=("id", "query"))(data.searches())
    names = [name for name in expected.column_names if name in made.column_names]
    assert set(expected.column_names) - set(names) <= {"query"}
    assert made.select(names).to_pylist() == expected.select(names).to_pylist()


@pytest.mark.parametrize("example", ENGINES)
def test_the_page_shows_the_example(example: str) -> None:
    """All of its code is part of the program that the other test runs."""
    program = (EXAMPLES / f"{example}.py").read_text(encoding="utf-8")
    shown = blocks(SECTIONS[example])
    assert len(shown) > 1
    for block in shown:
        indented = textwrap.indent(block.text, "    ")
        assert block.text in program or indented in program


def test_asking_in_processes(tmp_path: Path) -> None:
    """Each keeps to the concurrency; with a cache, what one has asked, no later one asks."""
    dataframe: Any = pytest.importorskip("dask.dataframe")
    pandas: Any = pytest.importorskip("pandas")
    prompt = pdl.loads("<|user|>\n{{ name }}\n<|schema|>\n{ stars: int<1,5> }\n")
    with Provider(lambda _, __: Says('{"stars": 4}', seconds=0.01)) as provider:
        asker = Asker(
            prompt, "openai:tiny", base_url=provider.url, concurrency=3, cache=tmp_path / "replies"
        )
        frame = pandas.DataFrame({"id": range(40), "name": [f"n{at}" for at in range(40)]})
        parts = dataframe.from_pandas(frame, npartitions=4)
        asked = parts.map_partitions(asker, meta=asker(frame.head(0)))
        first, again = (asked.compute(scheduler="processes", num_workers=2) for _ in range(2))
    assert first["ok"].all()
    assert first["id"].tolist() == list(range(40))
    assert first["attempts"].tolist() == [1] * 40
    assert again["attempts"].tolist() == [0] * 40
    assert sorted(provider.calls) == sorted(frame["name"])
    assert provider.most <= 6
