"""Calls in what a model said: found, held against the tools, told to it if they are wrong."""
