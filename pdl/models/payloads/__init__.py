"""What each provider is sent and what it sends back, as pure functions."""

from pdl.models.payloads.bad import BadPayload, told_error
from pdl.models.payloads.families import FAMILIES
from pdl.models.payloads.family import DONE, Deltas, Family

__all__ = ["DONE", "FAMILIES", "BadPayload", "Deltas", "Family", "told_error"]
