"""The report of an evaluation: a page for browsers, Markdown for pull requests, and JSON."""

from __future__ import annotations

from pdl.evaluation.report.json_form import results_json
from pdl.evaluation.report.markdown_form import markdown
from pdl.evaluation.report.page import write_html

__all__ = ["markdown", "results_json", "write_html"]
