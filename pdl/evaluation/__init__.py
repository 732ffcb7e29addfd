"""Evaluation: prompts and models on cases, with metrics, statistics, and a report."""
