"""`--coerce`: which changes of data a checker may make so that an answer fits."""

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
    "null_to_absent": "null for a key that may be absent",
    "unwrap": '{"answer": 5} or [5] for 5',
}


def coercion_name(field: str) -> str:
    """A field of Coercions as it is written on a command line."""
    return field.replace("_", "-")


FIELDS = {coercion_name(field.name): field.name for field in dataclasses.fields(Coercions)}
"""The fields of Coercions by their names on a command line."""

MEANINGS = (
    *((name, _MEANINGS.get(field, "")) for name, field in FIELDS.items()),
    (_ALL, "each of them"),
)
"""The names and what they allow, for a help page."""


def is_coercion(name: str) -> bool:
    """Whether a kind of repair is a change of data that somebody allowed, by its name here."""
    return name in FIELDS


def _parse(
    ctx: click.Context,  # noqa: ARG001  (click's signature)
    param: click.Parameter,  # noqa: ARG001  (likewise)
    names: Sequence[str],
) -> Coercions:
    """The coercions of those names. Raises BadParameter, with advice, for a name that is none."""
    written = [coercion_name(name.strip().lower()) for name in names]
    for name in written:
        if name != _ALL and name not in FIELDS:
            known = [*FIELDS, _ALL]
            advice = did_you_mean(name, known) or f"there are {', '.join(known)}"
            raise click.BadParameter(f"there is no coercion `{name}`; {advice}")
    chosen = FIELDS if _ALL in written else written
    if "thousands" in chosen and "numbers-in-strings" not in chosen:
        raise click.BadParameter("thousands does nothing without numbers-in-strings")
    return Coercions(**{FIELDS[name]: True for name in chosen})


def _complete(
    ctx: click.Context,  # noqa: ARG001  (click's signature)
    param: click.Parameter,  # noqa: ARG001  (likewise)
    incomplete: str,
) -> list[str]:
    return [name for name in (*FIELDS, _ALL) if name.startswith(incomplete)]


coerce_option = click.option(
    "--coerce",
    "coercions",
    multiple=True,
    callback=_parse,
    shell_complete=_complete,
    metavar="NAME",
    help="Allow a change of data that makes the answer fit, of those below; may be repeated. None"
    " is made unasked, and each that was made is one of the repairs.",
)
