"""Python functions as tools: their signatures and docstrings read, their calls run."""
