"""What the examples of engines read: searches in a shop, and what a model replied to each."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa

import pdl

PROMPTS = Path(__file__).parents[2] / "prompts"
PROMPT = pdl.load(PROMPTS / "search_filter.pdl")
"""Has one input, `query`, and a schema with optional fields and a nested object."""
ROWS = 10_000


def searches(rows: int = ROWS) -> pa.Table:
    """Return a table with `id`, `query`, and `reply`: the replies of the cases, and none."""
    lines = (PROMPTS / "search_filter.cases.jsonl").read_text(encoding="utf-8").splitlines()
    replies = [*(json.loads(line)["reply"] for line in lines), None]
    return pa.table(
        {
            "id": range(rows),
            "query": [f"tent, {at % 4 + 1} persons" for at in range(rows)],
            "reply": [replies[at % len(replies)] for at in range(rows)],
        }
    )


def model(request: pdl.models.Request) -> str:
    """Answer like a model, so that the examples need no network."""
    query = request.messages[-1].text
    return json.dumps({"what": "tent", "features": [query.removeprefix("tent, ")]})


def summary(table: pa.Table) -> str:
    """Return how many rows there are for each reason; `None` is that of the valid ones."""
    counted = table.group_by("reason").aggregate([([], "count_all")]).to_pylist()
    counts = sorted(counted, key=lambda one: (-one["count_all"], str(one["reason"])))
    return "\n".join(f"{one['count_all']:6} {one['reason']}" for one in counts)
