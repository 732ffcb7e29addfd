"""`--coerce`: the changes of data that a check may make."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from pdl.errors import did_you_mean
from pdl.reply.coercions import Coercions

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALL = "all"
_MEANINGS = {
    "numbers_in_strings": '"5" for 5',
    "thousands": '"1,000" for 1000, with numbers-in-strings',
    "words_in_strings": '"true" for true, "null" for null',
    "enum_case": '"Bug" for "bug", one of an enum\'s values',
    "key_case": '"userName" for "user_name", one of an object\'s keys',
    "single_to_list": "5 for [5]",
    "json_in_strings": '"[1, 2]" for [1, 2]',
    "null_to_absent": "null for an optional key",
    "unwrap": '{"answer": 5} or [5] for 5',
}


def coercion_name(field: str) -> str:
    """Return the name of a field of Coercions on the command line."""
    return field.replace("_", "-")


COERCIONS = {coercion_name(field.name): field.name for field in dataclasses.fields(Coercions)}
"""The fields of Coercions by their names on the command line."""

COERCION_TERMS = (
    "Coercions",
    {
        **{name: _MEANINGS.get(field, "") for name, field in COERCIONS.items()},
        _ALL: "every coercion above",
    },
)
"""The section of help that says what each of them allows."""


def _parse_coercions(
    _ctx: click.Context, _param: click.Parameter, names: Sequence[str]
) -> Coercions:
    """Parse names. Raises BadParameter, with a suggestion, for an unknown one."""
    given = [coercion_name(name.strip().lower()) for name in names]
    known = [*COERCIONS, _ALL]
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"expected one of {', '.join(known)}"
            raise click.BadParameter(f"unknown coercion `{name}`; {hint}")
    chosen = COERCIONS if _ALL in given else given
    if "thousands" in chosen and "numbers-in-strings" not in chosen:
        raise click.BadParameter("thousands has no effect without numbers-in-strings")
    return Coercions(**{COERCIONS[name]: True for name in chosen})


def _complete_coercions(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in (*COERCIONS, _ALL) if name.startswith(incomplete)]


coerce_option = click.option(
    "--coerce",
    "coercions",
    multiple=True,
    callback=_parse_coercions,
    shell_complete=_complete_coercions,
    metavar="NAME",
    help="Allow a coercion listed below: a change of data that makes the answer match the schema."
    " Each one that is made is reported as a repair. Default: none. Repeatable.",
)
