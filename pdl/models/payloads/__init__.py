"""What each provider is sent and what it sends back, as pure functions."""

from pdl.models.payloads.families import FAMILIES
from pdl.models.payloads.family import DONE, Deltas, Family
from pdl.models.payloads.reading import BadPayload, told_error

__all__ = ["DONE", "FAMILIES", "BadPayload", "Deltas", "Family", "told_error"]
