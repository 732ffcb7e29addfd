"""Answers that are not JSON: text, code, and task lists."""
