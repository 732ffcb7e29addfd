"""Rewrites a grammar so that llama.cpp has fewer stacks alive at once; the language stays."""
