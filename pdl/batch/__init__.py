"""Functions of batches, for the engines of a cluster: check replies, render, compile grammars."""

from pdl._lazy import lazy

_HOMES = {
    "Asker": "pdl.batch.asker",
    "Checker": "pdl.batch.checker",
    "ColumnError": "pdl.batch.columns",
}
__all__ = ["Asker", "Checker", "ColumnError"]

__getattr__ = lazy(__name__, _HOMES)
