"""Strings, numbers and enumerations in a provider's subset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.models.payloads.kinds import ABOUT, is_plain, is_simple, types
from pdl.models.payloads.unheld import UnheldError
from pdl.reply.validation.json_types import KINDS, kind_of
from pdl.schema.formats import PATTERNS
from pdl.schema.writing.phrases import phrases

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath, JsonSchema
    from pdl.models.payloads.narrowing import Narrowing


def scalar(narrowing: Narrowing, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
    """A string, a number, a boolean or null, with the keywords that the subset has."""
    subset = narrowing.subset
    form = {"type": node["type"]}
    held = subset.keywords | (subset.integers if node["type"] == "integer" else frozenset())
    for keyword, value in node.items():
        if keyword not in ABOUT[node["type"]]:
            continue
        if keyword == "format" and value in subset.formats:
            form[keyword] = value
        elif keyword == "format" and value in PATTERNS and "pattern" in held - node.keys():
            form["pattern"] = PATTERNS[value]
        elif keyword == "format":
            _drop_format(narrowing, form, str(value), path)
        elif keyword not in held:
            narrowing.drop(path, keyword)
        elif keyword == "pattern" and not is_plain(value):
            narrowing.drop(path, keyword, "it has parts that not all engines know")
        elif keyword == "pattern" and subset.simple_patterns and not is_simple(value):
            why = f"{subset.provider} takes short ones of a whole text (`^…$`)"
            narrowing.drop(path, keyword, why)
        else:
            form[keyword] = value
    return form


def _drop_format(narrowing: Narrowing, form: dict[str, Any], name: str, path: JsonPath) -> None:
    """List a format that the provider has not; one that only pdl has is described instead."""
    if name in PATTERNS:
        form["description"] = " ".join(phrases({"format": name}))
    why = "has no times without an offset" if name in PATTERNS else f"does not know `{name}`"
    narrowing.drop(path, "format", f"{narrowing.subset.provider} {why}")


def enumerated(narrowing: Narrowing, node: JsonSchema, path: JsonPath) -> dict[str, Any]:
    """An enumeration: for each type of its values those of that type."""
    keyword = "const" if "const" in node else "enum"
    values = [node["const"]] if keyword == "const" else list(node["enum"])
    if "type" in node:
        fits = [KINDS[kind] for kind in types(node)]
        values = [value for value in values if any(fit(value) for fit in fits)]
    kinds: dict[str, list[Json]] = {}
    for value in values:
        kinds.setdefault(_kind(value), []).append(value)
    if not kinds:
        raise UnheldError(path, keyword, "no value satisfies it")
    forms = [_of_kind(narrowing, kind, kinds[kind], path, keyword) for kind in kinds]
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _of_kind(
    narrowing: Narrowing, kind: str, values: list[Json], path: JsonPath, keyword: str
) -> dict[str, Any]:
    if kind == "null":
        return {"type": "null"}
    if kind in narrowing.subset.enums:
        return {"type": kind, "enum": values}
    if kind in ("array", "object"):
        raise UnheldError(path, keyword, f"its values may not be of the type `{kind}`")
    narrowing.drop(path, keyword, f"{narrowing.subset.provider} takes no `{kind}` in it")
    return {"type": kind}


def _kind(value: Json) -> str:
    """The type of a value; `integer` only for whole numbers that are written without a point."""
    return "number" if isinstance(value, float) else kind_of(value)
