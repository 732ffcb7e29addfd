"""Work without the cyclic garbage collector, which would look at all that is made, again and again.

What a compilation makes are trees and tables: they are freed by their counts of references, and the
collector, which runs for every few hundred of them, takes a fifth of the time to find nothing.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the collector of the process, if it runs; other threads go on as if it were slow."""
    ran = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if ran:
            gc.enable()
