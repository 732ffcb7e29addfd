"""Answers that are no JSON: text, code, and lists of tasks."""
