"""`--prices FILE`: what tokens of models cost."""

from __future__ import annotations

import click

from pdl.cli.files import read_text
from pdl.decoding import parse_json
from pdl.models.budget import Budget, Price


def read_prices(_ctx: click.Context, _param: click.Parameter, file: str | None) -> Budget | None:
    """Return the prices in a file, in a budget without bounds. Raises BadParameter."""
    if file is None:
        return None
    prices = parse_json(read_text(file))
    if not isinstance(prices, dict):
        raise click.BadParameter(f"{file} must contain an object")
    for name, price in prices.items():
        missing = {"input", "output"} - price.keys() if isinstance(price, dict) else ()
        if missing:
            told = f"{file}: the price of `{name}` lacks `{min(missing)}`; add it to {file}"
            raise click.BadParameter(told)
    try:
        return Budget(prices={name: Price(**price) for name, price in prices.items()})
    except (TypeError, ValueError) as error:
        wanted = 'each name of a model needs {"input": …, "output": …, "cached": …}'
        raise click.BadParameter(f"{file}: {wanted}: {error}") from error
