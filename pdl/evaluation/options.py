"""How an evaluation asks."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from pdl.models.faults import Backoff
from pdl.models.options import check_count, check_seconds

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pdl._types import Json
    from pdl.models.budget import Budget
    from pdl.models.cache import Cache
    from pdl.models.exchange import Model
    from pdl.reply import Coercions


@dataclass(frozen=True)
class EvaluationOptions:
    """How an evaluation asks.

    `repeats`: how often each case is asked of each column. `retries`, `timeout` (seconds),
    `config`, `constrain`, and `coercions` are those of `ask`, for each trial; `seed` is that of the
    first repeat, each further one has the next number. `judge` is the model that judges ask (a
    model or its name). `budget` has prices, and bounds that all trials share, earlier ones of the
    same run included: once it is spent, no other trial starts. `cache` stores good replies, those
    of each repeat apart. `concurrency` is how many calls to one provider run at the same time,
    `rate` how many may start in a minute. `retry_faults`: ask again where trials ended by a
    transport error. Raises TypeError and ValueError for invalid counts and times.
    """

    repeats: int = 1
    retries: int = 3
    timeout: float = 600.0
    seed: int | None = None
    config: Mapping[str, Json] = field(default_factory=dict)
    constrain: bool = True
    coercions: Coercions | None = None
    judge: Model | str | None = None
    budget: Budget | None = None
    cache: Cache | str | Path | None = None
    concurrency: int = 8
    rate: float | None = None
    retry_faults: bool = False
    backoff: Backoff = field(default_factory=Backoff)

    def __post_init__(self) -> None:
        """Refuse what is not a count or a time."""
        check_count("repeats", self.repeats, 1)
        check_count("retries", self.retries, 0)
        check_count("concurrency", self.concurrency, 1)
        check_seconds("timeout", self.timeout)
        if self.rate is not None and not self.rate > 0:
            raise ValueError(f"rate must be a number of calls per minute above 0, not {self.rate}")

    def bounds(self) -> dict[str, Json]:
        """Return the bound of the cost and the prices, as JSON; what is not set is left out."""
        if self.budget is None:
            return {}
        found: dict[str, Json] = {}
        if self.budget.cost is not None:
            found["cost"] = self.budget.cost
        if self.budget.prices:
            found["prices"] = {name: asdict(one) for name, one in self.budget.prices.items()}
        return found

    def recorded(self, judge: str | None) -> dict[str, Json]:
        """Return what of it changes outcomes, as JSON; `judge` is the name of the judges' model."""
        return {
            "retries": self.retries,
            "seed": self.seed,
            "config": dict(self.config),
            "constrain": self.constrain,
            "coercions": sorted(name for name, one in asdict(self.coercions).items() if one)
            if self.coercions is not None
            else [],
            "judge": judge,
        }
