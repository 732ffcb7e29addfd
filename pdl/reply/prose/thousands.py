"""Numbers that are read in two ways: `1.000` is one thousand or one, as the country may be."""

from __future__ import annotations

import re

LOCAL = re.compile(r"[1-9][0-9]{0,2}(?P<mark>[.,])[0-9]{3}")
"""One mark with three digits behind it."""


def is_local(text: str) -> bool:
    """Whether a number with a point may be a thousand elsewhere."""
    found = LOCAL.fullmatch(text.lstrip("-"))
    return found is not None and found["mark"] == "."
