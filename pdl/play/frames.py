"""How the server and the processes that work for it tell messages apart in a stream."""

from __future__ import annotations

import struct
from typing import Final

LENGTH: Final = struct.Struct(">I")
"""What is before each message, JSON: how many bytes it has."""
DONE: Final = b"+"
"""What is before an answer that is the result."""
FAILED: Final = b"-"
"""What is before an answer that is an object with `message` and `hint`."""
READY: Final = b"!"
"""What is before all answers: the process has loaded what it needs."""
