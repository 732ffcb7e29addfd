"""Store the parse tables that Lark computes from the grammars of `pdl/syntax`.

python scripts/parse_tables.py

Run it after a change to a `.lark` file. Each `NAME.tables.json` records the version of `NAME.lark`
that it belongs to, so a forgotten run costs time at each start and never correctness.
"""

from __future__ import annotations

import json

from pdl.syntax.runner import GRAMMARS, fingerprint
from pdl.syntax.tables import tables


def main() -> None:
    """Write the tables of every grammar."""
    for path in GRAMMARS.glob("*.lark"):
        grammar = path.read_text("utf-8")
        stored = {"grammar": fingerprint(grammar), **tables(grammar)}
        text = json.dumps(stored, separators=(",", ":"), sort_keys=True)
        path.with_suffix(".tables.json").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
