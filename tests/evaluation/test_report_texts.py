"""The figures and the escapes of a report."""

from __future__ import annotations

import pytest

from pdl.evaluation.report import figures
from pdl.evaluation.report.data import inlined
from pdl.evaluation.report.markdown_form import code
from pdl.evaluation.results import Interval, Unit


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (0.873, "share", "87.3%"),
        (1.236, "seconds", "1.24 s"),
        (0.0312, "seconds", "31.2 ms"),
        (1234.4, "seconds", "1,234.4 s"),
        (0, "seconds", "0.00 s"),
        (1234.0, "tokens", "1,234"),
        (412.34, "tokens", "412"),
        (0.000123456, "cost", "0.000123"),
        (1e-30, "cost", "0.000000000"),
        (0.5, "number", "0.500"),
        (None, "share", "–"),
        (float("nan"), "tokens", "–"),
        (float("inf"), "number", "–"),
    ],
)
def test_a_figure_has_its_unit(value: float | None, unit: Unit, words: str) -> None:
    assert figures.figure(value, unit) == words


@pytest.mark.parametrize(
    ("low", "high", "unit", "words"),
    [
        (0.8, 0.923, "share", "80.0–92.3%"),
        (0.05, 1.2, "seconds", "0.05–1.20 s"),
        (0.005, 0.0512, "seconds", "5.0–51.2 ms"),
        (0.00000912, 0.000123, "cost", "0.000009–0.000123"),
        (0.95, 1.2, "seconds", "0.95–1.20 s"),
        (-1, 2, "number", "−1 to 2"),
        (float("nan"), 1, "share", ""),
    ],
)
def test_an_interval_has_one_unit(low: float, high: float, unit: Unit, words: str) -> None:
    assert figures.interval(Interval(low, high, "wilson"), unit) == words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "`plain`"),
        ("a`b", "``a`b``"),
        ("`", "`` ` ``"),
        ("", "`   `"),
        ("a|b\nc", r"`a\|b\nc`"),
        ("\u202e<b>@all", r"`\u202e<b>@all`"),
    ],
)
def test_text_of_a_run_is_code_in_markdown(text: str, shown: str) -> None:
    assert code(text) == shown


def test_inlined_json_cannot_end_its_script() -> None:
    assert inlined(["</script><!--&", "\u2028\ud800é"]) == (
        r'["\u003c/script\u003e\u003c!--\u0026","\u2028\ud800é"]'
    )
