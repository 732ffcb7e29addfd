"""Prices of models, and a budget of tokens, time, and cost that several asks share."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from pdl.errors import ConfigError, Problem, nearest
from pdl.models.options import check_count, check_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl.models.exchange import Usage

_MILLION = 1_000_000


def _check_amount(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} must be a number of at least 0, not {value}")


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens of a model cost, in a currency of your choice.

    `input` is for tokens that are read, `output` for those that are written (reasoning included),
    `cached` for those of the input that the provider has in its cache (None: as `input`). Raises
    TypeError for what is not a number, ValueError for a negative or infinite one.
    """

    input: float
    output: float
    cached: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is not an amount."""
        _check_amount("input", self.input)
        _check_amount("output", self.output)
        if self.cached is not None:
            _check_amount("cached", self.cached)

    def of(self, usage: Usage) -> float | None:
        """Return what a call costs; None if the provider did not count its tokens."""
        cached = usage.cached_tokens or 0
        read = None if usage.input_tokens is None else max(0, usage.input_tokens - cached)
        parts = [
            (read, self.input),
            (usage.output_tokens, self.output),
            (cached, self.input if self.cached is None else self.cached),
        ]
        if any(count is None for count, price in parts if price):
            return None
        return sum(count * price for count, price in parts if count is not None) / _MILLION


class Budget:
    """Bounds that all asks with this object share; threads and tasks can use it at once.

    `tokens` is for input and output tokens together. `seconds` is wall-clock time from the first
    ask on. `cost` is in the currency of `prices`, which have the names of models as keys
    (`openai:MODEL`); without `cost` they only say what an answer cost.

    No call starts when a bound is reached. The token limit of a call is lowered to what is left; a
    call without a limit gets one once less than 4,096 tokens are left, so it may exceed the bound.
    Where a provider does not count, four characters count as a token; a call that brings no reply
    counts nothing. Of calls that run at the same time only the input is known: their output may
    exceed the bound.

    Raises TypeError and ValueError for what is not a bound or a price.
    """

    def __init__(
        self,
        *,
        tokens: int | None = None,
        seconds: float | None = None,
        cost: float | None = None,
        prices: Mapping[str, Price] | None = None,
    ) -> None:
        if tokens is not None:
            check_count("tokens", tokens, 1)
        if seconds is not None:
            check_seconds("seconds", seconds)
        if cost is not None:
            _check_amount("cost", cost)
        self.tokens = tokens
        self.seconds = seconds
        self.cost = cost
        self.prices = _checked_prices({} if prices is None else prices)
        self._lock = threading.Lock()
        self._began: float | None = None
        self._tokens_spent = 0
        self._cost_spent = 0.0
        self._tokens_held = 0
        self._cost_held = 0.0

    def __repr__(self) -> str:
        bounds = {"tokens": self.tokens, "seconds": self.seconds, "cost": self.cost}
        told = [f"{name}={bound}" for name, bound in bounds.items() if bound is not None]
        return f"Budget({', '.join(told)})"

    def __reduce__(self) -> tuple[Callable[..., Budget], tuple[dict[str, Price]]]:
        """Pickle the prices; raise TypeError for bounds, which each copy would have again."""
        if (self.tokens, self.seconds, self.cost) != (None, None, None):
            hint = "bound each ask with `max_output_tokens`, or make a budget in each process"
            raise TypeError(f"a budget with bounds does not go to other processes: {hint}")
        return _of_prices, (dict(self.prices),)

    @property
    def tokens_spent(self) -> int:
        """Input and output tokens so far, estimated where a provider did not count."""
        return self._tokens_spent

    @property
    def cost_spent(self) -> float:
        """The cost so far of the models that have a price, estimated like `tokens_spent`."""
        return self._cost_spent

    def begin(self, now: float) -> None:
        """Start the clock, unless it runs already."""
        with self._lock:
            self._began = now if self._began is None else self._began

    def seconds_left(self, now: float) -> float:
        """Return the seconds that are left at a time; infinite without a bound."""
        if self.seconds is None or self._began is None:
            return math.inf
        return self.seconds - (now - self._began)

    def output_tokens_left(self, read: int) -> float:
        """Return the tokens that a call can write after reading so many, as far as is known."""
        used = self._tokens_spent + self._tokens_held + read
        return math.inf if self.tokens is None else self.tokens - used

    def affordable_output(self, model: str, read: int) -> float:
        """Return the tokens that a call can pay for after reading so many."""
        if self.cost is None:
            return math.inf
        price = self.prices[model]
        left = self.cost - self._cost_spent - self._cost_held - read * price.input / _MILLION
        if left <= 0:
            return -math.inf if price.input or price.output else math.inf
        return left * _MILLION / price.output if price.output else math.inf

    @contextmanager
    def held(self, model: str, read: int) -> Iterator[None]:
        """Keep the input of a call from others while the call runs."""
        price = self.prices.get(model)
        cost = 0.0 if price is None else read * price.input / _MILLION
        with self._lock:
            self._tokens_held += read
            self._cost_held += cost
        try:
            yield
        finally:
            with self._lock:
                self._tokens_held -= read
                self._cost_held -= cost

    def spend(self, model: str, usage: Usage) -> None:
        """Count a call, both of whose counts are known or estimated."""
        price = self.prices.get(model)
        with self._lock:
            self._tokens_spent += (usage.input_tokens or 0) + (usage.output_tokens or 0)
            self._cost_spent += (price.of(usage) or 0.0) if price is not None else 0.0

    def resume(self, tokens: int, cost: float) -> None:
        """Count what an earlier process has spent."""
        with self._lock:
            self._tokens_spent += tokens
            self._cost_spent += cost

    def check_prices(self, models: Iterable[str]) -> None:
        """Raise ConfigError for a model without a price, if the cost is bounded."""
        for model in models:
            if self.cost is not None and model not in self.prices:
                near = nearest(model, self.prices)
                known = f", which have `{near}`" if near else ""
                hint = f"add it to the `prices` of the budget{known}"
                message = f"the cost is bounded, but `{model}` has no price"
                raise ConfigError(Problem("config/price", message, hint=hint))


def _of_prices(prices: dict[str, Price]) -> Budget:
    return Budget(prices=prices)


def _checked_prices(prices: object) -> Mapping[str, Price]:
    if not isinstance(prices, Mapping):
        raise TypeError(f"prices must be a mapping, not {type(prices).__name__}")
    for name, price in prices.items():
        if not isinstance(name, str):
            raise TypeError(f"prices must have names of models as keys, not {type(name).__name__}")
        if not isinstance(price, Price):
            raise TypeError(
                f"the price of `{name}` must be a pdl.Price, not {type(price).__name__}"
            )
    return MappingProxyType(dict(prices))
